/** The bank transfer on a checkout page: whether it is shown, the form that requests a code, and the page with the code. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isPresentable, isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { isToReturn } from '../../../shared/domain/payment/surplus.js';
import type { Session } from '../../../shared/domain/session/session.js';
import { after, MINUTE_MS, secondsUntil } from '../../../shared/domain/time.js';
import { paymentIdOfTry } from '../../../shared/ids.js';
import type { HandlerDeps } from '../../deps.js';
import type { HostedSession } from '../../sessions/hosted-session.js';
import { boundsInWords, refusedCurrency } from '../bounds-in-words.js';
import type { HostedRequest } from '../http/hosted-request.js';
import type { PageAnswer } from '../http/send-page.js';
import { formTargets } from '../return-url.js';
import { transferChoicePage, transferPage } from '../views/bank-transfer.view.js';
import { amountFields } from '../views/checkout.view.js';
import { type AboutCheckout, type CheckoutState, checkoutModel } from './checkout-model.js';

/** Whether the payer sees the transfer: when it is the only way to pay, or when it was chosen. */
export function choosesTransfer({ hosted, method, form }: HostedRequest, last: Payment | undefined): boolean {
  if (!hosted.transfer) return false;
  if (!hosted.takesCards) return true;
  const chosen = method ?? form['method'];
  return chosen === undefined ? last !== undefined && isTransfer(last) : chosen === 'transfer';
}

/** Whether a transfer brought money that belongs to no sale. Every page must tell its payer that the shop has to return it. */
export const hasMoneyToReturn = ({ transactions }: Payment): boolean => transactions.some(isToReturn);

/** Whether the same happened in an earlier try. All of those failed, and the payer may be about to pay once more. */
export async function hasEarlierMoneyToReturn(
  { payments }: Pick<HandlerDeps, 'payments'>,
  { _id }: Pick<Session, '_id'>,
  { attempt = 1 }: Pick<Payment, 'attempt'>,
): Promise<boolean> {
  const numbers = Array.from({ length: attempt - 1 }, (_, index) => index + 1);
  const earlier = await Promise.all(numbers.map((number) => payments.findById(paymentIdOfTry(_id, number))));
  return earlier.some((payment) => payment !== undefined && hasMoneyToReturn(payment));
}

/** Returns the seconds in which the code can still be paid; undefined without a code. */
export const secondsLeft = ({ code, expiresAt }: Payment, now: Date): number | undefined =>
  code && expiresAt && secondsUntil(now, expiresAt);

/**
 * Returns the page with the code while it waits for its payer. After the code ran out, the page says that it waits for the bank,
 * because the payer may have paid in time.
 */
export function transferCode(
  about: AboutCheckout,
  session: Session,
  payment: Payment,
  formToken: string,
  now: Date,
): PageAnswer {
  const { attempt, code, createdAt } = payment;
  const over = code !== undefined && !isPresentable(payment, now);
  const { base64Image } = code ?? {};
  const shown = code === undefined || base64Image === undefined || over ? undefined : { ...code, base64Image };
  const page = transferPage({
    ...about,
    amount: payment.amount,
    formToken,
    code: shown,
    over,
    attempt,
    createdAt,
    expiresAt: payment.expiresAt ?? after(createdAt, limits.codeExpiryMs),
    now,
    // Until there is a code, which has a time left, the script of the page takes the status for `making` too.
    status: shown || over ? payment.status : 'making',
    refreshSeconds: limits.transferRefreshSeconds,
  });
  return { page, pagePolicy: { formTo: formTargets(session) } };
}

/**
 * Returns the form that requests a code.
 * @param again whether a code was made before
 */
export function transferChoice(
  about: AboutCheckout,
  hosted: HostedSession,
  formToken: string,
  state: CheckoutState,
  again: boolean,
): PageAnswer {
  const { session, transfer, takesCards } = hosted;
  const model = checkoutModel(about, hosted, [], formToken, state);
  const bounds = session.settings.checkout?.flexibleAmount;
  const { currencies = [] } = transfer ?? {};
  const given = refusedCurrency(state.errors, state.form);
  const hint = bounds && boundsInWords(bounds, currencies, about.language, given);
  const flexible = model.flexible && { currencies, hint };
  const { currency } = model.values;
  // The form would show an amount in a currency that transfers do not support as an amount in one that they do.
  const values =
    currency === undefined || currencies.includes(currency) ? model.values : { ...model.values, total: undefined };
  const page = transferChoicePage({
    ...about,
    formToken,
    cards: takesCards,
    attempt: model.attempt,
    minutes: limits.codeExpiryMs / MINUTE_MS,
    again,
    amountFields: amountFields({ ...model, flexible, values }),
    errors: state.errors,
    refusal: state.refusal,
  });
  return { page, pagePolicy: { formTo: formTargets(session) } };
}
