/** Authorizations and purchases. */
import type { AuthorizeRequest, SendResult, Unknown } from '../processor.js';
import { readAnswer, readReceived } from './answer.schema.js';
import { buildPayment } from './build-payment.js';
import { outcomeOfError } from './errors.js';
import { type AdyenAccount, type AdyenContext, accountOf, call, noAccount } from './exchange.js';
import { closingReference } from './references.js';
import { payerActionDecline, toOutcome } from './to-outcome.js';
import { unsupportedIn } from './unsupported.js';
import type { AdyenAnswer } from './wire.js';

export const doesNotFit = ({ log }: Pick<AdyenContext, 'log'>, txId: string): Unknown => {
  const reason = 'the answer has another shape';
  log.warn('processor.answer-mismatched', { txId, code: 'adyen', reason });
  return { kind: 'unknown', internal: reason };
};

/** Cancels a payment for which Adyen wants an action of the payer, by its reference, so that no payer can complete it later. */
async function cancelOpenPayment(
  context: AdyenContext,
  account: AdyenAccount,
  key: string,
  answer: AdyenAnswer,
): Promise<SendResult> {
  const { merchantAccount } = account;
  const reference = closingReference(key);
  const body = { merchantAccount, paymentReference: key, reference };
  const reply = await call(context, { account, path: '/cancels', body, idempotencyKey: reference });
  const received = reply.kind === 'success' ? readReceived(reply.json) : undefined;
  const { reference: about = reference, paymentReference = key } = received ?? {};
  // An answer about another cancellation says nothing about this one.
  if (received && about === reference && paymentReference === key) return payerActionDecline(answer);
  return { kind: 'unknown', internal: `${answer.resultCode}, which could not be cancelled` };
}

/** @param first whether nothing was sent under the key before */
export async function sendPayment(
  context: AdyenContext,
  request: AuthorizeRequest,
  account: AdyenAccount | undefined,
  first: boolean,
): Promise<SendResult> {
  const unsupported = unsupportedIn(request);
  if (unsupported) return unsupported;
  if (!account) return noAccount;
  const { key } = request;
  const body = buildPayment(request, account.merchantAccount);
  const reply = await call(context, { account, path: '/payments', body, idempotencyKey: key });
  if (reply.kind === 'refused') return outcomeOfError(reply.status, reply.error, first);
  if (reply.kind !== 'success') return reply;
  const answer = readAnswer(reply.json);
  if (!answer) return doesNotFit(context, key);
  // An answer about another payment says nothing about this one, and must not cause its cancellation.
  if (answer.merchantReference !== undefined && answer.merchantReference !== key) return doesNotFit(context, key);
  const outcome = toOutcome(answer, request);
  return outcome === 'open' ? cancelOpenPayment(context, account, key, answer) : outcome;
}

export const authorize = (context: AdyenContext, request: AuthorizeRequest): Promise<SendResult> =>
  sendPayment(context, request, accountOf(request.merchant), true);
