/** What a worker must do next, as it is stored in the payment. */
import { clearable, count, oneOf, record, type Stored, text, time } from '../described.js';

export const operationKinds = ['authorize', 'capture', 'cancel', 'refund'] as const;
export type OperationKind = (typeof operationKinds)[number];
const processorWorkKinds = [...operationKinds, 'inquire', 'reverse'] as const;
/** What the processor pool must do: send an operation, inquire about it, or reverse it. */
export type ProcessorWorkKind = (typeof processorWorkKinds)[number];
const threeDsWorkKinds = ['authenticate', 'await-challenge', 'conclude'] as const;
/**
 * What the threeds pool must do: begin an authentication, check now and then whether the payer has answered the issuer, or fetch
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
/** Queue, pool and folder have the same name. */
export type WorkQueue = (typeof workQueues)[number];

const attempt = record({
  token: text,
  startedAt: time,
  /** Set for a claim that the insert stored (docs/reliability.md, "Two writes"): a worker may have sent without writing a claim. */
  atInsert: clearable(oneOf(true)),
});

export const work = record({
  queue: oneOf(...workQueues),
  kind: oneOf(...workKinds),
  txId: text,
  dueAt: time,
  /** Grows with each step, and when a sweep enqueues the work again after a lease ran out: a job id is never used twice. */
  gen: count,
  leaseToken: clearable(text),
  /** Epoch when free; compared with the database's clock. */
  leaseUntil: time,
  /** Tries without a result in this phase of the work. For the processor's work, plan-unresolved.ts says what they count and bound. */
  tries: count,
  /** Written before a byte is sent to the processor. An attempt of an earlier claim means: inquire, do not send. */
  attempt: clearable(attempt),
});
export interface Work extends Stored<typeof work> {}
