/** Hints for the processor pool, one name per kind of work: what a dashboard shows. What is done is read from the payment. */
import Joi from 'joi';
import type { WorkKind } from '../domain/payment/payment.js';
import { defineJob, idField, type JobDefinition } from './define-job.js';

export interface WorkHint {
  readonly paymentId: string;
  readonly txId: string;
  readonly gen: number;
  readonly traceId: string;
  /** Channel of the API process whose caller waits. */
  readonly replyTo?: string;
}

const define = (name: string) =>
  defineJob<WorkHint>({
    name,
    queue: 'processor',
    payload: {
      paymentId: idField,
      txId: idField,
      gen: Joi.number().integer().min(1).required(),
      traceId: idField,
      replyTo: Joi.string().max(120),
    },
    jobId: ({ txId, gen }) => `${txId}_${gen}`,
  });

export const workPayment = {
  authorize: define('authorize-payment'),
  capture: define('capture-payment'),
  cancel: define('cancel-payment'),
  refund: define('refund-payment'),
  inquire: define('inquire-payment'),
  reverse: define('reverse-payment'),
} as const satisfies Record<WorkKind, JobDefinition<WorkHint>>;
