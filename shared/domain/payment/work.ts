/** What a worker must do next, as a value of the payment. Pure. */
import { after, noLease } from '../time.js';
import type { OperationKind, Payment, Work, WorkKind, WorkQueue } from './payment.js';

/** Which pool does what. */
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

/** What a pool does. */
export const kindsOf = (queue: WorkQueue): WorkKind[] =>
  (Object.keys(queueOf) as WorkKind[]).filter((kind) => queueOf[kind] === queue);

/** New work, due at `dueAt`, not claimed by anybody. */
export function newWork(kind: WorkKind, txId: string, dueAt: Date): Work {
  return { queue: queueOf[kind], kind, txId, dueAt, gen: 1, leaseUntil: noLease, tries: 0 };
}

/**
 * The authorization of a new payment with its stored claim: the worker that gets its token, by the first nudge, calls the processor
 * without writing a claim before. Only for a processor that dedupes by our key (docs/reliability.md, "Two writes").
 * @param leaseMs how long the first nudge may take; after that the work is offered to everybody.
 */
export function newClaimedWork(txId: string, now: Date, token: string, leaseMs: number): Work {
  const leaseUntil = after(now, leaseMs);
  const attempt = { token, startedAt: now, atInsert: true } as const;
  return { ...newWork('authorize', txId, now), leaseToken: token, leaseUntil, attempt };
}

/** The token of the claim that the insert stored; `undefined`: it stored none. */
export const storedClaimOf = ({ work }: Payment): string | undefined =>
  work?.attempt?.atInsert ? work.attempt.token : undefined;

/** The next pool's work on the same transaction: nothing of it was sent to a processor, so it starts afresh. */
export function handOn(work: Work, kind: WorkKind, dueAt: Date): Work {
  return { ...newWork(kind, work.txId, dueAt), gen: work.gen + 1 };
}

/**
 * The same transaction's next step (inquire, reverse, or the same again). It keeps the attempt, which proves that something
 * may have been sent, and grows `gen`, so that the next nudge is never taken for the last one.
 */
export function nextWork(work: Work, kind: WorkKind, dueAt: Date, tries: number): Work {
  const { leaseToken: _released, ...rest } = work;
  return { ...rest, kind, dueAt, tries, gen: work.gen + 1, leaseUntil: noLease };
}

/** The operation, to be sent afresh: it certainly did not happen (or the processor dedupes), so the attempt is forgotten. */
export function sendAgain(work: Work, kind: OperationKind, dueAt: Date, tries: number): Work {
  const { attempt: _nothingSent, ...rest } = nextWork(work, kind, dueAt, tries);
  return rest;
}

/** The attempt of what a backup held in progress: it may have been made after the backup. */
export const RESTORED = 'restored';

/** Nothing that can be asked knows what became of the attempt: the processor knows keys by our database, and that was restored. */
export const isForgotten = ({ attempt }: Work, traits: { readonly remembersHere?: true }): boolean =>
  traits.remembersHere === true && attempt?.token === RESTORED;

/** The operation whose transaction the work is about; without an operation of a caller or of the gateway it is the authorization. */
export function operationInProgress(payment: Payment): OperationKind {
  return payment.activeOp?.kind ?? 'authorize';
}
