/** The payer of a checkout session pays by bank transfer. The session decides the amount (docs/security.md#amounts-of-sessions). */

import { conflict, GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { isTransfer } from '../../shared/domain/payment/plan-transfer.js';
import {
  paymentMethodCatalog,
  paymentMethodIds,
  supportsCurrency,
} from '../../shared/domain/payment-method-catalog.js';
import { currenciesOf, leastAmountOf } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { findTransferMethod, fitsTransfer, type TransferMethod } from '../payments/choose-payment-method.js';
import { operatePayment } from '../payments/operate-payment.js';
import type { PaymentDraft } from '../payments/payment-draft.js';
import type { HostedCaller, HostedTransferInput } from './hosted-inputs.js';
import { checkoutOf, orderOf } from './pay-session.js';
import { callerOfSession, settleOrLog, submitTry } from './submit-try.js';

const transferIds = paymentMethodIds.filter((id) => paymentMethodCatalog[id].type === 'bank-transfer');

export type OfferedTransfer = TransferMethod & { readonly currencies: readonly string[] };

/** Finds the bank transfer that a session is configured for, whatever its amount; `undefined` when there is none. */
export async function configuredTransfer(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  session: Session,
): Promise<OfferedTransfer | undefined> {
  const { type, token, settings, merchantId } = session;
  if (type !== 'checkout' || token !== undefined || !settings.paymentMethodTypes.includes('bank-transfer'))
    return undefined;
  const { paymentMethods } = session.paymentLink ?? {};
  for (const id of transferIds) {
    if (paymentMethods && !paymentMethods.includes(id)) continue;
    const currencies = currenciesOf(session).filter((currency) => supportsCurrency(id, currency));
    const method = currencies.length > 0 ? await findTransferMethod(deps, merchantId, id) : undefined;
    if (method) return { ...method, currencies };
  }
  return undefined;
}

/** Finds the bank transfer that the payer of a session may choose; `undefined` when there is none, or no QR code can carry the amount. */
export async function offeredTransfer(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  session: Session,
): Promise<OfferedTransfer | undefined> {
  const transfer = await configuredTransfer(deps, session);
  const least = leastAmountOf(session);
  if (!transfer || !least) return transfer;
  const currencies = transfer.currencies.filter((currency) => fitsTransfer(least.total, currency));
  return currencies.length > 0 ? { ...transfer, currencies } : undefined;
}

/** The method was removed after it was shown. The payer asked for a code, and none was created. */
export class TransferNotOfferedError extends GatewayError {
  constructor() {
    super('conflict', { message: 'This session does not accept bank transfers.' });
  }
}

async function draftOf(deps: ApiDeps, session: Session, input: HostedTransferInput): Promise<PaymentDraft> {
  const method = await offeredTransfer(deps, session);
  if (!method) throw new TransferNotOfferedError();
  return { ...orderOf(session, input), flow: 'pos', paymentMethod: { source: 'bank-transfer', id: method.id } };
}

/** Pays by a try of the session, like any other: the same try twice is one payment. @throws {GatewayError} as {@link submitTry} */
export async function paySessionByTransfer(
  deps: ApiDeps,
  session: Session,
  input: HostedTransferInput,
  caller: HostedCaller,
): Promise<Payment> {
  checkoutOf(session);
  const makeDraft = () => draftOf(deps, session, input);
  return submitTry(deps, { session, attempt: input.attempt, makeDraft }, caller);
}

/**
 * Cancels the bank transfer of the newest try.
 * @param attempt the try that the payer's page shows; another tab may have started a newer one. Absent: the newest try
 * @throws {GatewayError} `conflict` when `attempt` is not the newest try, or the newest try is not a transfer that waits for its payer.
 */
export async function cancelSessionTransfer(
  deps: ApiDeps,
  session: Session,
  caller: HostedCaller,
  attempt = session.tries,
): Promise<void> {
  if (attempt !== session.tries) {
    throw conflict('This attempt is out of date. Reload the page.');
  }
  const payment = await deps.payments.findById(paymentIdOfTry(session._id, session.tries));
  if (!payment || !isTransfer(payment) || payment.status !== 'pending') {
    throw conflict('No transfer to cancel.');
  }
  // A cancellation that failed is tried again under its own reference; two clicks at once share one reference.
  const before = payment.transactions.filter(({ kind }) => kind === 'cancellation').length;
  const referenceId = `cancel-${payment._id}${before === 0 ? '' : `-${before}`}`;
  const body = { referenceId, reason: 'customer-request' } as const;
  try {
    // A payer cannot cancel money that may have arrived since the payment was read.
    const byPayer = { onlyWhile: 'pending' } as const;
    const cancellation = { kind: 'cancellation', paymentId: payment._id, body, byPayer } as const;
    await operatePayment(deps, cancellation, callerOfSession(session, caller));
  } finally {
    await settleOrLog(deps, session, caller.log);
  }
}
