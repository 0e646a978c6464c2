/** The adapter at the mock of Adyen, and requests of a merchant who has an account there. */
import { createAdyenProcessor } from '../../../shared/processors/adyen/create-adyen-processor.js';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type {
  AuthorizeRequest,
  FollowUpRequest,
  InquireRequest,
  Processor,
} from '../../../shared/processors/processor.js';
import { account, startAdyen } from '../../support/adyen/server.js';
import { keepingLog } from '../keeping-log.js';
import { authorizeRequest, followUpRequest, inquireRequest, reverseRequest } from '../port-requests.js';
import { cardOf } from '../sandbox/sandbox-harness.js';

const TIMEOUT_MS = 2_000;

export const merchant = { id: 1, name: 'Casa Lumbre', credentials: account };

export const CARD = '4242424242424242';

export const pay = (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest =>
  authorizeRequest(CARD, { merchant, ...more });

/** The maker's test platform, and its mock, look at the name of the holder. */
export const payAs = (holderName: string, more: Partial<AuthorizeRequest> = {}): AuthorizeRequest =>
  pay({ credential: { source: 'card', card: { ...cardOf(CARD), holderName } }, ...more });

export const onto = (request: AuthorizeRequest, processorReference: string, more: Partial<FollowUpRequest> = {}) =>
  followUpRequest(request.key, { merchant, originalReferences: { processorReference }, ...more });

export const inquireAgain = (again: AuthorizeRequest | FollowUpRequest, more: Partial<InquireRequest> = {}) =>
  inquireRequest(again.key, { merchant, sentRequest: again, references: { createdAt: new Date() }, ...more });

export const takeBack = (request: AuthorizeRequest, processorReference?: string) =>
  reverseRequest(request.key, {
    merchant,
    originalReferences: processorReference === undefined ? {} : { processorReference },
  });

export async function openAdyenHarness(timeoutMs = TIMEOUT_MS) {
  const server = await startAdyen();
  const log = keepingLog();
  const adapter: Required<Pick<Processor, 'capture' | 'cancel' | 'refund'>> & Processor = createAdyenProcessor({
    baseUrl: server.url,
    timeoutMs,
    log,
  });
  const processor = checkAnswers(adapter, log) as typeof adapter;
  return {
    server,
    log,
    processor,
    /** An approved payment, and what Adyen calls it. */
    async approved(request: AuthorizeRequest = pay()) {
      const answer = await processor.authorize(request);
      if (answer.kind !== 'approved') throw new Error(answer.kind);
      return { request, answer, reference: answer.processorReference as string };
    },
    async close() {
      await processor.close();
      await server.close();
    },
  };
}
