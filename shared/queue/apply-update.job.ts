import { defineJob, idField } from './define-job.js';

/** Apply what a processor sent by itself. */
export const applyProcessorUpdate = defineJob<{ readonly updateId: string; readonly traceId: string }>({
  name: 'apply-update',
  queue: 'processor',
  payload: { updateId: idField, traceId: idField },
  jobId: ({ updateId }) => updateId,
});
