/** Routes of a merchant's method, from the configuration over the API to what the acquirers' books say. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newReference, paymentOf } from '../chaos/harness/bodies.js';
import { readLedger } from '../chaos/harness/ledger-facts.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'routing', settings: { TIME_SCALE: '60' } });
});
afterAll(() => gateway?.close());

const route = (id: string, acquirer: string, more: object = {}) => ({ paymentProcessor: { id, acquirer }, ...more });
const first = route('sandbox', 'acquirer-1');
const second = route('sandbox-lagging', 'acquirer-2', { merchantIdentificationNumber: '77' });

/** Configured for a merchant and brand; merchants are read anew within seconds, here at once. */
async function configure(routes: readonly object[], more: object = {}): Promise<void> {
  const settings = gatewaySettings({ routes, ...more });
  const { status, body } = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings });
  expect([status, body.settings]).toEqual([200, settings]);
}

const pay = (more: object = {}, card = 'visa') =>
  gateway.call('POST', '/v1/payments', { ...paymentOf(card, { merchantId: 1001, total: '10.50' }), ...more });
const stored = (id: string) => gateway.database.collection<Payment>('payments').findOne({ _id: id } as never);

describe('configured', () => {
  test('routes are stored, read, replaced and taken away', async () => {
    const conditions = {
      currencies: ['USD'],
      brands: ['visa'],
      amount: { from: 10, to: 500.5 },
      origins: ['uruguay'],
    };
    await configure([first, { ...second, terminalNumber: '8', conditions, share: 30 }], { retrySoftDeclines: true });
    const { body } = await gateway.call('GET', `${methodsOf(1001)}/visa`);
    expect(body.settings.routes[1]).toEqual({ ...second, terminalNumber: '8', conditions, share: 30 });
    const back = await gateway.call('PUT', `${methodsOf(1001)}/visa`, body);
    expect(back.body.settings).toEqual(body.settings);
    const gone = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings: gatewaySettings() });
    expect(gone.body.settings).toEqual(gatewaySettings());
  });

  test.each([
    ['no route', [], 'settings.routes'],
    ['an unknown processor', [first, route('nowhere', 'a')], 'settings.routes.1.paymentProcessor.id'],
    ['without paymentProcessor', [second], 'settings.routes'],
    ['one twice', [first, first], 'settings.routes.1'],
    [
      'shares over 100',
      [
        { ...first, share: 60 },
        { ...second, share: 41 },
      ],
      'settings.routes',
    ],
    ['a share that is none', [{ ...first, share: 101 }], 'settings.routes.0.share'],
    ['a condition that is none', [{ ...first, conditions: { country: 'UY' } }], 'settings.routes.0.conditions.country'],
    [
      'an amount without currency',
      [{ ...first, conditions: { amount: { from: 1 } } }],
      'settings.routes.0.conditions.amount',
    ],
    ['routes of other brands', [{ ...first, conditions: { brands: ['amex'] } }], 'settings.routes'],
  ])('refused: %s', async (_name, routes, field) => {
    const settings = gatewaySettings({ routes });
    const { status, body } = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings });
    expect([status, body.code, Object.keys(body.params)]).toEqual([400, 'request-validation-errors', [field]]);
  });
});

describe('paid', () => {
  test('by the first route whose conditions are met, and the answer says why', async () => {
    await configure([{ ...first, conditions: { currencies: ['UYU'] } }, second]);
    const { status, body } = await pay();
    expect(status).toBe(200);
    expect(body.routing).toEqual([
      { processor: 'sandbox-lagging', acquirer: 'acquirer-2', reason: 'chosen' },
      { processor: 'sandbox', acquirer: 'acquirer-1', reason: 'condition', detail: 'currencies' },
    ]);
    expect(await stored(body.id)).toMatchObject({
      processor: 'sandbox-lagging',
      merchantIdentificationNumber: '77',
      terminalNumber: '00000007',
    });
  });

  test('by where the card was issued', async () => {
    await configure([{ ...first, conditions: { origins: ['uruguay'] } }, second]);
    expect((await pay({}, 'uruguay')).body.routing[0]).toMatchObject({ processor: 'sandbox', reason: 'chosen' });
    expect((await pay()).body.routing[0]).toMatchObject({ processor: 'sandbox-lagging', reason: 'chosen' });
  });

  test('no route takes it: refused, and nothing is stored', async () => {
    await configure([{ ...first, conditions: { currencies: ['UYU'] } }]);
    const referenceId = newReference('none');
    const { status, body } = await pay({ referenceId });
    expect([status, body.code]).toEqual([400, 'invalid-card-payment-method']);
    expect(body.message).toContain('currencies');
    expect(await gateway.database.collection('payments').countDocuments({ referenceId })).toBe(0);
  });

  test('a payment of a method without routes has no routing', async () => {
    const { body } = await pay({}, 'mastercard');
    expect(body).not.toHaveProperty('routing');
  });
});

describe('the next route', () => {
  test('not reached: every route is tried, each under a key of its own, and the caller gets the outcome of the last', async () => {
    await configure([first, second]);
    const before = performance.now();
    const { status, body } = await pay({}, 'connection-refused');
    expect([status, body.code]).toEqual([422, 'acquirer-offline']);
    const payment = await stored(body.params.paymentId[0]);
    expect(payment?.transactions.map(({ status: one, leftRoute }) => [one, leftRoute?.processor])).toEqual([
      ['failed', 'sandbox'],
      ['failed', undefined],
    ]);
    expect(payment?.routing?.candidates.map(({ reason }) => reason)).toEqual(['not-reached', 'chosen']);
    // The caller waits for the attempt that counts, by its reply, not for the end of its patience.
    expect(performance.now() - before).toBeLessThan(gateway.config.responseWaitMs);
  });

  test('a decline that advises to retry: the second acquirer is asked only where the merchant wants it', async () => {
    await configure([first, second]);
    const final = await pay({}, 'insufficient-funds');
    expect(final.status).toBe(422);
    expect((await stored(final.body.params.paymentId[0]))?.transactions).toHaveLength(1);
    await configure([first, second], { retrySoftDeclines: true });
    const retried = await pay({}, 'insufficient-funds');
    expect([retried.status, retried.body.declineCode]).toEqual([422, 'insufficient_funds']);
    const payment = await stored(retried.body.params.paymentId[0]);
    expect(payment?.transactions.map(({ status }) => status)).toEqual(['denied', 'denied']);
    expect(payment).not.toHaveProperty('cvc');
    const { body } = await gateway.call('GET', `/v1/payments/${payment?._id}`);
    expect(body.routing.map(({ reason }: { reason: string }) => reason)).toEqual(['declined', 'chosen']);
  });

  test('the books of the acquirers hold each payment once', async () => {
    const payments = await gateway.database.collection<Payment>('payments').find({}).toArray();
    const facts = readLedger(await gateway.ledger());
    for (const payment of payments) {
      const taken = payment.transactions.filter(({ id }) => facts.net(id) > 0);
      expect(taken.length).toBeLessThanOrEqual(1);
      expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 'approved'));
    }
  });
});

describe('shares', () => {
  test('payments are divided by percent, and a refund goes where its payment went', async () => {
    await configure([{ ...first, share: 50 }, second]);
    const bodies = await Promise.all(Array.from({ length: 40 }, async () => (await pay()).body));
    const at = (processor: string) => bodies.filter(({ routing }) => routing[0].processor === processor);
    expect(at('sandbox').length).toBeGreaterThan(5);
    expect(at('sandbox-lagging').length).toBeGreaterThan(5);
    for (const [paid] of [at('sandbox'), at('sandbox-lagging')]) {
      const { status } = await gateway.call('POST', `/v1/payments/${paid.id}/refunds`, {
        referenceId: newReference('refund'),
      });
      expect(status).toBe(200);
    }
    const lines = await gateway.ledger();
    for (const [paid] of [at('sandbox'), at('sandbox-lagging')]) {
      const keys = new Set((await stored(paid.id))?.transactions.map(({ id }) => id));
      const persons = lines
        .filter(({ key }) => keys.has(key))
        .map((line) => (line as { personality?: string }).personality);
      expect(new Set(persons).size).toBe(1);
    }
  });
});
