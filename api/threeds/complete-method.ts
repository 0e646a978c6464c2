/**
 * The issuer's look at the payer's browser (3DS method): what the hidden frame of the checkout sends to the issuer, and the
 * issuer's word that it has looked. A browser brings that word, so it only says "ask now" (docs/security.md#challenge-results).
 */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { messageIdOf } from '../../shared/domain/threeds/authentication.js';
import { planMethodDone, waitsForMethod } from '../../shared/domain/threeds/plan-method.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { ApiDeps } from '../deps.js';
import { decodeMessage, encodeMessage, isOfSession } from './threeds-messages.js';

/** What the frame posts to the issuer. */
export interface MethodCall {
  readonly url: string;
  /** `threeDSMethodData`. */
  readonly methodData: string;
}

type Deps = Pick<ApiDeps, 'payments' | 'nudges' | 'clock' | 'config'>;

export const methodPath = (sessionId: string) => `/threeds/method/${sessionId}`;

/** Where the page of a payment lets the issuer look from, and at whose address; `undefined` when there is no look. */
export function methodFrameOf(payment: Payment): { readonly path: string; readonly url: string } | undefined {
  const { sessionId, method } = payment.threeDs ?? {};
  if (!waitsForMethod(payment) || sessionId === undefined || !method) return undefined;
  return { path: methodPath(sessionId), url: method.url };
}

/** @returns `undefined`: no payment waits for a look (any more). */
export async function openMethod({ payments, config }: Deps, sessionId: string): Promise<MethodCall | undefined> {
  const payment = await payments.findByThreeDsSession(sessionId);
  const url = payment?.threeDs?.method?.url;
  if (!payment || url === undefined || !waitsForMethod(payment)) return undefined;
  const threeDSMethodNotificationURL = `${config.publicBaseUrl}${methodPath(sessionId)}`;
  const threeDSServerTransID = messageIdOf(payment.threeDs ?? {});
  return { url, methodData: encodeMessage({ threeDSServerTransID, threeDSMethodNotificationURL }) };
}

/**
 * The issuer is asked now. A second time, and when the time was up, nothing changes.
 * @param methodData as the issuer's page posted it; absent where the browser runs no scripts, so that no look is possible.
 * @returns false when there is no such look, or the message belongs to another one.
 */
export async function completeMethod(deps: Deps, sessionId: string, methodData: string | undefined): Promise<boolean> {
  const payment = await deps.payments.findByThreeDsSession(sessionId);
  if (!payment?.threeDs?.method) return false;
  if (methodData !== undefined && !isOfSession(decodeMessage(methodData), messageIdOf(payment.threeDs))) return false;
  const completion = methodData === undefined ? 'N' : 'Y';
  const done = await deps.payments.update(payment, (current) => planMethodDone(current, completion, deps.clock.now()));
  if (!done?.work) return true;
  const { txId, gen, kind } = done.work;
  void deps.nudges.add(workPayment[kind], { paymentId: done._id, txId, gen, traceId: done.traceId });
  return true;
}
