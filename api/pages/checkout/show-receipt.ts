/** The receipt of a checkout, to keep or print. */

import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import type { Session } from '../../../shared/domain/session/session.js';
import type { HandlerDeps } from '../../deps.js';
import { lastPayment } from '../../sessions/hosted-session.js';
import { formatMoney } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import type { PageAnswer } from '../http/send-page.js';
import { textsOf } from '../language.js';
import type { Fact } from '../views/outcome.view.js';
import { receiptPage } from '../views/receipt.view.js';
import { shownTime } from '../views/time.view.js';
import { hasEarlierMoneyToReturn } from './bank-transfer.js';
import { type AboutCheckout, aboutCheckout, isCancelledAfterPayment, paidAt, paidWith } from './checkout-model.js';
import { paidNotes } from './outcome-pages.js';

/** Returns the facts that the payer may have to show to the seller or the bank. */
function factsOf(payment: Payment, { reference, language }: AboutCheckout, session: Session): readonly Fact[] {
  const texts = textsOf[language];
  const transaction = authorizationOf(payment);
  const { totalMinor, currency } = payment.amount;
  const { installments = 1 } = payment;
  const part = { currency, totalMinor: Math.ceil(totalMinor / installments) };
  // At a link we number the invoices ourselves, and the payer does not know these numbers.
  const invoice = session.paymentLink ? undefined : payment.invoiceNumber;
  return [
    [texts.paidWith, paidWith(payment, language)],
    [texts.installments, installments > 1 ? texts.payments(installments, formatMoney(part, language)) : undefined],
    [texts.date, shownTime(paidAt(payment), language)],
    [texts.reference, reference],
    [texts.invoice, invoice],
    [texts.authorization, transaction?.authorization],
    [texts.payment, payment._id],
    [texts.onStatement, payment.statementDescriptor],
  ];
}

/** Shows the receipt of a successful payment. Without one it redirects to the checkout. */
export async function showReceipt(deps: HandlerDeps, asked: HostedRequest): Promise<PageAnswer> {
  const { hosted, language } = asked;
  const { session, merchant } = hosted;
  const backPath = `/checkout/${session._id}?lang=${language}`;
  const payment = await lastPayment(deps, hosted);
  if (!payment || tryState(payment) !== 'succeeded' || isCancelledAfterPayment(payment))
    return { redirectTo: backPath };
  const earlierTransfer = await hasEarlierMoneyToReturn(deps, session, payment);
  const about = { ...aboutCheckout(hosted, language), earlierTransfer };
  const page = receiptPage({
    ...about,
    amount: payment.amount,
    description: session.paymentLink?.displayName,
    seller: merchant,
    notes: paidNotes(payment, about),
    facts: factsOf(payment, about, session),
    backPath,
  });
  return { page };
}
