/**
 * Failed sign-ins (docs/security.md#failed-sign-ins) and merchant ids of other clients (docs/security.md#ids-reveal-nothing), each counted
 * over two processes on a real Redis.
 */

import { createCounters } from '../../api/limits/counters.js';
import { limitMerchantMisses } from '../../api/limits/merchant-misses.js';
import { rateGroupOf } from '../../api/limits/rate-group.js';
import { guardSignIn } from '../../api/limits/sign-in-guard.js';
import { endpoints } from '../../api/routes.js';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import { createProducerRedis, type Redis } from '../../shared/queue/redis.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';

const records: { message: string; fields: object }[] = [];
const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (message, fields = {}) => void records.push({ message, fields }),
  error: () => {},
  with: () => log,
};
const metrics = { event: () => {} };
const redises: Redis[] = [];
let redisPrefix = '';
let suites = 0;

beforeEach(() => {
  records.length = 0;
  redisPrefix = testRedisPrefix(`guards-${Date.now()}-${suites++}`);
});
afterEach(() => {
  for (const redis of redises.splice(0)) redis.disconnect();
});

async function newCounters(url = testRedisUrl()) {
  const redis = createProducerRedis(url, log);
  redises.push(redis);
  if (url === testRedisUrl()) await new Promise((resolve) => redis.once('ready', resolve));
  return createCounters({ redis, redisPrefix, log, metrics });
}

const CLOSED_PORT = 'redis://127.0.0.1:1';

describe('signing in', () => {
  const client = `cli_${'a'.repeat(32)}`;
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const right = basic(client, 'right');
  const wrong = basic(client, 'wrong');
  const principal: Principal = { clientId: client, keyId: 'key_1', merchants: 'all' };
  const clock = { ms: Date.UTC(2027, 0, 1), now: () => new Date(clock.ms) };

  /** Builds the guard of one process, which knows the right key and the token `good`. */
  async function guardOfOneProcess(url?: string) {
    const counters = await newCounters(url);
    let inRedis = 0;
    const counted = (name: string, max: number) => {
      const counter = counters.counter({ name, max, windowSeconds: 60 });
      const count = (key: string) => {
        inRedis += 1;
        return counter.count(key);
      };
      return { ...counter, count };
    };
    const guarded = guardSignIn(
      {
        authenticate: async (header) => (header === right || header === 'Bearer good' ? principal : undefined),
      },
      {
        failures: counted('f', 20),
        addressFailures: counted('a', 100),
        addressMax: 100,
        clock,
        log,
        metrics,
      },
    );
    return { authenticate: guarded.authenticate, counted: () => inRedis };
  }

  /** Returns `in`, `out`, or the value of Retry-After. */
  async function outcome(call: Promise<Principal | undefined>): Promise<string | number> {
    try {
      return (await call) ? 'in' : 'out';
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'too-many-requests') return error.retryAfterSeconds ?? 0;
      throw error;
    }
  }
  const seconds = expect.any(Number);

  test('twenty failures get 401, then 429 in every process, but the right key still passes', async () => {
    const [one, two] = [await guardOfOneProcess(), await guardOfOneProcess()];
    const outcomes = [];
    for (let index = 0; index < 24; index++) {
      outcomes.push(await outcome((index % 2 ? one : two).authenticate(wrong, '203.0.113.7')));
    }
    expect(outcomes.slice(0, 20)).toEqual(Array(20).fill('out'));
    expect(outcomes.slice(20)).toEqual(Array(4).fill(seconds));
    for (const retryAfter of outcomes.slice(20)) {
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
    }
    for (const { authenticate } of [one, two, await guardOfOneProcess()]) {
      expect(await outcome(authenticate(right, '203.0.113.7'))).toBe('in');
      expect(await outcome(authenticate(wrong, '203.0.113.7'))).toEqual(seconds);
    }
    expect(records.filter(({ message }) => message === 'sign-in.blocked').length).toBeGreaterThan(0);
    expect(records[0]?.fields).toEqual({ address: '203.0.113.7', clientId: client });
  });

  test('a block does not stop another address, another client or bearer tokens', async () => {
    const { authenticate } = await guardOfOneProcess();
    for (let index = 0; index < 21; index++) await outcome(authenticate(wrong, '203.0.113.7'));
    expect(await outcome(authenticate(wrong, '203.0.113.7'))).toEqual(seconds);
    expect(await outcome(authenticate(wrong, '203.0.113.8'))).toBe('out');
    expect(await outcome(authenticate(basic(`cli_${'b'.repeat(32)}`, 'wrong'), '203.0.113.7'))).toBe('out');
    expect(await outcome(authenticate('Bearer good', '203.0.113.7'))).toBe('in');
  });

  test('while blocked, nothing is counted in Redis, and Retry-After counts down', async () => {
    const { authenticate, counted } = await guardOfOneProcess();
    for (let index = 0; index < 21; index++) await outcome(authenticate(wrong, '203.0.113.7'));
    const before = counted();
    const first = Number(await outcome(authenticate(wrong, '203.0.113.7')));
    clock.ms += 20_000;
    const later = Number(await outcome(authenticate(wrong, '203.0.113.7')));
    expect(counted()).toBe(before);
    expect({ startsAbove50: first > 50, fallsBy19: first - later >= 19 }).toEqual({
      startsAbove50: true,
      fallsBy19: true,
    });
  });

  test.each([
    ['over two processes', undefined],
    ['without Redis', CLOSED_PORT],
  ])('new client ids from one address end at a hundred, %s, and the right key passes', async (_name, url) => {
    const one = await guardOfOneProcess(url);
    const two = url === undefined ? await guardOfOneProcess() : one;
    const outcomes = [];
    for (let index = 0; index < 300; index++) {
      const client = `cli_${index.toString(16).padStart(32, '0')}`;
      outcomes.push(await outcome((index % 2 ? one : two).authenticate(basic(client, 'wrong'), '203.0.113.7')));
    }
    expect(outcomes.filter((result) => result === 'out')).toHaveLength(100);
    // Redis is not asked again about what the process knows by itself, or has heard: with another process, after half of them.
    expect(one.counted()).toBeLessThanOrEqual(2 * (one === two ? 101 : 51));
    expect(await outcome(one.authenticate(right, '203.0.113.7'))).toBe('in');
    expect(await outcome(one.authenticate(wrong, '203.0.113.8'))).toBe('out');
  });

  test('an address over its total waits in a short line, but a client that signed in before does not', async () => {
    const counters = await newCounters(CLOSED_PORT);
    const counter = (name: string, max: number) => counters.counter({ name, max, windowSeconds: 60 });
    const newcomer = basic(`cli_${'c'.repeat(32)}`, 'right');
    let [looks, now, most] = [0, 0, 0];
    const { authenticate } = guardSignIn(
      {
        authenticate: async (header) => {
          looks += 1;
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          if (header === newcomer) return { ...principal, clientId: `cli_${'c'.repeat(32)}` };
          return header === right ? principal : undefined;
        },
      },
      { failures: counter('f', 20), addressFailures: counter('a', 100), addressMax: 100, clock, log, metrics },
    );
    const address = '203.0.113.7';
    let ids = 0;
    const guess = () => authenticate(basic(`cli_${(ids++).toString(16).padStart(32, '0')}`, 'wrong'), address);
    expect(await outcome(authenticate(right, address))).toBe('in');
    for (let index = 0; index < 101; index++) await outcome(guess());

    [looks, most] = [0, 0];
    const first = outcome(authenticate(newcomer, address));
    const flood = Array.from({ length: 200 }, () => outcome(guess()));
    expect(await Promise.all(flood)).toEqual(Array(200).fill(seconds));
    expect(await first).toBe('in');
    expect([looks, most]).toEqual([limits.signInLineMax, 1]);
    const more = Array.from({ length: 200 }, () => outcome(guess()));
    expect(await outcome(authenticate(right, address))).toBe('in');
    expect(await outcome(authenticate(newcomer, address))).toBe('in');
    await Promise.all(more);
    expect(await outcome(authenticate(basic(`cli_${'d'.repeat(32)}`, 'wrong'), '203.0.113.8'))).toBe('out');
  });

  test('requests that name no client share one count per address, and no credentials are no attempt', async () => {
    const { authenticate } = await guardOfOneProcess();
    const odd = ['Basic !', basic('nobody', 'x'), 'Bearer rubbish', basic('', '')];
    const outcomes = [];
    for (let index = 0; index < 24; index++) {
      outcomes.push(await outcome(authenticate(odd[index % odd.length], '203.0.113.7')));
    }
    expect(outcomes.filter((result) => result === 'out')).toHaveLength(20);
    for (let index = 0; index < 30; index++) {
      expect(await outcome(authenticate(undefined, '203.0.113.7'))).toBe('out');
      expect(await outcome(authenticate('Digest x', '203.0.113.7'))).toBe('out');
    }
    expect(await outcome(authenticate(right, '203.0.113.7'))).toBe('in');
    // A token that is valid was not guessed, regardless of what else was tried from this address.
    expect(await outcome(authenticate('Bearer good', '203.0.113.7'))).toBe('in');
  });

  test('an IPv6 subscriber is one caller, from any of its addresses', async () => {
    const { authenticate } = await guardOfOneProcess();
    const outcomes = [];
    for (let index = 0; index < 22; index++) {
      outcomes.push(await outcome(authenticate(wrong, `2001:db8:1:2::${index.toString(16)}`)));
    }
    expect(outcomes.filter((result) => result === 'out')).toHaveLength(20);
  });

  test('without Redis failures are counted in the process', async () => {
    const { authenticate } = await guardOfOneProcess(CLOSED_PORT);
    const outcomes = [];
    for (let index = 0; index < 25; index++) outcomes.push(await outcome(authenticate(wrong, '203.0.113.7')));
    expect(outcomes.filter((result) => result === 'out')).toHaveLength(20);
    expect(await outcome(authenticate(right, '203.0.113.7'))).toBe('in');
    expect(await outcome(authenticate(wrong, '203.0.113.9'))).toBe('out');
  });
});

describe('merchant ids of other clients', () => {
  const principal: Principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' };
  const clock = { ms: Date.UTC(2027, 0, 1, 0, 0, 12), now: () => new Date(clock.ms) };

  async function process(url?: string, max = 20) {
    const authorize = async (_principal: Principal, merchantId: number) => {
      if (merchantId === 1001) return;
      if (merchantId === 13) throw new Error('MongoDB is away');
      throw new GatewayError(merchantId % 2 ? 'forbidden' : 'merchant-not-found');
    };
    return limitMerchantMisses(authorize, { counters: await newCounters(url), max, clock, log });
  }
  const codeOf = (call: Promise<void>) =>
    call.then(
      () => 'let through',
      (error) => (error instanceof GatewayError ? error.code : error.message),
    );

  test.each([
    ['over two processes', undefined],
    ['without Redis', CLOSED_PORT],
  ])('twenty different ids get 400 or 403, then 429, %s', async (_name, url) => {
    const one = await process(url);
    const two = url ? one : await process();
    const codes = [];
    for (let id = 2000; id < 2025; id++) codes.push(await codeOf((id % 2 ? one : two)(principal, id)));
    expect(codes.slice(0, 20)).toEqual(Array.from({ length: 10 }, () => ['merchant-not-found', 'forbidden']).flat());
    expect(codes.slice(20)).toEqual(Array(5).fill('too-many-requests'));
    // The client's own merchant is no miss, and misses of another key count for that key.
    expect(await codeOf(one(principal, 1001))).toBe('let through');
    expect(await codeOf(two({ ...principal, keyId: 'key_2' }, 2000))).toBe('merchant-not-found');
    const blocked = records.filter(({ message }) => message === 'merchant-ids.probed');
    expect(blocked[0]?.fields).toEqual({ clientId: 'cli_1', keyId: 'key_1', count: 20 });
    const refused = await one(principal, 3000).catch((error) => error);
    expect(refused.retryAfterSeconds).toBe(48);
    clock.ms += 48_000;
    expect(await codeOf(one(principal, 3000))).toBe('merchant-not-found');
    clock.ms -= 48_000;
  });

  test('an id that is repeated counts once', async () => {
    const authorize = await process();
    for (let index = 0; index < 100; index++) {
      expect(await codeOf(authorize(principal, 2000))).toBe('merchant-not-found');
    }
    expect(await codeOf(authorize(principal, 2001))).toBe('forbidden');
  });

  test('a fault of ours is no miss, and a maximum of 0 switches the limit off', async () => {
    const authorize = await process();
    for (let index = 0; index < 30; index++) expect(await codeOf(authorize(principal, 13))).toBe('MongoDB is away');
    expect(await codeOf(authorize(principal, 2000))).toBe('merchant-not-found');
    const open = await process(undefined, 0);
    const codes = [];
    for (let id = 2000; id < 2050; id++) codes.push(await codeOf(open(principal, id)));
    expect(codes).toEqual(Array.from({ length: 25 }, () => ['merchant-not-found', 'forbidden']).flat());
  });

  test('the ids that are kept are bounded, and expire', async () => {
    const authorize = await process();
    for (let id = 2000; id < 2100; id++) await codeOf(authorize(principal, id));
    const redis = redises.at(-1) as Redis;
    const [key = ''] = await redis.keys(`${redisPrefix}:*`);
    expect(await redis.scard(key)).toBe(21);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});

test('every endpoint that writes has the rate group of its path', () => {
  for (const endpoint of endpoints.filter(({ method, auth }) => method !== 'get' && auth !== 'none')) {
    const { path, operationId } = endpoint;
    const expected = /^\/v1\/payments\b/.test(path)
      ? 'payments'
      : /^\/v1\/customers\b/.test(path)
        ? 'customers'
        : /sessions?$|^\/v1\/sessions\b/.test(path)
          ? 'sessions'
          : /^\/v1\/tokenizations/.test(path)
            ? 'payments'
            : 'configuration';
    expect([operationId, rateGroupOf(endpoint)]).toEqual([operationId, expected]);
  }
});

test.each([
  ['get', ['Payments'], 'reads'],
  ['post', ['Payments'], 'payments'],
  ['delete', ['Customers'], 'customers'],
  ['put', ['Merchants', 'Customers'], 'customers'],
  ['post', ['Sessions'], 'sessions'],
  ['post', ['Wallets'], 'configuration'],
  ['post', [], 'configuration'],
] as const)('%s with tags %j counts as %s', (method, tags, group) => {
  expect(rateGroupOf({ method, tags })).toBe(group);
});
