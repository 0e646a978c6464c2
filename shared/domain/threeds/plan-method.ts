/**
 * The 3DS method (EMV 3DS 2.2, "3DS Method"): before the issuer is asked, it may look at the payer's browser, in a hidden frame of
 * the checkout page. It is worth a short wait and nothing more: without it the issuer is asked all the same. Pure.
 */
import type { Payment } from '../payment/payment.js';
import type { PlanContext } from '../payment/plan-context.js';
import { nextWork } from '../payment/work.js';
import { after } from '../time.js';
import type { MethodCompletion } from './authentication.js';

/** Only a payer at the checkout page has a browser at hand that can be looked at before there is an answer. */
export const hasBrowser = ({ sessionId }: Payment): boolean => sessionId !== undefined;

/** The issuer may be looking right now: the page shows its frame, and the process that waits for the payment is notified. */
export const waitsForMethod = ({ threeDs, work }: Payment): boolean =>
  work?.kind === 'authenticate' && threeDs?.method !== undefined && threeDs.method.completion === undefined;

/** What is reported to the issuer (`threeDSCompInd`): `N` when the time was up, `U` when it wanted no look or none was possible. */
export const methodCompletionOf = ({ threeDs }: Payment): MethodCompletion =>
  threeDs?.method ? (threeDs.method.completion ?? 'N') : 'U';

/** Where the issuer looks from, and what the provider knows the session and its version by. */
interface Look {
  readonly url: string;
  readonly prepared?: { readonly reference: string; readonly version: string };
}

/** The issuer wants to look: the question to it is put off until it has, or the time is up. */
export function planMethod(
  payment: Payment,
  { url, prepared }: Look,
  { now, schedule }: PlanContext,
): Payment | undefined {
  const { threeDs, work } = payment;
  if (!threeDs || !work) return undefined;
  const endsAt = after(now, schedule.threeDsMethodMs);
  return {
    ...payment,
    threeDs: { ...threeDs, ...prepared, method: { url, endsAt }, updatedAt: now },
    // The provider answers again, and has not been asked yet with what it said of the card.
    work: nextWork(work, 'authenticate', endsAt, 0),
    updatedAt: now,
  };
}

/**
 * The issuer has looked (`Y`), or the browser says that it cannot (`N`): it is asked now.
 * `undefined`: no caller waits for it, the time is up, or the issuer is being asked at this moment.
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
