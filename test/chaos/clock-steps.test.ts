/**
 * The clocks of a worker and of `expiry` are stepped by twenty minutes while they run (docs/verification.md, T15). Both take no work and
 * say so, nothing is declined or destroyed because of it, and everything goes on when the clocks are right. The suite is skipped, with a
 * line that says so, if libfaketime is neither installed nor obtainable.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { describeWithClocks, faketime } from './harness/describe-with-clocks.js';
import { readLedger } from './harness/ledger-facts.js';
import { merchants, type Stack, startStack } from './harness/stack.js';
import type { WorkerClock } from './harness/worker-clock.js';

const WAIT_MS = 2_000;
const PAYMENTS = 3;

let stack: Stack;
let caller: Caller;

describeWithClocks('clocks that are wrong', () => {
  beforeAll(async () => {
    stack = await startStack({
      name: 'clocks',
      mongodbUri: testMongoUri('clocks'),
      redisUrl: testRedisUrl(),
      redisPrefix: testRedisPrefix('clocks'),
      counts: { api: 1, processor: 1, expiry: 1 },
      settings: { RESPONSE_WAIT_MS: String(WAIT_MS) },
      faketime,
    });
    caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  });
  afterAll(async () => {
    await caller?.close();
    await stack?.database.connection.dropDatabase();
    await stack?.stop();
  });

  const clocks = (): readonly WorkerClock[] => [...stack.clocks.values()];
  const stored = (id: string) => stack.database.collection<Payment>('payments').findOne({ _id: id } as never);
  const pay = () =>
    caller.call('POST', '/v1/payments', paymentOf('visa', { merchantId: merchants.sandbox, total: '7.00' }));

  async function waitFor(condition: () => Promise<boolean>): Promise<void> {
    for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await pause(50)) {
      if (await condition().catch(() => false)) return;
    }
    throw new Error('it did not happen');
  }
  const areReady = async (ok: boolean) =>
    (await Promise.all(clocks().map((clock) => clock.readiness()))).every((one) => one.ok === ok);

  test.each([
    ['ahead', 1_200],
    ['behind', -1_200],
  ])('twenty minutes %s: no work is taken, and all is done when they are right', async (direction, seconds) => {
    expect(clocks()).toHaveLength(2);
    await waitFor(() => areReady(true));
    expect((await pay()).answer?.body?.status).toBe('approved');
    for (const clock of clocks()) clock.step(seconds);
    await waitFor(() => areReady(false));
    const side = direction === 'ahead' ? 'ahead of' : 'behind';
    for (const clock of clocks()) {
      expect((await clock.readiness()).reason).toMatch(
        new RegExp(`^The clock of this machine is 1\\d{3} seconds ${side} that of MongoDB`),
      );
    }

    const done = await Promise.all(clocks().map((clock) => clock.countDoneWork()));
    // Each call waits longer than both pools need to look for work.
    const ids: string[] = [];
    for (let nth = 0; nth < PAYMENTS; nth += 1) {
      const { answer } = await pay();
      expect([answer?.status, answer?.body?.status]).toEqual([200, 'pending']);
      ids.push(answer?.body?.id);
    }
    expect(await Promise.all(clocks().map((clock) => clock.countDoneWork()))).toEqual(done);
    for (const id of ids) {
      expect(await stored(id)).toMatchObject({ status: 'pending', cvc: expect.anything(), card: expect.anything() });
    }

    for (const clock of clocks()) clock.step(0);
    await waitFor(() => areReady(true));
    for (const id of ids) await waitFor(async () => (await stored(id))?.status === 'approved');
    const books = readLedger(await stack.ledger());
    expect(books.keys.filter((key) => books.approved(key) !== 1)).toEqual([]);
  });
});
