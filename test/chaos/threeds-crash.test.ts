/**
 * Workers are killed between a challenge and the authorization after it: before the result is fetched, while it is fetched, and after it
 * was handed on; also when the payers closed the window and the gateway looks for the result by itself. Each payment that its payer
 * confirmed is authorized exactly once. A payment whose processor worker died during a call that may have been in flight is inquired
 * about, and counts as failed only when the books say so too.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { orphans } from '../../shared/store/orphans.js';
import { dropDatabase } from '../support/drop-database.js';
import { cards, submit } from '../support/forms.js';
import { PATIENCE_MS, until } from '../support/patience.js';
import { answerIssuer, authenticatedBody } from '../support/payer.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type Caller, createCaller } from './harness/caller.js';
import { readLedger } from './harness/ledger-facts.js';
import { type Stack, startStack } from './harness/stack.js';

/** When the worker dies, relative to the return of the payers. */
const points = [
  'before-conclusion',
  'during-conclusion',
  'before-authorization',
  'during-authorization',
  'before-look',
  'during-look',
] as const;
type Point = (typeof points)[number];
const PAYMENTS_EACH = 5;

let stack: Stack;
let caller: Caller;
const paymentIds = new Map<Point, string[]>();

beforeAll(async () => {
  stack = await startStack({
    name: 'threeds-crash',
    mongodbUri: testMongoUri('threeds_crashes'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('threeds_crashes'),
    counts: { api: 1, threeds: 1, processor: 1 },
    settings: { PROCESSOR_TIMEOUT_MS: '1000', RESPONSE_WAIT_MS: '1500', TIME_SCALE: '60' },
    simulatorTimeScale: 60,
  });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  const settings = { provider: 'sandbox', metadata: { acquirerBin: '400000', acquirerMerchantId: '1001' } };
  const { answer } = await caller.call('POST', '/v1/merchants/1001/payment-methods/visa/threeds', settings);
  expect(answer?.status).toBe(200);
  for (const point of points) paymentIds.set(point, await crashAt(point));
});

afterAll(async () => {
  await caller?.close();
  if (stack) await dropDatabase(stack.database);
  await stack?.stop();
});

const gatewayOf = () => ({ config: stack.config, baseUrl: stack.apiUrls[0] ?? '' });
const payments = () => stack.database.collection<Payment>('payments');

async function restartAfterKill(name: 'threeds-1' | 'processor-1', startAgainAfterMs = 200): Promise<void> {
  await stack.member(name).kill();
  await pause(startAgainAfterMs);
  await stack.member(name).start();
}

/** Lets the payers come back, and the worker die around that moment. */
const crashes: Record<Point, (comeBack: () => Promise<unknown>) => Promise<void>> = {
  'before-conclusion': async (comeBack) => {
    await stack.member('threeds-1').kill();
    await comeBack();
    await stack.member('threeds-1').start();
  },
  'during-conclusion': async (comeBack) => {
    const back = comeBack();
    await pause(15);
    await restartAfterKill('threeds-1');
    await back;
  },
  'before-authorization': async (comeBack) => {
    await stack.member('processor-1').kill();
    await comeBack();
    await restartAfterKill('threeds-1');
    await stack.member('processor-1').start();
  },
  'during-authorization': async (comeBack) => {
    const back = comeBack();
    await pause(60);
    await restartAfterKill('processor-1');
    await back;
  },
  // No payer comes back: the windows are closed.
  'before-look': async () => {
    await stack.member('threeds-1').kill();
    await pause(1_500);
    await stack.member('threeds-1').start();
  },
  'during-look': async () => {
    for (let time = 0; time < 4; time += 1) {
      await pause(280);
      await restartAfterKill('threeds-1', 20);
    }
  },
};

/** Makes payments that are confirmed at the issuer, then crashes a worker around the return of the payers. */
async function crashAt(point: Point): Promise<string[]> {
  const challenged: { id: string; back: Awaited<ReturnType<typeof answerIssuer>> }[] = [];
  for (let number = 0; number < PAYMENTS_EACH; number += 1) {
    const { answer } = await caller.call('POST', '/v1/payments', authenticatedBody(cards.challenge));
    const id = answer?.body.id as string;
    // On a busy machine the API answers before there is a challenge.
    const action = await until(
      async () => (await caller.call('GET', `/v1/payments/${id}`)).answer?.body.actions?.[0],
      'no challenge',
    );
    challenged.push({ id, back: await answerIssuer(gatewayOf(), action.href, 'approve') });
  }
  await crashes[point](() => Promise.all(challenged.map(({ back }) => submit(back.action, back.fields))));
  return challenged.map(({ id }) => id);
}

test.each(points)('%s: every confirmed payment is authorized once, or fails without a charge', async (point) => {
  const ids = paymentIds.get(point) ?? [];
  const giveUpAt = Date.now() + PATIENCE_MS;
  const open = () =>
    payments().countDocuments({ _id: { $in: ids }, status: { $nin: ['approved', 'failed'] } } as never);
  while ((await open()) > 0 && Date.now() < giveUpAt) await pause(200);
  const stored = await payments()
    .find({ _id: { $in: ids } } as never)
    .toArray();
  if (point !== 'during-authorization') {
    expect(stored.map(({ status }) => status)).toEqual(Array(PAYMENTS_EACH).fill('approved'));
  }
  const facts = readLedger(await stack.ledger());
  for (const { status, transactions, threeDs } of stored) {
    const { id = '' } = transactions[0] ?? {};
    expect(threeDs).toMatchObject({ status: 'authenticated', transStatus: 'Y' });
    expect([status, facts.net(id)]).toEqual(status === 'failed' ? ['failed', 0] : ['approved', 1]);
    expect(facts.approved(id)).toBeLessThanOrEqual(1);
  }
  expect(
    await payments()
      .find(orphans as never)
      .toArray(),
  ).toEqual([]);
});
