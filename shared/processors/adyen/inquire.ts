/**
 * Adyen has no inquiry by our reference. Instead the same request is sent again under its key: Adyen executes it only once and repeats
 * its first answer, as long as it remembers the key. Once Adyen has received a request, only a notification brings the outcome.
 */
import { adyenLimits } from '../../../config/adyen-limits.js';
import { after, msBetween } from '../../domain/time.js';
import type {
  AuthorizeRequest,
  FollowUpRequest,
  InquiredOperation,
  InquireRequest,
  InquireResult,
  SendResult,
} from '../processor.js';
import { sendPayment } from './authorize.js';
import { type AdyenAccount, type AdyenContext, accountOf, noAccount } from './exchange.js';
import { sendModification } from './modify.js';
import type { ModificationKind } from './references.js';

const noAnswer = (internal: string): InquireResult => ({ kind: 'no-answer', internal });

const modifications: ReadonlySet<InquiredOperation> = new Set(['capture', 'cancel', 'refund']);

const toInquiry = (result: SendResult): InquireResult =>
  result.kind === 'not-sent' || result.kind === 'unknown'
    ? noAnswer(result.internal)
    : { kind: 'found', outcome: result };

/**
 * Sends an authorization again. The schedule of inquiries may wait until it may not be sent any more. It is then reversed by our
 * reference, and if Adyen never received it, that is never confirmed: so it is sent again sooner.
 */
async function payAgain(context: AdyenContext, request: AuthorizeRequest, account: AdyenAccount) {
  const answer = toInquiry(await sendPayment(context, request, account, false));
  const knowsOutcomeAt = after(context.now(), adyenLimits.authorizationAgainMs);
  return answer.kind === 'no-answer' ? { ...answer, knowsOutcomeAt } : answer;
}

export async function inquire(context: AdyenContext, request: InquireRequest): Promise<InquireResult> {
  const { operation, references, sentRequest, merchant } = request;
  const { processorReference, createdAt } = references;
  const isModification = modifications.has(operation);
  if (isModification && processorReference !== undefined) return noAnswer('Adyen notifies of the outcome');
  if (!sentRequest) {
    if (isModification || processorReference !== undefined) return noAnswer('Adyen cannot be asked about it');
    // It is too late to send the request again. The core reverses the payment, which is right whether it exists or not.
    return { kind: 'not-found' };
  }
  const age = createdAt === undefined ? 0 : msBetween(createdAt, context.now());
  if (age > adyenLimits.keysRememberedMs) return noAnswer('Adyen may have forgotten the key');
  const account = accountOf(merchant);
  if (!account) return noAnswer(noAccount.internal);
  if (!isModification) return payAgain(context, sentRequest as AuthorizeRequest, account);
  const kind = operation as ModificationKind;
  return toInquiry(await sendModification(context, kind, sentRequest as FollowUpRequest, account, false));
}
