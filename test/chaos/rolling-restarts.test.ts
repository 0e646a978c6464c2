/**
 * Rolling restarts behind a balancer that looks at `/readyz` once a second, as most do: no client sees any of it (docs/reliability.md,
 * T17). The balancer keeps no connections and repeats nothing: what fails behind it fails for the client.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const RESTARTS = sized(2, 20);
const PROBE_MS = 1_000;
const CALL_EVERY_MS = 50;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    name: 'rolling',
    mongodbUri: testMongoUri('rolling'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('rolling'),
    counts: { api: 2, processor: 1 },
    // Two probes and a half: one may just have been made, and a busy machine is late.
    settings: { DRAIN_DELAY_MS: '2500' },
  });
});
afterAll(async () => {
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
});

/** Sends each call to the next address that was ready when it was last looked at. */
function createBalancer(urls: readonly string[]) {
  let ready = [...urls];
  let next = 0;
  let ended = false;
  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
  const probing = (async () => {
    while (!ended) {
      const states = await Promise.all(urls.map(isReady));
      ready = urls.filter((_, index) => states[index]);
      await pause(PROBE_MS);
    }
  })();
  return {
    pick: () => {
      next += 1;
      return ready[next % ready.length];
    },
    /** Resolves when it sends to all of them. */
    async complete() {
      while (ready.length < urls.length) await pause(PROBE_MS / 10);
    },
    async close() {
      ended = true;
      await probing;
    },
  };
}

/** The status of the answer, or what kept it away. */
async function pay(url: string | undefined): Promise<number | string> {
  const { clientId, apiKey } = stack.sandbox;
  try {
    const answer = await fetch(`${url}/v1/payments`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
      },
      body: JSON.stringify(paymentOf('visa', { merchantId: merchants.sandbox, total: '7.00' })),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

test(
  `${RESTARTS} restarts of each API process in turn, and every payment is answered 200`,
  async () => {
    const balancer = createBalancer(stack.apiUrls);
    const results: Promise<number | string>[] = [];
    const timer = setInterval(() => results.push(pay(balancer.pick())), CALL_EVERY_MS);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      for (const name of ['api-1', 'api-2']) {
        const { code } = await stack.member(name).terminate();
        expect(code).toBe(0);
        await stack.member(name).start();
        await balancer.complete();
      }
    }
    clearInterval(timer);
    const statuses = await Promise.all(results);
    await balancer.close();
    expect(statuses.length).toBeGreaterThan(20 * RESTARTS);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  },
  sized(120_000, 900_000),
);
