/**
 * Payments from end to end while Redis is a master behind Sentinel, and while it is a cluster of three: each queue is used, outcomes
 * arrive by the reply channel, and callers see no difference.
 */
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { limits } from '../../config/limits.js';
import { readLedger } from '../chaos/harness/ledger-facts.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { cards } from '../support/forms.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { startOwnRedisCluster } from '../support/own-redis-cluster.js';
import type { OwnRedisGroup } from '../support/own-redis-server.js';
import { startOwnSentinels } from '../support/own-sentinels.js';
import { PATIENCE_MS, until } from '../support/patience.js';
import { authenticatedBody, completeChallenge, switchOnThreeDs } from '../support/payer.js';

describe.each([
  ['Sentinel', startOwnSentinels],
  ['a cluster', startOwnRedisCluster],
] as const)('%s', (kind, startGroup) => {
  let group: OwnRedisGroup;
  let gateway: TestGateway;
  let callbacks: Awaited<ReturnType<typeof receiveCallbacks>>;

  beforeAll(async () => {
    [group, callbacks] = await Promise.all([startGroup(), receiveCallbacks()]);
    const settings = { REDIS_URL: group.url, API_WRITES_PER_SECOND: '1000', API_READS_PER_SECOND: '1000' };
    gateway = await startGateway({ name: `redis_${kind === 'Sentinel' ? 'sentinel' : 'cluster'}`, settings });
  });
  afterAll(async () => {
    await gateway?.close();
    await callbacks?.close();
    await group?.stop();
  });

  const pay = (more: Record<string, unknown> = {}, card: Record<string, unknown> = {}) =>
    gateway.call('POST', '/v1/payments', paymentBody(more, card));
  let references = 0;
  const operate = (id: string, operation: string, more: Record<string, unknown> = {}) => {
    references += 1;
    return gateway.call('POST', `/v1/payments/${id}/${operation}`, { referenceId: `op-${references}`, ...more });
  };

  test('an outcome is answered before MongoDB would be polled for it', async () => {
    let tookMs = Number.POSITIVE_INFINITY;
    for (const endMs = performance.now() + PATIENCE_MS; tookMs >= limits.pollMs && performance.now() < endMs; ) {
      const startedAt = performance.now();
      expect((await pay()).body.status).toBe('approved');
      tookMs = performance.now() - startedAt;
    }
    expect(tookMs).toBeLessThan(limits.pollMs);
    const readiness = await gateway.call('GET', '/readyz', undefined, { auth: null });
    expect(readiness.status).toBe(200);
    expect(gateway.deps.nudges.ready('processor')).toBe(true);
  });

  test('payments are declined, captured and refunded, and cancelled', async () => {
    expect(await pay({}, { number: '4000000000000002' })).toMatchObject({ status: 422 });
    const held = (await pay({ capture: { method: 'manual' } })).body;
    expect(held.status).toBe('authorized');
    expect((await operate(held.id, 'captures')).body.status).toBe('approved');
    expect((await operate(held.id, 'refunds', { amount: '3.50' })).body).toMatchObject({
      status: 'partially-refunded',
      amount: { captured: 10.5, refunded: 3.5 },
    });
    const other = (await pay({ capture: { method: 'manual' } })).body;
    const released = await operate(other.id, 'cancellations', { reason: 'customer-request' });
    expect(released.body.status).toBe('cancelled');
  });

  test('a bank transfer is paid, and its callback arrives (queues qr and callback)', async () => {
    const body = paymentBody({
      flow: 'pos',
      paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
      callbackUrl: callbacks.url,
    });
    const { body: payment } = await gateway.call('POST', '/v1/payments', body);
    expect(payment.status).toBe('pending');
    await fetch(payment.code.url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
    await gateway.until(payment.id, 'approved');
    expect((await callbacks.wait(payment.id, 1)).map(({ status }) => status)).toEqual(['approved']);
  });

  test('a wallet token is opened and charged (queue wallet)', async () => {
    const walletAPayProfile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
    const path = '/v1/merchants/1001/wallet-integrations/wallet-a-pay';
    await gateway.call('PUT', path, { tosAccepted: true, walletAPayProfile });
    const order = {
      merchantId: 1001,
      card: '4111111111111111',
      expMonth: 12,
      expYear: 2034,
      auth: 'CRYPTOGRAM_3DS',
    } as const;
    // A token that no process opens in time is refused with 503, and the payer tries again: the machine may have stood still.
    const statuses: unknown[] = [];
    await until(async () => {
      const token = forgeWalletA(order, gateway.config.walletAGatewayName, new Date());
      const { body } = await pay({ paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken: { token } } });
      statuses.push(body.status);
      return body.status !== 503;
    });
    expect(statuses.at(-1)).toBe('approved');
  });

  test('a payer is authenticated (queue threeds)', async () => {
    await switchOnThreeDs(gateway);
    const { body } = await gateway.call('POST', '/v1/payments', authenticatedBody(cards.challenge));
    expect(body.status).toBe('pending');
    await completeChallenge(gateway, body.actions[0].href, 'approve');
    await gateway.until(body.id, 'approved');
  });

  /** Returns the keys that hold counts, from all masters. */
  const counts = async () => {
    const found = await Promise.all((await group.masters()).map((master) => group.ask(master, 'KEYS', '*:count:*')));
    return found.flat();
  };

  // When a busy Redis does not answer in half a second, the process rightly counts on its own. If Redis cannot count, no key ever appears.
  test('calls are counted in Redis, for all processes', async () => {
    let found: unknown[] = [];
    for (const endMs = performance.now() + PATIENCE_MS; found.length === 0 && performance.now() < endMs; ) {
      await gateway.call('GET', '/v1/payments/pay_none');
      found = await counts();
    }
    expect(found).not.toEqual([]);
  });

  test('the processor’s books have each payment approved at most once', async () => {
    const approved = (await gateway.payments.collection.find({ status: 'approved' } as never).toArray()).length;
    expect(approved).toBeGreaterThan(3);
    const books = readLedger(await gateway.ledger());
    expect(books.keys.length).toBeGreaterThan(approved);
    expect(books.keys.filter((key) => books.approved(key) > 1)).toEqual([]);
  });
});
