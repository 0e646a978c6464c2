/** What a worker must do next, as it is stored in the payment. */
import { clearable, count, oneOf, record, type Stored, text, time } from '../described.js';

export const operationKinds = ['authorize', 'capture', 'cancel', 'refund'] as const;
export type OperationKind = (typeof operationKinds)[number];
const processorWorkKinds = [...operationKinds, 'inquire', 'reverse'] as const;
/** What the processor pool must do: send an operation, ask what became of it, or take it back. */
export type ProcessorWorkKind = (typeof processorWorkKinds)[number];
const threeDsWorkKinds = ['authenticate', 'await-challenge', 'conclude'] as const;
/**
 * What the threeds pool must do: begin an authentication, look now and then whether the payer has answered the issuer, or fetch
 * the result because the payer is back or the time is up.
 */
export type ThreeDsWorkKind = (typeof threeDsWorkKinds)[number];
const qrWorkKinds = ['issue-code', 'await-transfer'] as const;
/** What the qr pool must do: have a code issued, or ask whether it was paid. */
export type QrWorkKind = (typeof qrWorkKinds)[number];
const workKinds = [...processorWorkKinds, ...threeDsWorkKinds, ...qrWorkKinds] as const;
/** What a worker must do now. */
export type WorkKind = (typeof workKinds)[number];
export const workQueues = ['processor', 'threeds', 'qr'] as const;
/** Queue, pool and folder are one. */
export type WorkQueue = (typeof workQueues)[number];

const attempt = record({
  token: text,
  startedAt: time,
  /** Of a stored claim (docs/reliability.md, "Two writes"): a worker that never wrote a claim may have sent it. */
  atInsert: clearable(oneOf(true)),
});

export const work = record({
  queue: oneOf(...workQueues),
  kind: oneOf(...workKinds),
  txId: text,
  dueAt: time,
  /** Grows when a sweep enqueues it again after a lease ran out: a job id is never used twice. */
  gen: count,
  leaseToken: clearable(text),
  /** Epoch when free; compared with the database's clock. */
  leaseUntil: time,
  /** Tries in vain of this phase of the work: which they are, and what they bound, plan-unresolved.ts says for the processor's work. */
  tries: count,
  /** Written before a byte leaves for the processor. Inherited from another claim, it means: inquire, do not send. */
  attempt: clearable(attempt),
});
export interface Work extends Stored<typeof work> {}
