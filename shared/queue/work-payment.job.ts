/** Nudges about the work of payments. Each kind of work has its own name, for dashboards. What to do is read from the payment. */

import { limits } from '../../config/limits.js';
import { Joi } from '../contract/joi.js';
import type { WorkKind, WorkQueue } from '../domain/payment/payment.js';
import { queueOf } from '../domain/payment/work.js';
import { defineJob, idField, type JobDefinition } from './define-job.js';

export interface WorkNudge {
  readonly paymentId: string;
  readonly txId: string;
  readonly gen: number;
  readonly traceId: string;
  /** Channel of the API process whose caller waits. */
  readonly replyTo?: string;
  /**
   * Only in a first nudge: the token of the stored claim, which the worker that gets the nudge holds. Other releases know the field
   * by this name.
   */
  readonly first?: string | undefined;
}

const define = (kind: WorkKind, name = `${kind}-payment`) =>
  defineJob<WorkNudge>({
    name,
    queue: queueOf[kind],
    payload: {
      paymentId: idField,
      txId: idField,
      gen: Joi.number().integer().min(1).required(),
      traceId: idField,
      replyTo: Joi.string().max(limits.jobReplyToLengthMax),
      first: Joi.string().max(limits.jobTokenLengthMax),
    },
    jobId: ({ txId, gen }) => `${txId}_${gen}`,
  });

export const workPayment = {
  authorize: define('authorize'),
  capture: define('capture'),
  cancel: define('cancel'),
  refund: define('refund'),
  inquire: define('inquire'),
  reverse: define('reverse'),
  authenticate: define('authenticate'),
  'await-challenge': define('await-challenge', 'await-challenge'),
  conclude: define('conclude', 'conclude-authentication'),
  'issue-code': define('issue-code', 'issue-code'),
  'await-transfer': define('await-transfer', 'await-transfer'),
} as const satisfies Record<WorkKind, JobDefinition<WorkNudge>>;

/** The nudges of one pool. */
export const workJobsOf = (queue: WorkQueue): JobDefinition<WorkNudge>[] =>
  Object.values(workPayment).filter((job) => job.queue === queue);
