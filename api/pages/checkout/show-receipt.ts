/** The receipt of a checkout, to be kept and printed. */

import type { Response } from 'express';
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import type { HandlerDeps } from '../../deps.js';
import { lastPayment } from '../../sessions/hosted-session.js';
import { formatMoney } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { sendPage } from '../http/send-page.js';
import { textsOf } from '../language.js';
import type { Page } from '../views/layout.view.js';
import type { Fact } from '../views/outcome.view.js';
import { receiptPage } from '../views/receipt.view.js';
import { shownTime } from '../views/time.view.js';
import { itemsOf, referenceOf } from './checkout-model.js';
import { cardOf, showCheckout } from './show-checkout.js';

/** What the payer may have to show to the seller or the bank. */
function factsOf(payment: Payment, { language, hosted: { session } }: HostedRequest): readonly Fact[] {
  const texts = textsOf[language];
  const transaction = authorizationOf(payment);
  const { totalMinor, currency } = payment.amount;
  const { installments = 1 } = payment;
  const part = { currency, totalMinor: Math.ceil(totalMinor / installments) };
  // The numbers of a payer at a link are ours: the payer does not know them.
  const invoice = session.paymentLink ? undefined : payment.invoiceNumber;
  return [
    [texts.paidWith, cardOf(payment, language)],
    [texts.installments, installments > 1 ? texts.payments(installments, formatMoney(part, language)) : undefined],
    [texts.date, shownTime(payment.processedAt ?? payment.createdAt, language)],
    [texts.reference, referenceOf(session)],
    [texts.invoice, invoice],
    [texts.authorization, transaction?.authorization],
    [texts.payment, payment._id],
    [texts.onStatement, payment.statementDescriptor],
  ];
}

function receipt(asked: HostedRequest, payment: Payment): Page {
  const { language, hosted } = asked;
  const { session, merchant } = hosted;
  const { amount } = payment;
  return receiptPage({
    language,
    payee: merchant,
    amount,
    description: session.paymentLink?.displayName,
    items: itemsOf(hosted, language),
    seller: merchant,
    facts: factsOf(payment, asked),
    backPath: `/checkout/${session._id}?lang=${language}`,
  });
}

/** Not there before the payment is. */
export async function showReceipt(deps: HandlerDeps, response: Response, asked: HostedRequest): Promise<void> {
  const payment = await lastPayment(deps, asked.hosted);
  if (payment && tryState(payment) === 'succeeded') return sendPage(response, 200, receipt(asked, payment));
  await showCheckout(deps, response, asked);
}
