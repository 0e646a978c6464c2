/** A pool whose machine has a wrong clock, on the real Redis. */
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { workJobsOf, workPayment } from '../../shared/queue/work-payment.job.js';
import { onJob, type Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { until } from '../support/patience.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type OpenNudges, openNudges } from './open-nudges.js';

const log = createLog('test', 'silent');
const metrics = createMetrics({ process: 'test' });
const redisPrefix = testRedisPrefix('off-clock');
let own: OpenNudges;
let running: RunningPool | undefined;

beforeAll(async () => {
  own = await openNudges(redisPrefix, log);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(async () => {
  await own?.close();
});

test('a pool takes neither jobs nor what its sweep would find until the clock is right, then both', async () => {
  const done: string[] = [];
  const asked = { mayTakeWork: 0, sweeps: 0 };
  let clockIsRight = false;
  const pool: Pool = {
    name: 'processor',
    jobs: workJobsOf('processor').map((job) => onJob(job, async ({ paymentId }) => void done.push(paymentId))),
    sweep: async () => {
      asked.sweeps += 1;
      return { found: 0, more: false };
    },
    close: async () => undefined,
  };
  const mayTakeWork = () => {
    asked.mayTakeWork += 1;
    return clockIsRight;
  };
  running = runPool(pool, {
    redisUrl: testRedisUrl(),
    redisPrefix,
    concurrency: 4,
    mayTakeWork,
    log,
    metrics,
  });
  await own.nudges.add(workPayment.authorize, { paymentId: 'pay_early', txId: 'txn_1', gen: 1, traceId: 'trace' });
  // At least three sweeps have asked, so that anything that could be taken would have been.
  await until(() => asked.mayTakeWork > 3);
  expect({ done, sweeps: asked.sweeps }).toEqual({ done: [], sweeps: 0 });
  clockIsRight = true;
  await until(() => asked.sweeps > 0);
  await own.nudges.add(workPayment.authorize, { paymentId: 'pay_late', txId: 'txn_2', gen: 1, traceId: 'trace' });
  // The job that was not taken stayed in the queue, for another process or for later.
  await until(() => done.includes('pay_late') && done.includes('pay_early'));
});

test('when a clock goes wrong, held nudges are not begun, and new ones are taken when it is right again', async () => {
  const done: string[] = [];
  const asked = { off: 0, sweeps: 0 };
  let clockIsRight = true;
  const pool: Pool = {
    name: 'processor',
    jobs: workJobsOf('processor').map((job) =>
      onJob(job, async ({ paymentId }) => {
        done.push(paymentId);
        clockIsRight = paymentId !== 'pay_0';
      }),
    ),
    sweep: async () => {
      asked.sweeps += 1;
      return { found: 0, more: false };
    },
    close: async () => undefined,
  };
  const mayTakeWork = () => {
    if (!clockIsRight) asked.off += 1;
    return clockIsRight;
  };
  const add = (names: readonly string[]) =>
    Promise.all(
      names.map((paymentId) =>
        own.nudges.add(workPayment.authorize, { paymentId, txId: 't', gen: 1, traceId: 'trace' }),
      ),
    );
  running = runPool(pool, {
    redisUrl: testRedisUrl(),
    redisPrefix,
    concurrency: 4,
    mayTakeWork,
    log,
    metrics,
  });
  await add(['pay_0', 'pay_1', 'pay_2']);
  // Two of the nudges ask, and a sweep, which pauses the queue.
  await until(() => asked.off > 3);
  const { sweeps } = asked;
  expect(done).toEqual(['pay_0']);
  clockIsRight = true;
  await until(() => asked.sweeps > sweeps);
  await add(['pay_3']);
  await until(() => done.includes('pay_3'));
  expect(done).toEqual(['pay_0', 'pay_3']);
});
