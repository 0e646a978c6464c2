/**
 * Sends the payer to the issuer's challenge and back to the merchant. The payer's browser only signals "look now": the result comes
 * from the provider (docs/security.md#challenge-results).
 */

import { isAnswerable } from '../../shared/domain/payment/answerable.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { messageIdOf } from '../../shared/domain/threeds/authentication.js';
import { planReturn, waitsForPayer } from '../../shared/domain/threeds/plan-authentication.js';
import { after } from '../../shared/domain/time.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { ApiDeps } from '../deps.js';
import { addToQuery } from '../http/add-to-query.js';
import { type Payee, payeeOf } from '../merchants/payee.js';
import type { PendingOutcome } from '../payments/await-outcome.js';
import { decodeMessage, encodeMessage, isLastMessage, isOfSession } from './threeds-messages.js';

/** Next page of the payer. `form`: a CReq that is posted to the issuer's page. */
export type NextStop =
  | {
      readonly kind: 'form';
      readonly acsUrl: string;
      readonly creq: string;
      readonly sessionData: string;
      /** Merchant and amount that the challenge is about. */
      readonly merchant: Payee;
      readonly amount: Pick<Payment['amount'], 'totalMinor' | 'currency'>;
    }
  | { readonly kind: 'redirect'; readonly url: string };

type Deps = Pick<ApiDeps, 'payments' | 'merchants' | 'outcomes' | 'nudges' | 'clock' | 'config' | 'admissionLimit'>;

/** Leads back to the merchant, with what the payer's browser may know: for display, never as proof. */
function redirectToMerchant({ _id, referenceId, status, redirectUrl }: Payment): NextStop | undefined {
  if (redirectUrl === undefined) return undefined;
  return { kind: 'redirect', url: addToQuery(redirectUrl, { paymentId: _id, referenceId, status }) };
}

/** Leads back once the outcome is known, or at once when no slot is free. The payer gets back in any case. */
async function redirectWithOutcome(
  { admissionLimit }: Deps,
  payment: Payment,
  outcome: PendingOutcome,
): Promise<NextStop | undefined> {
  const slot = admissionLimit.enterIfRoom();
  if (!slot) {
    outcome.cancel();
    return redirectToMerchant(payment);
  }
  try {
    return redirectToMerchant(await outcome.wait(slot.waitMs));
  } finally {
    slot.leave();
  }
}

/** Leads back a payer who arrives while the payment is in progress: a second time, or just after the time limit. */
async function redirectDuringPayment(deps: Deps, payment: Payment): Promise<NextStop | undefined> {
  const { status, work } = payment;
  if (status !== 'pending' || work === undefined || isAnswerable(payment, work.txId))
    return redirectToMerchant(payment);
  if (work.dueAt > after(deps.clock.now(), deps.config.responseWaitMs)) return redirectToMerchant(payment);
  return redirectWithOutcome(deps, payment, deps.outcomes.start(payment, work.txId));
}

/** Returns the page for the payer at the `approval_url`; `undefined` when the challenge does not exist. */
export async function openChallenge(deps: Deps, sessionId: string): Promise<NextStop | undefined> {
  const { payments, merchants } = deps;
  const payment = await payments.findByThreeDsSession(sessionId);
  const challenge = payment?.threeDs?.challenge;
  if (!payment?.threeDs || !challenge) return undefined;
  if (!waitsForPayer(payment)) return redirectDuringPayment(deps, payment);
  const creq = {
    messageType: 'CReq',
    messageVersion: payment.threeDs.version,
    threeDSServerTransID: messageIdOf(payment.threeDs),
    acsTransID: challenge.acsTransactionId,
    challengeWindowSize: payment.browserDetails?.challengeWindowSize ?? '05',
  };
  return {
    kind: 'form',
    acsUrl: challenge.acsUrl,
    creq: encodeMessage(creq),
    sessionData: Buffer.from(sessionId).toString('base64url'),
    merchant: payeeOf(await merchants.findMerchant(payment.merchantId)),
    amount: payment.amount,
  };
}

/**
 * Handles the payer's return from the issuer: a worker fetches the result and continues the payment, and the payer goes back to
 * the merchant.
 * @param cres the message from the browser; absent when it sent none.
 * @returns `undefined` when the challenge does not exist, or the message belongs to another one. Nothing is changed then.
 */
export async function returnFromChallenge(
  deps: Deps,
  sessionId: string,
  cres: string | undefined,
): Promise<NextStop | undefined> {
  const payment = await deps.payments.findByThreeDsSession(sessionId);
  if (!payment?.threeDs?.challenge) return undefined;
  const message = cres === undefined ? undefined : decodeMessage(cres);
  if (cres !== undefined && !isOfSession(message, messageIdOf(payment.threeDs))) return undefined;
  const plan = (current: Payment) => planReturn(current, deps.clock.now(), isLastMessage(message));
  const returned = await deps.payments.update(payment, plan);
  // The payer came too late, or a second time, or the payment is final.
  if (!returned?.work) return redirectDuringPayment(deps, (await deps.payments.findById(payment._id)) ?? payment);
  const { txId, gen, kind } = returned.work;
  const outcome = deps.outcomes.start(returned, txId);
  const nudge = { paymentId: returned._id, txId, gen, traceId: returned.traceId, replyTo: deps.outcomes.channel };
  void deps.nudges.add(workPayment[kind], nudge);
  return redirectWithOutcome(deps, returned, outcome);
}
