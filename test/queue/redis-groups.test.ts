/**
 * Every use of Redis, on real servers: a master with its replica behind Sentinel, and a cluster of three masters. Then the master that
 * has the queue is killed, and frozen: producers fail at once, and pools and subscribers go on at its successor.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createCounters } from '../../api/limits/counters.js';
import { limitMerchantMisses } from '../../api/limits/merchant-misses.js';
import { checkRedis } from '../../scripts/gateway/doctor/check-redis.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { watchEviction } from '../../shared/queue/eviction.js';
import { createNudges, type Nudges, queuePrefix } from '../../shared/queue/nudges.js';
import { createPatientRedis, createProducerRedis, type Redis } from '../../shared/queue/redis.js';
import { createReplySubscriber, publishReply, type Reply, ReplyKey } from '../../shared/queue/reply-channel.js';
import { createRestoreWitness } from '../../shared/queue/restore-witness.js';
import { type Unbroken, watchUnbroken } from '../../shared/queue/unbroken.js';
import { workJobsOf, workPayment } from '../../shared/queue/work-payment.job.js';
import { onJob, type Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { type Line, memoryLog } from '../http/app-under-test.js';
import { startOwnRedisCluster } from '../support/own-redis-cluster.js';
import type { OwnRedisGroup, RedisServer } from '../support/own-redis-server.js';
import { startOwnSentinels } from '../support/own-sentinels.js';
import { PATIENCE_MS } from '../support/patience.js';

const lines: Line[] = [];
const log = memoryLog(lines);
const metrics = { event: () => undefined };
const PREFIX = 'groups';
const QUEUE_KEY = `${queuePrefix(PREFIX, 'processor')}:processor:wait`;
const LIMIT = 3;
/** How many lines of the log are shown when nothing works on a nudge. */
const NEWEST_LINES = 30;
/** Enough keys for every master of a cluster to have some. */
const KEYS = 40;

async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await pause(20)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error('it did not happen');
}

describe.each([
  ['Sentinel', startOwnSentinels],
  ['a cluster', startOwnRedisCluster],
] as const)('%s', (kind, startGroup) => {
  let group: OwnRedisGroup;
  const open: Redis[] = [];
  let producer: Redis;
  let nudges: Nudges;
  let unbrokenMs: Unbroken;
  const worked: string[] = [];
  const running: RunningPool[] = [];

  const connect = async (make: typeof createProducerRedis) => {
    const redis = make(group.url, log);
    open.push(redis);
    await until(() => redis.status === 'ready');
    return redis;
  };

  beforeAll(async () => {
    lines.length = 0;
    group = await startGroup();
    // The producer is watched from the first moment, as in a process.
    producer = createProducerRedis(group.url, log);
    open.push(producer);
    watchEviction(producer, log);
    nudges = createNudges(producer, PREFIX, log, metrics);
    const connection = createPatientRedis(group.url, log);
    open.push(connection);
    unbrokenMs = watchUnbroken(connection);
    await until(() => producer.status === 'ready' && connection.status === 'ready');
    for (const name of ['processor', 'threeds', 'qr'] as const) {
      const pool: Pool = {
        name,
        jobs: workJobsOf(name).map((job) =>
          onJob(job, async ({ paymentId }) => void worked.push(`${name} ${paymentId}`)),
        ),
        sweep: async () => ({ found: 0, more: false }),
        close: async () => undefined,
      };
      running.push(runPool(pool, { redisUrl: group.url, redisPrefix: PREFIX, concurrency: 4, log, metrics }));
    }
  });
  afterAll(async () => {
    await Promise.all(running.splice(0).map((pool) => pool.stop()));
    await nudges?.close();
    for (const redis of open.splice(0)) redis.disconnect();
    await group?.stop();
  });

  const nudge = (paymentId: string) => ({ paymentId, txId: `txn_${paymentId}`, gen: 1, traceId: 'trace' });
  const add = (paymentId: string) => nudges.add(workPayment.authorize, nudge(paymentId));
  /** Describes what each master has of the queue of the pool `processor`, for the message of a test that fails. */
  const queueAtMasters = async () => {
    const at = async (server: RedisServer) => {
      const [waits, active, keys] = await Promise.all([
        group.ask(server, 'LRANGE', QUEUE_KEY, 0, -1),
        group.ask(server, 'LRANGE', QUEUE_KEY.replace(/wait$/, 'active'), 0, -1),
        group.ask(server, 'KEYS', QUEUE_KEY.replace(/wait$/, '*')),
      ]);
      return { waits, active, keys };
    };
    const found = (await group.masters()).map(async (one) => [one.port, await at(one).catch(String)]);
    return JSON.stringify(await Promise.all(found));
  };
  /**
   * Adds the nudge until it is worked on: masters copy to their successors later, so a successor that is replaced in turn, because the
   * machine is busy, loses what it took. Then the sweep of the pool finds the payment; these pools have none.
   */
  const addUntilWorked = async (paymentId: string) => {
    let added = 0;
    const isWorked = async () => {
      if (await add(paymentId)) added += 1;
      return added > 0 && worked.includes(`processor ${paymentId}`);
    };
    await until(isWorked).catch(async () => {
      const newest = lines.slice(-NEWEST_LINES).map((line) => JSON.stringify(line));
      throw new Error([`${paymentId}: added ${added} times`, await queueAtMasters(), ...newest].join('\n'));
    });
  };

  test('nudges of each queue reach its pool', async () => {
    await until(() => add('pay_1'));
    await until(() => nudges.add(workPayment['await-challenge'], nudge('pay_2')));
    await until(() => nudges.add(workPayment['await-transfer'], nudge('pay_3')));
    await until(() => worked.length >= 3);
    expect(new Set(worked)).toEqual(new Set(['processor pay_1', 'threeds pay_2', 'qr pay_3']));
    // A first connection counts as never broken.
    expect(unbrokenMs()).toBe(Number.POSITIVE_INFINITY);
  });

  test('limits, also that of unknown merchant ids, are counted over two processes together', async () => {
    const processes = [await connect(createProducerRedis), await connect(createProducerRedis)].map((redis) =>
      createCounters({ redis, redisPrefix: PREFIX, log, metrics }),
    );
    const found: unknown[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      const allowance = { name: 'tries', max: LIMIT, windowSeconds: 600 };
      const [one, other] = processes.map((counters) => counters.counter(allowance));
      for (let n = 0; n < LIMIT - 1; n += 1) await one?.count(`key-${key}`);
      const [last, over] = [await other?.count(`key-${key}`), await one?.count(`key-${key}`)];
      found.push([last?.allowed, over?.allowed, (await other?.look(`key-${key}`))?.remaining]);
    }
    expect(found).toEqual(found.map(() => [true, false, 0]));

    const clock = { now: () => new Date(Date.UTC(2030, 0, 1)) };
    const foreign = () => Promise.reject(new GatewayError('forbidden'));
    const [one, other] = processes.map((counters) =>
      limitMerchantMisses(foreign, { counters, max: LIMIT, clock, log }),
    );
    const principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' } as const;
    const codes: unknown[] = [];
    for (let id = 0; id <= LIMIT; id += 1) {
      await (id % 2 === 0 ? one : other)?.(principal, id).catch(({ code }: GatewayError) => codes.push(code));
    }
    expect(codes).toEqual([...Array(LIMIT).fill('forbidden'), 'too-many-requests']);
    expect(lines.filter(({ message }) => message === 'limits.counted-apart')).toEqual([]);
  });

  test('the restore witness remembers the mark of the database', async () => {
    const witness = createRestoreWitness(await connect(createProducerRedis), PREFIX);
    for (let line = 0; line < KEYS; line += 1) await witness.write({ line: `line-${line}`, number: line });
    const read = await Promise.all(Array.from({ length: KEYS }, (_, line) => witness.read(`line-${line}`)));
    expect(read).toEqual(read.map((_, line) => line));
  });

  test('every master is asked for its eviction policy', async () => {
    const silent = watchEviction(await connect(createProducerRedis), log);
    const odd = (await group.masters()).at(-1) as RedisServer;
    await group.ask(odd, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const evicts = watchEviction(await connect(createProducerRedis), log);
    await until(() => evicts());
    const said = lines.findLast(({ message }) => message === 'redis.evicts');
    expect(said).toMatchObject({ reason: expect.stringContaining('allkeys-lru') });
    if (kind === 'a cluster') expect(said).toMatchObject({ host: '127.0.0.1', port: odd.port });
    expect(silent()).toBe(false);
    await group.ask(odd, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });

  test('the doctor checks every master, and uses all of them together', async () => {
    const examined = { config: { redisUrl: group.url } } as Parameters<typeof checkRedis>[0];
    const found = await checkRedis(examined);
    expect(found.filter(({ state }) => state !== 'ok')).toEqual([]);
    const checks = new Set(found.map(({ check }) => check));
    expect(checks.delete('redis use')).toBe(true);
    expect(checks.size).toBe((await group.masters()).length);
  });

  const key = new ReplyKey(randomBytes(32));
  const reply = (id: string) =>
    ({ paymentId: id, txId: `txn_${id}`, version: 3, fields: { status: 'approved' } }) as unknown as Reply;

  /** Publishes a reply until one arrives, however many were lost before. */
  const replies = (subscriber: ReturnType<typeof createReplySubscriber>, id: string) =>
    until(async () => {
      let heard = false;
      const stop = subscriber.listen(id, () => {
        heard = true;
      });
      publishReply({ redis: producer, key, log }, subscriber.channel, reply(id));
      for (let looks = 0; looks < 10 && !heard; looks += 1) await pause(10);
      stop();
      return heard;
    });

  const subscribe = async () =>
    createReplySubscriber(await connect(createPatientRedis), `${PREFIX}:reply:${randomBytes(8).toString('hex')}`, {
      key,
      log,
      metrics,
    });

  test.each([
    ['killed', (owner: RedisServer) => owner.kill()],
    ['frozen', (owner: RedisServer) => owner.freeze()],
  ] as const)(
    'the master of the queue is %s: nothing waits for it, and everything goes on at its successor',
    async (how, strike) => {
      const subscriber = await subscribe();
      const evicts = watchEviction(await connect(createProducerRedis), log);
      await replies(subscriber, `pay_before_${how}`);
      await until(() => add(`pay_before_${how}`));
      const owner = await group.awaitOwner(QUEUE_KEY);
      for (const server of group.others(owner))
        await group.ask(server, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
      const brokenAt = performance.now();

      await strike(owner);
      // A count that waited for the successor would be taken and counted there.
      const allowance = { name: `while-${how}`, max: LIMIT, windowSeconds: 600 };
      const counter = createCounters({ redis: producer, redisPrefix: PREFIX, log, metrics }).counter(allowance);
      const said = lines.length;
      const counted = await Promise.all(Array.from({ length: KEYS }, (_, key) => counter.count(`key-${key}`)));
      expect(counted.every(({ allowed }) => allowed)).toBe(true);
      expect(lines.slice(said).map(({ message }) => message)).toContain('limits.counted-apart');
      await until(async () => !(await add(`pay_during_${how}`)));
      expect(nudges.ready('processor')).toBe(false);

      await group.awaitOwner(QUEUE_KEY, group.others(owner));
      await addUntilWorked(`pay_after_${how}`);
      await replies(subscriber, `pay_after_${how}`);
      await until(() => nudges.ready('processor'));
      await until(() => unbrokenMs() < performance.now() - brokenAt);
      await until(() => evicts());

      owner.thaw();
      if (how === 'killed') await owner.restart();
      await group.awaitWhole();
      for (const server of group.servers) await group.ask(server, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await addUntilWorked(`pay_whole_${how}`);
      // A connection that ended would never come back.
      expect(open.map(({ status }) => status)).toEqual(open.map(() => 'ready'));
    },
  );
});
