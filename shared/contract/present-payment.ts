/** The payment as the API shows it: one body for answers and callbacks (docs/api.md#the-payment). */
import { defined } from '../domain/defined.js';
import { toDecimal } from '../domain/money/amount.js';
import { authorizationOf } from '../domain/payment/attempts.js';
import { type FailedCapture, failedCaptureOf } from '../domain/payment/failed-capture.js';
import {
  type Dispute,
  keptOf,
  type Metadata,
  type Payment,
  type PaymentItem,
  type Recurring,
  type Transaction,
} from '../domain/payment/payment.js';
import { savedInstrumentOf } from '../domain/payment/saved-instrument.js';
import { mirrorRefunds } from '../domain/payment-link/split.js';
import type { SplitPart } from '../domain/payment-link/split-part.js';
import type { PaymentRouting } from '../domain/routing/payment-routing.js';
import type { Authentication } from '../domain/threeds/authentication.js';
import { presentParts } from './amount.schema.js';

export const toMap = (pairs: Metadata): Record<string, string> => Object.fromEntries(pairs.map(({ k, v }) => [k, v]));
export const fromMap = (map: Record<string, string>): Metadata => Object.entries(map).map(([k, v]) => ({ k, v }));

const iso = (date: Date) => date.toISOString();

/** Presents what networks and issuers answered. The processor's own references stay between the gateway and the processor. */
function presentDetails(tx: Transaction, currency: string): object {
  const { networkDeclineCode, networkAdviceCode, advice, approvedMinor, updatedExpiry } = tx;
  const decline = defined({ networkCode: networkDeclineCode, adviceCode: networkAdviceCode, advice });
  return defined({
    retrievalReference: tx.retrievalReference,
    networkTransactionId: tx.networkTransactionId,
    checks: tx.checks,
    decline: Object.keys(decline).length > 0 ? decline : undefined,
    approvedAmount: approvedMinor === undefined ? undefined : toDecimal(approvedMinor, currency),
    updatedCard: updatedExpiry && {
      expirationMonth: updatedExpiry.expMonth,
      expirationYear: updatedExpiry.expYear,
    },
  });
}

function presentTransaction(tx: Transaction, paymentCurrency: string): object {
  const { currency = paymentCurrency } = tx;
  return {
    id: tx.id,
    referenceId: tx.referenceId,
    type: tx.kind,
    status: tx.status,
    amount: toDecimal(tx.amountMinor, currency),
    currency,
    ...defined({
      resultCode: tx.resultCode,
      resultMessage: tx.resultMessage,
      declineCode: tx.declineCode,
      authorization: tx.authorization,
      ticket: tx.ticket,
      reason: tx.reason,
      description: tx.description,
    }),
    ...presentDetails(tx, currency),
    ...(tx.metadata && { metadata: toMap(tx.metadata) }),
    ...(tx.processedAt && { processedAt: iso(tx.processedAt) }),
    createdAt: iso(tx.createdAt),
  };
}

export function presentItem(item: PaymentItem): object {
  const { price, discount, tax, metadata, ...rest } = item;
  return {
    price: Number(price),
    ...rest,
    ...(discount !== undefined && { discount: Number(discount) }),
    ...(tax && { tax: { amount: Number(tax.amount), currency: tax.currency } }),
    ...(metadata && { metadata: toMap(metadata) }),
  };
}

function presentAmount(payment: Payment): object {
  const { amount } = payment;
  return {
    total: toDecimal(amount.totalMinor, amount.currency),
    currency: amount.currency,
    ...presentParts(amount),
    captured: toDecimal(payment.capturedMinor, amount.currency),
    refunded: toDecimal(payment.refundedMinor, amount.currency),
  };
}

function presentSplit(payment: Payment, parts: readonly SplitPart[]): object[] {
  const { transactions, refundedMinor, amount } = payment;
  const { currency } = amount;
  const refunds = transactions
    .filter(({ kind, status }) => kind === 'refund' && status === 'approved')
    .map(({ amountMinor }) => amountMinor);
  // Cancelling a paid bank transfer returns its money without a refund.
  const cancelledMinor = refunds.reduce((left, minor) => left - minor, refundedMinor);
  const refunded = mirrorRefunds(parts, [...refunds, cancelledMinor]);
  return parts.map(({ amountMinor, ...part }, at) => ({
    ...part,
    amount: toDecimal(amountMinor, currency),
    refunded: toDecimal(refunded[at] ?? 0, currency),
  }));
}

function presentPaymentMethod({ paymentMethod }: Payment): object {
  const { card, ...rest } = paymentMethod;
  if (!card) return rest;
  return {
    card: {
      brand: card.brand,
      last4: card.last4,
      expirationMonth: card.expirationMonth,
      expirationYear: card.expirationYear,
    },
    ...rest,
  };
}

/** Adds the network's reference of the payment: an integrator needs it to discuss the payment with others than the gateway. */
function presentRecurring(payment: Payment, recurring: Recurring): object {
  return {
    ...recurring,
    ...(recurring.expiresAt && { expiresAt: iso(recurring.expiresAt) }),
    ...defined({ networkTransactionId: authorizationOf(payment)?.networkTransactionId }),
  };
}

function presentOptional(payment: Payment): object {
  const { items, recurring, metadata } = payment;
  return defined({
    items: items?.map(presentItem),
    recurring: recurring && presentRecurring(payment, recurring),
    metadata: metadata && toMap(metadata),
    ...keptOf(payment),
  });
}

function presentCapture(payment: Payment): object {
  const { captureMethod, captureDelaySeconds } = payment;
  const nextAttemptAt = failedCaptureOf(payment)?.nextAttemptAt;
  return {
    method: captureMethod,
    ...(captureDelaySeconds !== undefined && { delay: captureDelaySeconds }),
    ...(nextAttemptAt && { nextAttemptAt: iso(nextAttemptAt) }),
  };
}

function nextOf({ nextAttemptAt, givenUp }: FailedCapture, { status, expiresAt }: Payment): string {
  if (nextAttemptAt) return `the next attempt is at ${iso(nextAttemptAt)}`;
  if (!givenUp) return 'the gateway is retrying';
  if (status === 'expired') return 'it was given up, and the authorization has expired';
  return `it was given up, and the authorization expires${expiresAt ? ` at ${iso(expiresAt)}` : ''}`;
}

/** Describes a failed capture in the form of an error, since no caller waits for a delayed capture: what failed, why, what happens next. */
function presentProblems(payment: Payment): object {
  const failed = failedCaptureOf(payment);
  if (!failed) return {};
  const { resultCode, resultMessage } = failed.tx;
  return { params: { capture: [`failed (${resultCode} ${resultMessage}): ${nextOf(failed, payment)}`] } };
}

/** Returns the page where the payer confirms the payment at the issuer; undefined when there is nothing (more) to confirm. */
export function approvalUrlOf({ status, threeDs }: Payment): string | undefined {
  const asked = status === 'pending' && threeDs?.status === 'step-up-required';
  return asked ? threeDs.challenge?.pageUrl : undefined;
}

function presentActions(payment: Payment): object[] {
  const href = approvalUrlOf(payment);
  return href === undefined ? [] : [{ rel: 'approval_url', href, method: 'REDIRECT' }];
}

/** Presents the code of a bank transfer while the code may be paid. */
function presentCode({ status, code }: Payment): object {
  if (status !== 'pending' || code?.base64Image === undefined) return {};
  const { url, value, base64Image } = code;
  return { code: { type: 'qrcode', url, value, base64Image } };
}

function presentDispute({ amountMinor, currency, respondBy, openedAt, updatedAt, ...rest }: Dispute): object {
  return {
    ...rest,
    amount: toDecimal(amountMinor, currency),
    currency,
    ...(respondBy && { respondBy: iso(respondBy) }),
    openedAt: iso(openedAt),
    updatedAt: iso(updatedAt),
  };
}

/** Presents 3D Secure without what only the pipeline needs. */
function presentAuthentication(threeDs: Authentication): object {
  const { sessionId: _id, reference: _theirs, method: _look, challenge: _page, ...rest } = threeDs;
  const { createdAt: _c, updatedAt: _u, completedAt: _d, ...shown } = rest;
  return shown;
}

/** Presents the routes that the payment may take, and why. The merchant's numbers at its acquirers are in its own configuration. */
export const presentRouting = ({ candidates }: PaymentRouting): object[] =>
  candidates.map(({ processor, acquirer, reason, detail }) => ({
    processor,
    acquirer,
    reason,
    ...(detail !== undefined && { detail }),
  }));

function presentInstrument(payment: Payment): object {
  const saved = savedInstrumentOf(payment);
  if (!saved) return {};
  const { token, type, expiresAt } = saved;
  return { paymentInstrument: { token, type, expiresAt: expiresAt ? iso(expiresAt) : null } };
}

/** Returns the public form of a payment: no card number, no cvc, nothing of the pipeline. */
export function presentPayment(payment: Payment): Record<string, unknown> {
  return {
    id: payment._id,
    merchantId: payment.merchantId,
    referenceId: payment.referenceId,
    invoiceNumber: payment.invoiceNumber,
    status: payment.status,
    flow: payment.flow,
    processingMethod: payment.processingMethod,
    ...defined({ sessionId: payment.sessionId, attempt: payment.attempt }),
    createdAt: iso(payment.createdAt),
    updatedAt: iso(payment.updatedAt),
    ...(payment.processedAt && { processedAt: iso(payment.processedAt) }),
    ...(payment.expiresAt && { expiresAt: iso(payment.expiresAt) }),
    ...(payment.paymentLink && { paymentLinkId: payment.paymentLink.id }),
    amount: presentAmount(payment),
    ...(payment.split && { split: presentSplit(payment, payment.split) }),
    paymentMethod: presentPaymentMethod(payment),
    ...presentInstrument(payment),
    ...presentCode(payment),
    capture: presentCapture(payment),
    ...presentProblems(payment),
    ...presentOptional(payment),
    ...(payment.routing && { routing: presentRouting(payment.routing) }),
    transactions: payment.transactions.map((tx) => presentTransaction(tx, payment.amount.currency)),
    ...(payment.disputes && { disputes: payment.disputes.map(presentDispute) }),
    actions: presentActions(payment),
    ...(payment.threeDs && { threeDS: presentAuthentication(payment.threeDs) }),
  };
}

/** Presents a payment in a list, without the token of the card that it saved: only reading the payment itself shows the token. */
export function presentListedPayment(payment: Payment): Record<string, unknown> {
  const { paymentInstrument: _token, ...shown } = presentPayment(payment);
  return shown;
}

/** Builds the body of a callback: the payment as it is now. The payment of a link is inside an object that names the link. */
export function renderCallback(payment: Payment): string {
  const { paymentLink, merchantId } = payment;
  const shown = presentPayment(payment);
  if (!paymentLink) return JSON.stringify(shown);
  const { id: paymentLinkId, externalId } = paymentLink;
  return JSON.stringify({ paymentLinkId, externalId, merchantId, payment: shown });
}
