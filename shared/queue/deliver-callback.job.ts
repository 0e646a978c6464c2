/** Nudge for the callback pool: a delivery that is stored already is due now. */

import { limits } from '../../config/limits.js';
import { Joi } from '../contract/joi.js';
import { defineJob, idField } from './define-job.js';

export interface DeliverNudge {
  /** `<paymentId>:<seq>`; for an event of a session `<sessionId>:<seq>`. */
  readonly deliveryId: string;
  /** Different for each replay: BullMQ ignores a job id that is used again while it keeps the old job. */
  readonly traceId: string;
}

export const deliverCallback = defineJob<DeliverNudge>({
  name: 'deliver-callback',
  queue: 'callback',
  payload: { deliveryId: Joi.string().max(limits.jobDeliveryIdLengthMax).required(), traceId: idField },
  jobId: ({ deliveryId, traceId }) => `${deliveryId.replaceAll(':', '_')}_${traceId}`,
});
