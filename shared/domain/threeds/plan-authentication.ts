/**
 * What an authentication does to its payment (docs/decisions.md, outcome table). Pure. Each step is one write: the next work, or
 * the deadline of the payer, or the end, is part of it, so that a process that dies in between leaves nothing half done.
 */

import { defined } from '../defined.js';
import { announceUnchanged, applyMoves, submittedFirst } from '../payment/apply-moves.js';
import { noCallerWaits } from '../payment/awaited.js';
import type { Envelope, Payment } from '../payment/payment.js';
import type { PlanContext } from '../payment/plan-context.js';
import { handOn, newWork, nextWork } from '../payment/work.js';
import { after } from '../time.js';
import {
  type Authentication,
  type AuthenticationError,
  type AuthenticationStatus,
  shiftsLiability,
  type TransStatus,
  twoDigitEci,
} from './authentication.js';

/** What the issuer's answer says of the authentication, whatever it is. */
interface Answer {
  readonly version?: string;
  readonly transStatus?: TransStatus;
  readonly eci?: string;
  readonly dsTransactionId?: string;
}

export interface Proof extends Answer {
  readonly transStatus: TransStatus;
  /** The sealed authentication value (CAVV), where the issuer gave one. */
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

/** The payer is at the issuer's page: there is a deadline, and at most an inquiry now and then whether there is an answer. */
export const waitsForPayer = ({ deadline, work }: Payment): boolean =>
  deadline?.kind === 'challenge' && (!work || work.kind === 'await-challenge');

/** The next look at the provider; none when it would come after the deadline, which looks for itself. */
function nextLook({ work }: Payment, deadlineAt: Date, { now, schedule }: PlanContext) {
  const dueAt = after(now, schedule.challengeAskMs);
  return work && dueAt < deadlineAt ? nextWork(work, 'await-challenge', dueAt, 0) : undefined;
}

/** Nothing is to be authenticated: on to the processor. */
export function planHandOn(payment: Payment, context: PlanContext): Payment {
  if (!payment.work) return payment;
  return { ...payment, updatedAt: context.now, work: handOn(payment.work, 'authorize', context.now) };
}

/** Authenticated (or the attempt is proven): the proof and the authorization as next work, in one write. */
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

/** The issuer wants to ask the payer: `pending`, with a page to go to and a time to come back. */
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
  // A caller who waited in vain got `pending` without the page: the page itself is announced then.
  const announced =
    payment.status === 'created' ? applyMoves(waiting, ['submitted'], context) : announceUnchanged(waiting, context);
  // A caller who still waits gets the answer now: a later result is announced at once.
  return { ...announced, awaitedUntil: noCallerWaits(context.now) };
}

/** Not authenticated: nothing was sent and nothing will be. The planned transaction is dropped. */
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

/** Refused by issuer or payer, or it could not be done: `denied`. */
export function planRefused(payment: Payment, refused: Refused, context: PlanContext): Payment {
  return applyMoves(ended(payment, refused, context), [...submittedFirst(payment), 'declined'], context);
}

/** The payer did not answer in time: `failed`. */
export function planExpired(payment: Payment, context: PlanContext): Payment {
  const end = { status: 'expired', error: 'authentication-failed' } as const;
  return applyMoves(ended(payment, end, context), [...submittedFirst(payment), 'failed'], context);
}

/** The result is to be fetched now. A look that is under way is overtaken: it may have looked before there was an answer. */
function concluding(payment: Payment, now: Date): Payment | undefined {
  const { transactions, work } = payment;
  const [tx] = transactions;
  if (!tx || !waitsForPayer(payment)) return undefined;
  const next = work ? nextWork(work, 'conclude', now, 0) : newWork('conclude', tx.id, now);
  return { ...payment, updatedAt: now, awaitedUntil: noCallerWaits(now), work: next };
}

/**
 * The time of a challenge is up: the provider is asked a last time, since the payer may have answered and closed the window.
 * Without a deadline the payer is waited for no longer. A result that is to be fetched already says how it ends: its deadline goes,
 * so that no sweep finds it again and again. `undefined`: not due.
 */
export function planChallengeDeadline(payment: Payment, now: Date): Payment | undefined {
  const { deadline } = payment;
  if (!deadline || deadline.at > now) return undefined;
  const isConcluding = payment.work?.kind === 'conclude';
  const last = isConcluding ? { ...payment, updatedAt: now } : concluding(payment, now);
  return last && { ...last, deadline: undefined };
}

/**
 * The payer is back: the result is to be fetched from the provider. `undefined` when no payer is waited for any more, or the
 * time is up (a late way back changes nothing).
 */
export function planReturn(payment: Payment, now: Date): Payment | undefined {
  return payment.deadline && payment.deadline.at > now ? concluding(payment, now) : undefined;
}

/** There is no answer yet: the payer is waited for as before, and the provider is asked again later. Once more where the time is up. */
export function planWaitOn(payment: Payment, context: PlanContext): Payment {
  const { deadline, work } = payment;
  if (!deadline) return { ...payment, work: work && nextWork(work, 'conclude', context.now, 0) };
  return { ...payment, work: nextLook(payment, deadline.at, context) };
}
