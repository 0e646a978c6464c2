/** Process of floor F3, the limit of the queue alone: jobs are only added, processed and completed, with a fixed number in flight. */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { answerRequests } from '../child.mjs';
import { runClosedLoop } from './closed-loop.mjs';

const NAME = 'floor';
const url = String(process.env.REDIS_URL);
const prefix = `{${process.env.REDIS_PREFIX}-floor}`;
const redis = () => new Redis(url, { maxRetriesPerRequest: null });

/** @type {Map<string, () => void>} */
const waiting = new Map();
const queue = new Queue(NAME, { connection: redis(), prefix, skipMetasUpdate: true });
const worker = new Worker(NAME, async (job) => waiting.get(job.data.paymentId)?.(), {
  connection: redis(),
  prefix,
  concurrency: 256,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
});
await worker.waitUntilReady();

/** Resolves when the job has run. @param {string} id */
async function runJob(id) {
  const done = new Promise((resolve) => {
    waiting.set(id, () => resolve(undefined));
  });
  const data = { paymentId: id, txId: `txn_${id}`, gen: 1, traceId: id, replyTo: 'floor:reply' };
  await queue.add('authorize-payment', data, { jobId: `${id}_1`, removeOnComplete: true, removeOnFail: true });
  await done;
  waiting.delete(id);
}

answerRequests({ run: (order) => runClosedLoop(order, (serial) => runJob(`pay_${order.run}-${serial}`)) });
