import { defineJob, idField } from './define-job.js';

/** Draw the address of a payment link as a QR code. */
export const drawLinkPicture = defineJob<{ readonly linkId: string; readonly traceId: string }>({
  name: 'draw-link-picture',
  queue: 'qr',
  payload: { linkId: idField, traceId: idField },
  jobId: ({ linkId }) => `draw-${linkId}`,
});
