/** A client that may publish in Redis cannot forge the answer that a caller gets (docs/security.md#signed-replies). */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { storedClaimOf } from '../../shared/domain/payment/work.js';
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { createPatientRedis, type Redis } from '../../shared/queue/redis.js';
import { type Reply, ReplyKey, toReply } from '../../shared/queue/reply-channel.js';
import { openPools } from '../../workers/pools.js';
import { runPool } from '../../workers/run-pool.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/patience.js';
import { testRedisUrl } from '../support/services.js';

const DECLINED = '4000000000000002';
const log = createLog('test', 'silent');
let gateway: TestGateway;
let forger: Redis;
beforeAll(async () => {
  gateway = await startGateway({ name: 'forged', pools: [] });
  forger = createPatientRedis(testRedisUrl(), log);
});
afterAll(async () => {
  forger?.disconnect();
  await gateway?.close();
});

/** Returns the reply that a worker would send about the payment, but with an approval. */
async function approvalOf(paymentId: string): Promise<Reply> {
  const payment = await gateway.payments.findById(paymentId);
  const [tx] = payment?.transactions ?? [];
  if (!payment || !tx) throw new Error('the payment is not there');
  const approved = { ...payment, status: 'approved', transactions: [{ ...tx, status: 'approved' }] } as typeof payment;
  // The claim is a write of its own unless it was stored with the payment. A reply with another version is never applied.
  const writes = storedClaimOf(payment) === undefined ? 2 : 1;
  return { ...toReply(approved, tx.id), version: payment.version + writes };
}

async function accepted(referenceId: string): Promise<string> {
  const payments = gateway.database.collection<Payment>('payments');
  return (await until(() => payments.findOne({ referenceId }), `${referenceId} is accepted`))._id;
}

async function replyChannels(): Promise<string[]> {
  const channels = (await forger.pubsub('CHANNELS', `${gateway.config.redisPrefix}:reply:*`)) as string[];
  expect(channels).not.toEqual([]);
  return channels;
}

test('the same reply with the signature of the gateway is the outcome that the caller gets', async () => {
  const answered = gateway.call('POST', '/v1/payments', paymentBody({ referenceId: 'signed-1' }, { number: DECLINED }));
  const text = JSON.stringify([await approvalOf(await accepted('signed-1'))]);
  const key = new ReplyKey(gateway.config.replyKey);
  for (const channel of await replyChannels()) await forger.publish(channel, key.sign(channel, text));
  expect(await answered).toMatchObject({ status: 200, body: { status: 'approved' } });
});

test('a forged approval of a declined payment is ignored: the caller gets the true outcome', async () => {
  const body = paymentBody({ referenceId: 'forged-1' }, { number: DECLINED });
  const answered = gateway.call('POST', '/v1/payments', body);
  const text = JSON.stringify([await approvalOf(await accepted('forged-1'))]);
  const { redisPrefix, redisUrl, workerConcurrency: concurrency } = gateway.config;
  const otherKey = new ReplyKey(Buffer.alloc(32, 1));
  for (const channel of await replyChannels()) {
    for (const message of [text, otherKey.sign(channel, text)]) await forger.publish(channel, message);
  }
  // The worker that asks the acquirer starts only now, after the forged replies.
  const metrics = createMetrics({ process: 'test' });
  const opened = await openPools(['processor'], {
    config: gateway.config,
    log,
    metrics,
    database: gateway.database,
  });
  const running = opened.pools.map((pool) => runPool(pool, { redisUrl, redisPrefix, concurrency, log, metrics }));
  expect(await answered).toMatchObject({ status: 422, body: { code: 'declined-by-acquirer' } });
  await Promise.all(running.map((pool) => pool.stop()));
  await opened.close();
});
