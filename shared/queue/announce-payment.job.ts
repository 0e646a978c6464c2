/** Nudge for the callback pool: a payment has events to announce. */
import { Joi } from '../contract/joi.js';
import { defineJob, idField } from './define-job.js';

export interface AnnounceNudge {
  readonly paymentId: string;
  /** Sequence number of the newest event. */
  readonly seq: number;
}

export const announcePayment = defineJob<AnnounceNudge>({
  name: 'announce-payment',
  queue: 'callback',
  payload: { paymentId: idField, seq: Joi.number().integer().min(1).required() },
  jobId: ({ paymentId, seq }) => `${paymentId}_${seq}`,
});
