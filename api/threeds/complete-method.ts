/**
 * The issuer's inspection of the payer's browser (3DS method): what the hidden frame of the checkout sends to the issuer, and the
 * issuer's notice that it is done. The notice comes through the browser, so it only signals "ask now"
 * (docs/security.md#challenge-results).
 */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { messageIdOf } from '../../shared/domain/threeds/authentication.js';
import { planMethodDone, waitsForMethod } from '../../shared/domain/threeds/plan-method.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import type { ApiDeps } from '../deps.js';
import { decodeMessage, encodeMessage, isOfSession } from './threeds-messages.js';

/** Content that the frame posts to the issuer. */
export interface MethodCall {
  readonly url: string;
  /** `threeDSMethodData`. */
  readonly methodData: string;
}

type Deps = Pick<ApiDeps, 'payments' | 'nudges' | 'clock' | 'config'>;

export const methodPath = (sessionId: string) => `/threeds/method/${sessionId}`;

/** Returns the path of the hidden frame and the issuer's address for the page of a payment; `undefined` when no inspection is pending. */
export function methodFrameOf(payment: Payment): { readonly path: string; readonly url: string } | undefined {
  const { sessionId, method } = payment.threeDs ?? {};
  if (!waitsForMethod(payment) || sessionId === undefined || !method) return undefined;
  return { path: methodPath(sessionId), url: method.url };
}

/** @returns `undefined` when no payment waits for an inspection. */
export async function openMethod({ payments, config }: Deps, sessionId: string): Promise<MethodCall | undefined> {
  const payment = await payments.findByThreeDsSession(sessionId);
  const url = payment?.threeDs?.method?.url;
  if (!payment || url === undefined || !waitsForMethod(payment)) return undefined;
  const threeDSMethodNotificationURL = `${config.publicBaseUrl}${methodPath(sessionId)}`;
  const threeDSServerTransID = messageIdOf(payment.threeDs ?? {});
  return { url, methodData: encodeMessage({ threeDSServerTransID, threeDSMethodNotificationURL }) };
}

/**
 * Lets a worker ask the issuer now. Nothing changes when the notice comes a second time, or after the time limit.
 * @param methodData the message that the issuer's page posted; absent when the browser runs no scripts, so that no inspection is possible.
 * @returns false when there is no such inspection, or the message belongs to another one.
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
