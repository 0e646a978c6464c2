/** Builds and reads the work of a payment: what a worker must do next. Pure. */
import { after, noLease } from '../time.js';
import type { OperationKind, Payment, Work, WorkKind, WorkQueue } from './payment.js';

/** The pool of each kind of work. */
export const queueOf = {
  authorize: 'processor',
  capture: 'processor',
  cancel: 'processor',
  refund: 'processor',
  inquire: 'processor',
  reverse: 'processor',
  authenticate: 'threeds',
  'await-challenge': 'threeds',
  conclude: 'threeds',
  'issue-code': 'qr',
  'await-transfer': 'qr',
} as const satisfies Record<WorkKind, WorkQueue>;

/** Returns the kinds of work of a pool. */
export const kindsOf = (queue: WorkQueue): WorkKind[] =>
  (Object.keys(queueOf) as WorkKind[]).filter((kind) => queueOf[kind] === queue);

/** Builds new work that is due at `dueAt` and not claimed. */
export function newWork(kind: WorkKind, txId: string, dueAt: Date): Work {
  return { queue: queueOf[kind], kind, txId, dueAt, gen: 1, leaseUntil: noLease, tries: 0 };
}

/**
 * Builds the authorization of a new payment with a stored claim: the worker that gets the token with the first nudge calls the processor
 * without writing a claim before. Only for a processor that dedupes by our key (docs/reliability.md, "Two writes").
 * @param leaseMs how long the first nudge may take; after that every worker may claim the work.
 */
export function newClaimedWork(txId: string, now: Date, token: string, leaseMs: number): Work {
  const leaseUntil = after(now, leaseMs);
  const attempt = { token, startedAt: now, atInsert: true } as const;
  return { ...newWork('authorize', txId, now), leaseToken: token, leaseUntil, attempt };
}

/** Returns the token of the claim that the insert stored; `undefined`: it stored none. */
export const storedClaimOf = ({ work }: Payment): string | undefined =>
  work?.attempt?.atInsert ? work.attempt.token : undefined;

/** Builds the next pool's work on the same transaction. Nothing was sent to a processor yet, so it starts without an attempt. */
export function workForNextPool(work: Work, kind: WorkKind, dueAt: Date): Work {
  return { ...newWork(kind, work.txId, dueAt), gen: work.gen + 1 };
}

/**
 * Builds the next step of the same transaction (inquire, reverse, or the same again). The step keeps the attempt, which proves that
 * something may have been sent, and increases `gen`, so that the next nudge is never mistaken for the last.
 */
export function nextWork(work: Work, kind: WorkKind, dueAt: Date, tries: number): Work {
  const { leaseToken: _released, ...rest } = work;
  return { ...rest, kind, dueAt, tries, gen: work.gen + 1, leaseUntil: noLease };
}

/** Builds work that sends the operation again without an attempt: it certainly did not happen, or the processor dedupes. */
export function sendAgain(work: Work, kind: OperationKind, dueAt: Date, tries: number): Work {
  const { attempt: _nothingSent, ...rest } = nextWork(work, kind, dueAt, tries);
  return rest;
}

/** Token of the attempt of work that was in progress in a backup: the operation may have been sent after the backup. */
export const RESTORED = 'restored';

/** Whether nothing knows the result of the attempt: the processor's keys are only in our database, which was restored. */
export const isLostByRestore = ({ attempt }: Work, traits: { readonly outcomesKeptHere?: true }): boolean =>
  traits.outcomesKeptHere === true && attempt?.token === RESTORED;

/** Returns the operation that the work is for: without an operation of a caller or of the gateway, the authorization. */
export function operationInProgress(payment: Payment): OperationKind {
  return payment.activeOp?.kind ?? 'authorize';
}

/** Whether the work is to reverse this transaction: then only the reversal decides how the transaction ends. */
export const isReversing = ({ work }: Payment, txId: string): boolean => work?.kind === 'reverse' && work.txId === txId;
