/**
 * The 3DS method (EMV 3DS 2.2, "3DS Method"): before the authentication request, the issuer may look at the payer's browser in a hidden
 * frame of the checkout page. This is worth only a short wait: without it the issuer is asked all the same. Pure.
 */
import type { Payment } from '../payment/payment.js';
import type { PlanContext } from '../payment/plan-context.js';
import { nextWork } from '../payment/work.js';
import { after } from '../time.js';
import type { MethodCompletion } from './authentication.js';

/** Whether the issuer can look at a browser before the payment is answered: only when the payer is at the checkout page. */
export const hasBrowser = ({ sessionId }: Payment): boolean => sessionId !== undefined;

/** Whether the 3DS method may be running: the page shows the issuer's frame, and the process that waits for the payment is notified. */
export const waitsForMethod = ({ threeDs, work }: Payment): boolean =>
  work?.kind === 'authenticate' && threeDs?.method !== undefined && threeDs.method.completion === undefined;

/** Returns `threeDSCompInd` for the issuer: `N` when the time was up, `U` when the issuer wanted no 3DS method or none was possible. */
export const methodCompletionOf = ({ threeDs }: Payment): MethodCompletion =>
  threeDs?.method ? (threeDs.method.completion ?? 'N') : 'U';

/** Address of the issuer's frame, and the provider's reference and protocol version of the session. */
interface MethodFrame {
  readonly url: string;
  readonly prepared?: { readonly reference: string; readonly version: string };
}

/** Delays the authentication request until the issuer has looked at the browser, or the time is up. */
export function planMethod(
  payment: Payment,
  { url, prepared }: MethodFrame,
  { now, schedule }: PlanContext,
): Payment | undefined {
  const { threeDs, work } = payment;
  if (!threeDs || !work) return undefined;
  const endsAt = after(now, schedule.threeDsMethodMs);
  return {
    ...payment,
    threeDs: { ...threeDs, ...prepared, method: { url, endsAt }, updatedAt: now },
    // The provider was reached, so its failed tries do not count: the authentication itself has not been asked for yet.
    work: nextWork(work, 'authenticate', endsAt, 0),
    updatedAt: now,
  };
}

/**
 * Sends the authentication request now: the issuer has looked (`Y`), or the browser says that it cannot (`N`).
 * `undefined`: the payment does not wait for the 3DS method, the time is up, or the issuer is being asked at this moment.
 */
export function planMethodDone(payment: Payment, completion: 'Y' | 'N', now: Date): Payment | undefined {
  const { threeDs, work } = payment;
  if (!waitsForMethod(payment) || !threeDs?.method || !work) return undefined;
  if (threeDs.method.endsAt <= now || work.leaseToken !== undefined) return undefined;
  return {
    ...payment,
    threeDs: { ...threeDs, method: { ...threeDs.method, completion }, updatedAt: now },
    work: nextWork(work, 'authenticate', now, work.tries),
    updatedAt: now,
  };
}
