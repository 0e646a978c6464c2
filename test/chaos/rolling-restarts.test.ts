/**
 * Rolling restarts behind a balancer that looks at `/readyz` once a second, as most do: no client notices them (docs/verification.md,
 * T17). The balancer keeps no connections and repeats no request: what fails behind it fails for the client.
 */
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { startBalancer } from './harness/balancer.js';
import { paymentOf } from './harness/bodies.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const RESTARTS = sized(2, 20);
const CALL_EVERY_MS = 50;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    name: 'rolling',
    mongodbUri: testMongoUri('rolling'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('rolling'),
    counts: { api: 2, processor: 1 },
    // Two and a half probes: one may just have been made, and a busy machine is late.
    settings: { DRAIN_DELAY_MS: '2500' },
  });
});
afterAll(async () => {
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
});

/** Returns the status of the answer, or the reason why there is none. */
async function pay(url: string): Promise<number | string> {
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
    const balancer = await startBalancer(stack.apiUrls, 'fail');
    const results: Promise<number | string>[] = [];
    const timer = setInterval(() => results.push(pay(balancer.url)), CALL_EVERY_MS);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      for (const name of ['api-1', 'api-2']) {
        const { code } = await stack.member(name).terminate();
        expect(code).toBe(0);
        await stack.member(name).start();
        await balancer.awaitAllReady();
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
