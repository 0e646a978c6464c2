/**
 * What an authentication does to its payment (docs/decisions.md, outcome table). Pure. Each step is one write: the next work, or
 * the deadline of the payer, or the end, stands in it, so that a process that dies in between leaves nothing half done.
 */
import { applyMoves, type Moment } from '../payment/apply-moves.js';
import type { Envelope, Payment } from '../payment/payment.js';
import { submittedIfCreated } from '../payment/plan-unresolved.js';
import { handOn, newWork } from '../payment/work.js';
import {
  type Authentication,
  type AuthenticationError,
  type AuthenticationStatus,
  shiftsLiability,
  type TransStatus,
} from './authentication.js';

export interface AuthenticationContext extends Moment {
  /** How long the payer has for a challenge. */
  readonly challengeMs: number;
  /** Nothing is sent to the processor later than this after the authentication. */
  readonly authorizeWithinMs: number;
  /** Sealed card data goes this long after the end. */
  readonly cardDestroyMs: number;
}

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
  ...(version !== undefined && { version }),
  ...(transStatus !== undefined && { transStatus }),
  ...(eci !== undefined && { eci }),
  ...(dsTransactionId !== undefined && { dsTransactionId }),
});

/** The payer is at the issuer's page: no work, and a deadline that time alone decides. */
export const waitsForPayer = ({ deadline, work }: Payment): boolean => deadline?.kind === 'challenge' && !work;

/** Nothing is to be authenticated: on to the processor. */
export function planHandOn(payment: Payment, context: AuthenticationContext): Payment {
  if (!payment.work) return payment;
  return { ...payment, updatedAt: context.now, work: handOn(payment.work, 'authorize', context.now) };
}

/** Authenticated (or the attempt is proven): the proof and the authorization as next work, in one write. */
export function planAuthenticated(payment: Payment, proof: Proof, context: AuthenticationContext): Payment {
  const before = authenticationOf(payment);
  const challenged = before.status === 'step-up-required';
  const threeDs: Authentication = {
    ...before,
    ...answered(proof),
    status: challenged ? 'authenticated' : 'frictionless',
    flow: challenged ? 'challenge' : 'frictionless',
    liabilityShift: shiftsLiability(proof.transStatus),
    updatedAt: context.now,
    completedAt: context.now,
  };
  return planHandOn(
    {
      ...payment,
      threeDs,
      deadline: undefined,
      ...(proof.value && { authenticationValue: proof.value }),
      authorizeBy: new Date(context.now.getTime() + context.authorizeWithinMs),
    },
    context,
  );
}

/** The issuer wants to ask the payer: `pending`, with a page to go to and a time to come back. */
export function planChallenge(payment: Payment, challenge: Challenge, context: AuthenticationContext): Payment {
  const at = new Date(context.now.getTime() + context.challengeMs);
  const { acsUrl, acsTransactionId, pageUrl } = challenge;
  const threeDs: Authentication = {
    ...authenticationOf(payment),
    ...answered(challenge),
    status: 'step-up-required',
    flow: 'challenge',
    challenge: { acsUrl, acsTransactionId, pageUrl },
    updatedAt: context.now,
  };
  const waiting: Payment = {
    ...payment,
    updatedAt: context.now,
    threeDs,
    work: undefined,
    deadline: { kind: 'challenge', at },
    authorizeBy: new Date(at.getTime() + context.authorizeWithinMs),
  };
  return submittedIfCreated(waiting, context);
}

/** Not authenticated: nothing was sent and nothing will be. The transaction that was to be made is none. */
function ended(payment: Payment, { status, error, ...answer }: Refused, context: AuthenticationContext): Payment {
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
    ...(payment.card && { cardDestroyAt: new Date(context.now.getTime() + context.cardDestroyMs) }),
  };
}

/** Refused by issuer or payer, or it could not be done: `denied`. */
export function planRefused(payment: Payment, refused: Refused, context: AuthenticationContext): Payment {
  const first = payment.status === 'created' ? (['submitted'] as const) : [];
  return applyMoves(ended(payment, refused, context), [...first, 'declined'], context);
}

/** The payer did not answer in time: `failed`. */
export function planExpired(payment: Payment, context: AuthenticationContext): Payment {
  const first = payment.status === 'created' ? (['submitted'] as const) : [];
  const end = { status: 'expired', error: 'authentication-failed' } as const;
  return applyMoves(ended(payment, end, context), [...first, 'failed'], context);
}

/** What the deadline of a challenge does when it is due; `undefined`: not due, or a result is being fetched. */
export function planChallengeDeadline(payment: Payment, context: AuthenticationContext): Payment | undefined {
  const { deadline } = payment;
  if (!deadline || deadline.at > context.now || !waitsForPayer(payment)) return undefined;
  // Nobody waits for it over HTTP.
  return planExpired({ ...payment, awaitedUntil: context.now }, context);
}

/**
 * The payer is back: the result is to be fetched from the provider. `undefined` when nobody is waited for any more, or the
 * time is up (a late result changes nothing).
 */
export function planReturn(payment: Payment, now: Date): Payment | undefined {
  const { deadline, transactions } = payment;
  const [tx] = transactions;
  if (!tx || !deadline || !waitsForPayer(payment) || deadline.at <= now) return undefined;
  return { ...payment, updatedAt: now, awaitedUntil: now, work: newWork('conclude', tx.id, now) };
}

/** The payer came back without having answered: waited for as before. */
export const planWaitOn = (payment: Payment): Payment => ({ ...payment, work: undefined });
