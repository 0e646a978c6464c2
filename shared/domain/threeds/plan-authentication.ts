/**
 * Plans what an authentication does to its payment (docs/decisions.md, outcome table). Pure. Each step is one write that contains the next
 * work, the payer's deadline or the end, so that a process that dies in between leaves nothing half done.
 */

import { defined } from '../defined.js';
import { announceUnchanged, applyMoves, submittedFirst } from '../payment/apply-moves.js';
import { noCallerWaits } from '../payment/awaited.js';
import type { Envelope, Payment } from '../payment/payment.js';
import type { PlanContext } from '../payment/plan-context.js';
import { newWork, nextWork, workForNextPool } from '../payment/work.js';
import { after } from '../time.js';
import {
  type Authentication,
  type AuthenticationError,
  type AuthenticationStatus,
  shiftsLiability,
  type TransStatus,
  twoDigitEci,
} from './authentication.js';

/** What every answer of the issuer may say about the authentication. */
interface Answer {
  readonly version?: string;
  readonly transStatus?: TransStatus;
  readonly eci?: string;
  readonly dsTransactionId?: string;
}

export interface Proof extends Answer {
  readonly transStatus: TransStatus;
  /** The sealed authentication value (CAVV), if the issuer gave one. */
  readonly value?: Envelope;
}

export interface Challenge extends Answer {
  readonly acsUrl: string;
  readonly acsTransactionId: string;
  readonly pageUrl: string;
  readonly reference?: string;
}

export interface Refused extends Answer {
  readonly status: AuthenticationStatus;
  readonly error: AuthenticationError;
}

function authenticationOf(payment: Payment): Authentication {
  if (!payment.threeDs) throw new Error(`payment ${payment._id} has no authentication`);
  return payment.threeDs;
}

const answered = ({ version, transStatus, eci, dsTransactionId }: Answer): Answer => ({
  ...defined({ version, transStatus, dsTransactionId }),
  ...(eci !== undefined && { eci: twoDigitEci(eci) }),
});

/** Whether the payer is at the issuer's page: there is a deadline, and no work except inquiring now and then for an answer. */
export const waitsForPayer = ({ deadline, work }: Payment): boolean =>
  deadline?.kind === 'challenge' && (!work || work.kind === 'await-challenge');

/** Returns the work of the next inquiry at the provider; none when it would be after the deadline, which inquires itself. */
function nextLook({ work }: Payment, deadlineAt: Date, { now, schedule }: PlanContext) {
  const dueAt = after(now, schedule.challengeAskMs);
  return work && dueAt < deadlineAt ? nextWork(work, 'await-challenge', dueAt, 0) : undefined;
}

/** Hands the payment to the pool `processor`, because nothing (more) is to be authenticated. */
export function planHandOn(payment: Payment, context: PlanContext): Payment {
  if (!payment.work) return payment;
  return { ...payment, updatedAt: context.now, work: workForNextPool(payment.work, 'authorize', context.now) };
}

/** Stores the proof that the payer was authenticated (or that the attempt was made), with the authorization as next work, in one write. */
export function planAuthenticated(payment: Payment, proof: Proof, context: PlanContext): Payment {
  const before = authenticationOf(payment);
  const challenged = before.status === 'step-up-required';
  const known = { ...before, ...answered(proof) };
  const threeDs: Authentication = {
    ...known,
    status: challenged ? 'authenticated' : 'frictionless',
    flow: challenged ? 'challenge' : 'frictionless',
    liabilityShift: shiftsLiability(proof.transStatus, known.eci, payment.paymentMethod.id),
    updatedAt: context.now,
    completedAt: context.now,
  };
  return planHandOn(
    {
      ...payment,
      threeDs,
      deadline: undefined,
      ...(proof.value && { authenticationValue: proof.value }),
      authorizeBy: after(context.now, context.schedule.authorizeWithinMs),
    },
    context,
  );
}

/** Stores the issuer's challenge: the payment is `pending`, with the page for the payer and the deadline for coming back. */
export function planChallenge(payment: Payment, challenge: Challenge, context: PlanContext): Payment {
  const at = after(context.now, context.schedule.challengeMs);
  const { acsUrl, acsTransactionId, pageUrl, reference } = challenge;
  const threeDs: Authentication = {
    ...authenticationOf(payment),
    ...answered(challenge),
    status: 'step-up-required',
    flow: 'challenge',
    challenge: { acsUrl, acsTransactionId, pageUrl },
    ...(reference !== undefined && { reference }),
    updatedAt: context.now,
  };
  const waiting: Payment = {
    ...payment,
    updatedAt: context.now,
    threeDs,
    work: nextLook(payment, at, context),
    deadline: { kind: 'challenge', at },
    authorizeBy: after(at, context.schedule.authorizeWithinMs),
  };
  // A caller who stopped waiting got `pending` without the page, so the page is announced.
  const announced =
    payment.status === 'created' ? applyMoves(waiting, ['submitted'], context) : announceUnchanged(waiting, context);
  // A caller who still waits gets the answer now, so a later result is announced at once.
  return { ...announced, awaitedUntil: noCallerWaits(context.now) };
}

/** Ends a payment that was not authenticated: nothing was sent and nothing will be. The planned transaction is dropped. */
function ended(payment: Payment, { status, error, ...answer }: Refused, context: PlanContext): Payment {
  const threeDs: Authentication = {
    ...authenticationOf(payment),
    ...answered(answer),
    status,
    error,
    liabilityShift: false,
    updatedAt: context.now,
    completedAt: context.now,
  };
  return {
    ...payment,
    threeDs,
    transactions: [],
    processedAt: context.now,
    work: undefined,
    deadline: undefined,
    cvc: undefined,
    cvcDestroyAt: undefined,
    authenticationValue: undefined,
    ...(payment.card && { cardDestroyAt: after(context.now, context.schedule.cardDestroyMs) }),
  };
}

/** Ends the payment as `denied`: the issuer or the payer refused, or the authentication could not be performed. */
export function planRefused(payment: Payment, refused: Refused, context: PlanContext): Payment {
  return applyMoves(ended(payment, refused, context), [...submittedFirst(payment), 'declined'], context);
}

/** Ends the payment as `failed`: the payer did not answer in time. */
export function planExpired(payment: Payment, context: PlanContext): Payment {
  const end = { status: 'expired', error: 'authentication-failed' } as const;
  return applyMoves(ended(payment, end, context), [...submittedFirst(payment), 'failed'], context);
}

/** Makes fetching the result the next work. It replaces an inquiry that is under way, which may have asked before there was an answer. */
function concluding(payment: Payment, now: Date): Payment | undefined {
  const { transactions, work } = payment;
  const [tx] = transactions;
  if (!tx || !waitsForPayer(payment)) return undefined;
  const next = work ? nextWork(work, 'conclude', now, 0) : newWork('conclude', tx.id, now);
  return { ...payment, updatedAt: now, awaitedUntil: noCallerWaits(now), work: next };
}

/**
 * Ends the time of a challenge. The provider is asked a last time, since the payer may have answered and closed the window. Without a
 * deadline, the payment no longer waits for the payer. If the result is to be fetched already, only the deadline is removed, so that no
 * sweep finds the payment again and again. `undefined`: not due.
 */
export function planChallengeDeadline(payment: Payment, now: Date): Payment | undefined {
  const { deadline } = payment;
  if (!deadline || deadline.at > now) return undefined;
  const isConcluding = payment.work?.kind === 'conclude';
  const last = isConcluding ? { ...payment, updatedAt: now } : concluding(payment, now);
  return last && { ...last, deadline: undefined };
}

/**
 * Plans fetching the result from the provider because the payer is back. `undefined` when the payment does not wait for the payer any
 * more, or the time is up (coming back late changes nothing).
 * @param answered whether the payer brought the issuer's message that the challenge is over
 */
export function planReturn(payment: Payment, now: Date, answered = false): Payment | undefined {
  const returned = payment.deadline && payment.deadline.at > now ? concluding(payment, now) : undefined;
  const { threeDs } = payment;
  if (!returned || !answered || !threeDs?.challenge) return returned;
  return { ...returned, threeDs: { ...threeDs, challenge: { ...threeDs.challenge, answeredAt: now } } };
}

/** Continues to wait, because there is no answer yet: the provider is asked again later, or again at once when the time is up. */
export function planKeepWaiting(payment: Payment, context: PlanContext): Payment {
  const { deadline, work } = payment;
  if (!deadline) return { ...payment, work: work && nextWork(work, 'conclude', context.now, 0) };
  return { ...payment, work: nextLook(payment, deadline.at, context) };
}
