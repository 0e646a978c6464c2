import { defineJob, idField } from './define-job.js';

/** Verify and decrypt a wallet token that is sealed in MongoDB. */
export const openWalletToken = defineJob<{ readonly openingId: string; readonly traceId: string }>({
  name: 'open-wallet-token',
  queue: 'wallet',
  payload: { openingId: idField, traceId: idField },
  jobId: ({ openingId }) => openingId,
});
