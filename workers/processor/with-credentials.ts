/**
 * Gives the adapters that need credentials those of the merchant with every request. They are opened from the vault and kept in memory for
 * some seconds; when they cannot be opened, nothing is sent.
 */
import { limits } from '../../config/limits.js';
import { startStopwatch } from '../../shared/clock.js';
import { defined } from '../../shared/domain/defined.js';
import {
  type Credentials,
  type CredentialsDeps,
  credentialsLoader,
  type LoadCredentials,
} from '../../shared/processors/merchant-credentials.js';
import type { Processor, ProcessorMerchant } from '../../shared/processors/processor.js';

function loader(deps: CredentialsDeps, processor: Processor): LoadCredentials {
  const { code, merchantCredentials = [], merchantCredentialsOptional } = processor;
  const load = credentialsLoader(deps, code, merchantCredentials);
  return async (merchantId) => {
    const found = await load(merchantId);
    if (!found && !merchantCredentialsOptional) throw new Error(`merchant ${merchantId} has no credentials at ${code}`);
    return found;
  };
}

interface Request {
  readonly merchant: ProcessorMerchant;
}

/** The message names the merchant, the processor and the names of credentials, never a value. */
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : 'the credentials could not be opened');

const TOO_LATE = 'its credentials took too long to open';

/** Returns the adapter unchanged if it needs no credentials. */
export function withCredentials(deps: CredentialsDeps, processor: Processor): Processor {
  if (!processor.merchantCredentials?.length) return processor;
  const load = loader(deps, processor);

  function given<R extends Request, A>(
    operation: (request: R) => Promise<A>,
    failure: 'not-sent' | 'no-answer',
  ): (request: R) => Promise<A> {
    return async (request) => {
      const elapsedMs = startStopwatch();
      let credentials: Credentials | undefined;
      try {
        credentials = await load(request.merchant.id);
      } catch (error) {
        return { kind: failure, internal: reasonOf(error), ...(failure === 'not-sent' && { blocked: 'route' }) } as A;
      }
      // The time in which the claim allows to send was checked before: a process that slept meanwhile must not send.
      if (elapsedMs() >= limits.sendByMs) {
        return { kind: failure, internal: TOO_LATE, ...(failure === 'not-sent' && { blocked: 'payment' }) } as A;
      }
      if (credentials === undefined) return operation.call(processor, request);
      return operation.call(processor, { ...request, merchant: { ...request.merchant, credentials } });
    };
  }

  const { capture, cancel, refund, verify, issueCode, findTransfers } = processor;
  return {
    ...processor,
    authorize: given(processor.authorize, 'not-sent'),
    inquire: given(processor.inquire, 'no-answer'),
    reverse: given(processor.reverse, 'no-answer'),
    ...defined({
      capture: capture && given(capture, 'not-sent'),
      cancel: cancel && given(cancel, 'not-sent'),
      refund: refund && given(refund, 'not-sent'),
      verify: verify && given(verify, 'not-sent'),
      issueCode: issueCode && given(issueCode, 'not-sent'),
      findTransfers: findTransfers && given(findTransfers, 'no-answer'),
    }),
  };
}
