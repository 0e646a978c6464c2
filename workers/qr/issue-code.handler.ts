/** Has the processor issue a code, makes the payload and its picture, and hands the payment on to waiting for the money. */

import { merchantPresentedPayload } from '../../shared/domain/code/emv-payload.js';
import type { PaymentCode } from '../../shared/domain/code/payment-code.js';
import { defined } from '../../shared/domain/defined.js';
import { toDecimalText } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planLateCode } from '../../shared/domain/payment/plan-late-code.js';
import { codeExpiresAt, planIssueAgain, planIssued, planNotIssued } from '../../shared/domain/payment/plan-transfer.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import { after } from '../../shared/domain/time.js';
import type { CodeIssued, CodeResult } from '../../shared/processors/processor.js';
import { askBank } from '../ask-bank.js';
import { type Claimed, planContext, type RecordDeps, recordResult } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';
import { merchantOf } from '../processor-merchant.js';
import { renderCode } from './render-code.js';

export type IssueDeps = RecordDeps &
  Pick<PoolDeps, 'processors' | 'merchants' | 'methods' | 'renderCallback' | 'schedule'>;

const offline = {
  kind: 'failed',
  resultCode: responseCodes.issuerInoperative,
  resultMessage: 'Acquirer offline',
} as const;

/** Category and country in the code of a merchant without one, and the city of every merchant: it is not known. */
const CATEGORY_UNKNOWN = '0000';
const CITY_UNKNOWN = 'NA';
const COUNTRY_UNKNOWN = 'UY';

/** Returns who is paid, as accepted with the payment. A payment of an earlier release has no payee: it gets the merchant of today. */
async function payeeOf(deps: IssueDeps, { payee, merchantId }: Payment): Promise<NonNullable<Payment['payee']>> {
  if (payee) return payee;
  const { name = '', country } = (await deps.merchants.findMerchant(merchantId)) ?? {};
  return { name, ...defined({ country }) };
}

async function ask(deps: IssueDeps, { payment, work }: Claimed): Promise<CodeResult> {
  const processor = deps.processors.get(payment.processor);
  if (!processor?.issueCode) return { kind: 'not-sent', internal: 'the processor is not configured in this process' };
  const payee = await payeeOf(deps, payment);
  const { referenceId, invoiceNumber } = payment;
  return processor.issueCode({
    key: work.txId,
    amountMinor: payment.amount.totalMinor,
    currency: payment.amount.currency,
    acquirer: payment.acquirer,
    merchant: merchantOf({ ...payment, payee }),
    order: { referenceId, invoiceNumber },
    expiresAt: codeExpiresAt(payment, planContext(deps)),
    traceId: payment.traceId,
  });
}

async function codeOf(deps: IssueDeps, payment: Payment, { account, url }: CodeIssued): Promise<PaymentCode> {
  const { totalMinor, currency } = payment.amount;
  const { name, country = COUNTRY_UNKNOWN, merchantCategoryCode = CATEGORY_UNKNOWN } = await payeeOf(deps, payment);
  const value = merchantPresentedPayload({
    account,
    merchantCategoryCode,
    currency: findCurrency(currency)?.numeric ?? '',
    amount: toDecimalText(totalMinor, currency),
    country,
    merchant: { id: payment.merchantId, name },
    merchantCity: CITY_UNKNOWN,
    invoiceNumber: payment.invoiceNumber,
  });
  return { value, url, base64Image: renderCode(value) };
}

/** Sends the same key again after the processor was not reached or the outcome is unknown: a code moves no money. */
async function requestAgain(deps: IssueDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('code.no-answer', { reason: internal });
  const { notSentRetryMs, notSentTriesMax } = deps.schedule;
  await recordResult(deps, claimed, (payment, work) => {
    const context = planContext(deps);
    if (work.tries + 1 >= notSentTriesMax) return planNotIssued(payment, offline, context);
    return planIssueAgain(payment, work, after(context.now, notSentRetryMs), context.now);
  });
  return 'no-answer';
}

/** Ends a payment whose code has expired: no caller waits for it any more. A code from a restored backup may have been issued and paid. */
async function endExpired(deps: IssueDeps, claimed: Claimed): Promise<string> {
  const answer = await askBank(deps.processors.get(claimed.payment.processor), claimed.payment, deps.clock.now());
  const { notSentRetryMs, notSentTriesMax } = deps.schedule;
  if (!answer) claimed.log.warn('transfer.no-answer', { reason: 'the bank does not answer' });
  await recordResult(deps, claimed, (payment, work) => {
    const context = planContext(deps);
    if (answer || work.tries + 1 >= notSentTriesMax) return planLateCode(payment, work, answer, context);
    return planIssueAgain(payment, work, after(context.now, notSentRetryMs), context.now);
  });
  return 'too-old';
}

export async function handleIssue(deps: IssueDeps, claimed: Claimed): Promise<string> {
  const context = planContext(deps);
  if (codeExpiresAt(claimed.payment, context) <= context.now) return endExpired(deps, claimed);
  const result = await ask(deps, claimed);
  if (result.kind === 'not-sent' || result.kind === 'unknown') return requestAgain(deps, claimed, result.internal);
  if (result.kind !== 'issued') {
    await recordResult(deps, claimed, (payment) => planNotIssued(payment, result, planContext(deps)));
    return result.kind;
  }
  const { ticket } = result;
  const issued = { code: await codeOf(deps, claimed.payment, result), ...(ticket !== undefined && { ticket }) };
  await recordResult(deps, claimed, (payment, work) => planIssued(payment, work, issued, planContext(deps)));
  return 'issued';
}
