/** A payer's action on a page leaves an entry in the audit, like the same call of the API (docs/security.md#audit). */

import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { AuditEntry } from '../../../shared/store/audit.repository.js';
import type { HandlerDeps } from '../../deps.js';
import { toGatewayError } from '../../http/error-middleware.js';
import { appendOrLog, outcomeOf } from '../../http/record-audit.js';
import type { HostedRequest } from './hosted-request.js';

/** Operation ids of the API, or names like them when the API has no such operation. */
export type PayerAction =
  | 'createPayment'
  | 'cancelPayment'
  | 'cancelSession'
  | 'createTokenization'
  | 'choosePaymentInstrument'
  | 'deletePaymentInstrument';

/** What the audit names of the result. */
interface Result {
  readonly payment?: Pick<Payment, '_id'> | undefined;
  /** Token of the saved card. */
  readonly card?: string | undefined;
}

/**
 * Carries out a payer's action and records it, done or refused: session (after its link), saved card, payment, address; never a typed
 * value. An entry that cannot be written is logged, and the payer still gets the answer.
 * @param about returns what the audit names of the result; of a refusal it names only the payment.
 */
export async function auditedAsPayer<T>(
  { audit }: Pick<HandlerDeps, 'audit'>,
  { hosted: { session }, caller: { traceId, log }, browserDetails: { ipAddress: address } }: HostedRequest,
  action: PayerAction,
  carryOut: () => Promise<T>,
  about: (result: T) => Result = () => ({}),
): Promise<T> {
  const append = (how: Pick<AuditEntry, 'outcome' | 'code'>, { card }: Result, paymentId: string | undefined) => {
    if (!audit) return;
    const { clientId, merchantId, paymentLink, _id } = session;
    const object = [paymentLink?.id, _id, card].filter((part) => part !== undefined).join('/');
    const entry = { clientId, actor: 'payer', action, object, ...how, merchantId, address, traceId };
    appendOrLog(audit, log, { ...entry, ...(paymentId !== undefined && { paymentId }) });
  };
  try {
    const result = await carryOut();
    const made = about(result);
    append({ outcome: 'done' }, made, made.payment?._id);
    return result;
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const how = outcomeOf(error);
    if (how) append(how, {}, error.params?.['paymentId']?.[0]);
    throw thrown;
  }
}
