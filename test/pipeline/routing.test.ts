/** Routes of a merchant's method, from the configuration over the API to the acquirers' books. */
import { rangeEnd, rangeStart } from '../../shared/domain/instrument/bin-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { newReference, paymentOf } from '../chaos/harness/bodies.js';
import { readLedger } from '../chaos/harness/ledger-facts.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { until } from '../support/patience.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'routing', settings: { TIME_SCALE: '60' } });
});
afterAll(() => gateway?.close());

const route = (id: string, acquirer: string, more: object = {}) => ({ paymentProcessor: { id, acquirer }, ...more });
const first = route('sandbox', 'acquirer-1');
const second = route('sandbox-lagging', 'acquirer-2', { merchantIdentificationNumber: '77' });

/** Configures routes of merchant 1001 for visa. Other processes read merchants again within seconds, this process at once. */
async function configure(routes: readonly object[], more: object = {}): Promise<void> {
  const settings = gatewaySettings({ routes, ...more });
  const { status, body } = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings });
  expect([status, body.settings]).toEqual([200, settings]);
}

const pay = (more: object = {}, card = 'visa') =>
  gateway.call('POST', '/v1/payments', { ...paymentOf(card, { merchantId: 1001, total: '10.50' }), ...more });
const stored = (id: string) => gateway.database.collection<Payment>('payments').findOne({ _id: id } as never);

describe('configuring routes', () => {
  test('routes are stored, read, replaced and removed', async () => {
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
  ])('routes are refused: %s', async (_name, routes, field) => {
    const settings = gatewaySettings({ routes });
    const { status, body } = await gateway.call('PUT', `${methodsOf(1001)}/visa`, { settings });
    expect([status, body.code, Object.keys(body.params)]).toEqual([400, 'request-validation-errors', [field]]);
  });
});

describe('choosing a route', () => {
  test('a payment takes the first route whose conditions are met, and the answer says why', async () => {
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

  test('a route that cannot charge the credential is passed over; a card takes the first route', async () => {
    await configure([route('stripe', 'acquirer-3'), first]);
    const networkToken = {
      number: '4242424242424242',
      expMonth: 12,
      expYear: 2034,
      cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=',
    };
    const { status, body } = await pay({ paymentMethod: { id: 'visa', source: 'network-token', networkToken } });
    expect([status, body.status]).toEqual([200, 'approved']);
    expect(body.routing).toEqual([
      { processor: 'sandbox', acquirer: 'acquirer-1', reason: 'chosen' },
      { processor: 'stripe', acquirer: 'acquirer-3', reason: 'unable', detail: 'network-token' },
    ]);
    const clickToPayToken = { correlationId: 'c-1', merchantTransactionId: 'm-1', scheme: 'visa' };
    const checkedOut = await pay({ paymentMethod: { source: 'click-to-pay-token', clickToPayToken } });
    expect(checkedOut.body).toMatchObject({
      status: 'approved',
      routing: [{ reason: 'chosen' }, { processor: 'stripe', reason: 'unable', detail: 'click-to-pay' }],
    });
    const asked = await gateway.call('POST', '/v1/payments/dry-run', {
      ...paymentOf('visa', { merchantId: 1001, total: '10.50' }),
    });
    expect(asked.body.routing[0]).toMatchObject({ processor: 'stripe', reason: 'chosen' });
  });

  test('a payment takes a route by the origin of the card', async () => {
    await configure([{ ...first, conditions: { origins: ['uruguay'] } }, second]);
    expect((await pay({}, 'uruguay')).body.routing[0]).toMatchObject({ processor: 'sandbox', reason: 'chosen' });
    expect((await pay()).body.routing[0]).toMatchObject({ processor: 'sandbox-lagging', reason: 'chosen' });
  });

  test('the origin counts also for a BIN range with more digits than are shown, and for a saved card', async () => {
    const issuer = { id: 'narrow', name: 'Narrow', shortName: 'Narrow', country: 'Uruguay', countryCode: 'UY' };
    const range = { from: rangeStart('411111111'), to: rangeEnd('411111111'), issuer };
    await createBinTable(gateway.database).upsertMany([range]);
    await configure([{ ...first, conditions: { origins: ['uruguay'] } }, second]);
    expect((await pay({}, 'visa-2')).body.routing[0]).toMatchObject({ processor: 'sandbox', reason: 'chosen' });
    // A saved card keeps its origin: only the digits that are shown are known of its number.
    const { body: customer } = await gateway.call('POST', '/v1/customers', { email: 'payer@example.com' });
    const { card } = paymentOf('visa-2', { merchantId: 1001, total: '1.00' })['paymentMethod'] as { card: object };
    const paymentMethod = { source: 'card', card: { ...card, tokenizationSettings: { type: 'store' } } };
    expect((await pay({ customerId: customer.id, paymentMethod }, 'visa-2')).status).toBe(200);
    const { body: saved } = await gateway.call('GET', `/v1/customers/${customer.id}/payment-instruments`);
    const byToken = { source: 'token', paymentInstrument: { token: saved[0].token } };
    const again = await pay({ paymentMethod: byToken });
    expect([again.status, again.body.routing?.[0]]).toEqual([
      200,
      { processor: 'sandbox', acquirer: 'acquirer-1', reason: 'chosen' },
    ]);
  });

  test('a payment that no route takes is refused, and nothing is stored', async () => {
    await configure([{ ...first, conditions: { currencies: ['UYU'] } }]);
    const referenceId = newReference('none');
    const { status, body } = await pay({ referenceId });
    expect([status, body.code]).toEqual([400, 'invalid-card-payment-method']);
    expect(body.message).toContain('currencies');
    expect(await gateway.database.collection('payments').countDocuments({ referenceId })).toBe(0);
  });

  test('a payment of a method without routes has no routing', async () => {
    const { body } = await pay({}, 'mastercard');
    expect([body.status, Object.keys(body)]).toEqual(['approved', expect.not.arrayContaining(['routing'])]);
  });
});

describe('the next route', () => {
  test('is tried under a new key when an acquirer is not reached, and the last outcome is answered', async () => {
    await configure([first, second]);
    let before = 0;
    // On a machine that stands still, the outcome of the first attempt is unknown instead, and taken back: that is another story.
    const { status, body, payment } = await until(async () => {
      before = performance.now();
      const answer = await pay({}, 'connection-refused');
      const found = await stored(answer.body.params.paymentId[0]);
      const isTakenBack = found?.transactions.some(({ kind }) => kind === 'reversal');
      return isTakenBack ? undefined : { ...answer, payment: found };
    });
    expect([status, body.code]).toEqual([422, 'acquirer-offline']);
    expect(payment?.transactions.map(({ status: one, leftRoute }) => [one, leftRoute?.processor])).toEqual([
      ['failed', 'sandbox'],
      ['failed', undefined],
    ]);
    expect(payment?.routing?.candidates.map(({ reason }) => reason)).toEqual(['not-reached', 'chosen']);
    // The reply of the last attempt ends the wait of the caller, before the response wait is over.
    expect(performance.now() - before).toBeLessThan(gateway.config.responseWaitMs);
  });

  test('is tried after a decline that advises to retry only if the merchant enables it', async () => {
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
    await configure([first, second]);
    expect((await pay()).body.status).toBe('approved');
    const payments = await gateway.database.collection<Payment>('payments').find({}).toArray();
    const facts = readLedger(await gateway.ledger());
    expect(payments.map(({ status }) => status)).toContain('approved');
    for (const payment of payments) {
      const taken = payment.transactions.filter(({ id }) => facts.net(id) > 0);
      const once = payment.status === 'approved' ? [['approved', 1]] : [];
      expect(taken.map(({ id, status }) => [status, facts.net(id)])).toEqual(once);
    }
  });
});

describe('cost in commands of MongoDB', () => {
  /** Returns the commands that MongoDB got for one payment: writes of payments, and all on collections that a choice could read. */
  async function commandsOf(card: string): Promise<readonly string[]> {
    const { connection } = gateway.database;
    const profile = connection.collection('system.profile');
    // The first payment fills the caches that last for seconds.
    await pay({}, card);
    await connection.db?.command({ profile: 2 });
    await pay({}, card);
    await connection.db?.command({ profile: 0 });
    const all = await profile.find({}).toArray();
    await profile.drop();
    return all
      .map(({ ns, op, command }) => `${String(ns).split('.').at(-1)} ${op} ${Object.keys(command ?? {})[0]}`)
      .filter((one) =>
        /^payments (insert|update|command findAndModify)|^(paymentMethods|binRanges|merchants) /.test(one),
      )
      .sort();
  }

  /** Returns the fewest commands of several payments: on a busy machine sweeps and lease renewals write in between. */
  async function leastCommandsOf(card: string): Promise<readonly string[]> {
    let least = await commandsOf(card);
    for (let tries = 1; tries < 4; tries += 1) {
      const commands = await commandsOf(card);
      if (commands.length < least.length) least = commands;
    }
    return least;
  }

  test('a payment with a choice of routes needs the same commands as a payment without', async () => {
    await configure([first, { ...second, share: 0 }]);
    const single = await leastCommandsOf('mastercard');
    const routed = await leastCommandsOf('visa');
    expect(single.length).toBeGreaterThan(0);
    expect(routed).toEqual(single);
  });
});

describe('shares', () => {
  test('payments are divided by percent, and a refund goes to the processor of its payment', async () => {
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

describe('a dry run', () => {
  const dryRun = (more: object = {}, card = 'visa') =>
    gateway.call('POST', '/v1/payments/dry-run', { ...paymentOf(card, { merchantId: 1001, total: '10.50' }), ...more });
  const counts = async () => {
    const names = (await gateway.database.connection.listCollections()).map(({ name }) => name).sort();
    const collections = names.filter((name) => !/idempotency|audit|rate/i.test(name));
    return Promise.all(
      collections.map(async (name) => [name, await gateway.database.collection(name).countDocuments({})]),
    );
  };

  test('shows routes with reasons, amounts and the split, and changes nothing', async () => {
    await configure([{ ...first, conditions: { currencies: ['UYU'] } }, second, { ...first, share: 0 }]);
    const [before, ledger] = [await counts(), await gateway.ledger()];
    const { status, body } = await dryRun({ installments: 3 });
    expect(status).toBe(200);
    expect(body).toEqual({
      merchantId: 1001,
      flow: 'direct',
      amount: { total: 10.5, currency: 'USD' },
      paymentMethod: expect.objectContaining({ id: 'visa', source: 'card' }),
      capture: { method: 'automatic' },
      installments: 3,
      routing: [
        { processor: 'sandbox-lagging', acquirer: 'acquirer-2', reason: 'chosen' },
        { processor: 'sandbox', acquirer: 'acquirer-1', reason: 'next' },
        { processor: 'sandbox', acquirer: 'acquirer-1', reason: 'condition', detail: 'currencies' },
      ],
      split: [{ merchantId: 1001, amount: 10.5 }],
    });
    expect(await counts()).toEqual(before);
    expect(await gateway.ledger()).toEqual(ledger);
  });

  test('chooses the same route as the payment', async () => {
    const { body: planned } = await dryRun({ capture: { method: 'manual' } });
    const { body: paid } = await pay({ capture: { method: 'manual' } });
    expect(planned.routing).toEqual(paid.routing);
    expect(planned.capture).toEqual(paid.capture);
    expect((await dryRun({}, 'mastercard')).body.routing).toEqual([
      { processor: 'sandbox', acquirer: expect.any(String), reason: 'chosen' },
    ]);
  });

  test('says whether the payer would be authenticated', async () => {
    const path = `${methodsOf(1001)}/amex/threeds`;
    const rules = { enabled: true, tier: 'basic', basic: { amount: { checkout: { USD: 5 }, api: { USD: 50 } } } };
    const settings = { provider: 'sandbox-3ds', metadata: {}, enabled: true, rules };
    const { body: catalogue } = await gateway.call('GET', '/v1/threeds/providers');
    const [provider] = catalogue;
    const metadata = Object.fromEntries(provider.requiredFields.map((name: string) => [name, 'x']));
    const { status } = await gateway.call('POST', path, { ...settings, provider: provider.code, metadata });
    expect(status).toBe(200);
    expect((await dryRun({}, 'amex')).body.threeDS).toEqual({ required: false, reason: 'amount-below-threshold' });
    const browserDetails = { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0' };
    const asked = await dryRun({ amount: { total: 60, currency: 'USD' }, browserDetails }, 'amex');
    expect(asked.body.threeDS).toEqual({ required: true, reason: 'amount-at-threshold', provider: provider.code });
    const refused = await dryRun({ amount: { total: 60, currency: 'USD' } }, 'amex');
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid-browser-details']);
  });

  test('refuses what a payment is refused for', async () => {
    const codeOf = async (more: object, card?: string) => {
      const { status, body } = await dryRun(more, card);
      return [status, body.code];
    };
    const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };
    const by = (more: object) => ({ paymentMethod: { source: 'card', card: { ...card, ...more } } });
    expect(await codeOf(by({ number: '4242424242424241' }))).toEqual([400, 'invalid-card-number']);
    expect(await codeOf(by({ expYear: 2020 }))).toEqual([400, 'invalid-card-expiration-date']);
    expect(await codeOf({ amount: { total: 0, currency: 'USD' } })).toEqual([400, 'payment-invalid-amount']);
    expect(await codeOf({ amount: { total: 1, currency: 'XQQ' } })).toEqual([400, 'currency-not-found']);
    expect(await codeOf({ merchantId: 999_999 })).toEqual([400, 'merchant-not-found']);
    expect(await codeOf({ customerId: 'cus_none' })).toEqual([400, 'request-validation-errors']);
    const wallet = { source: 'wallet-a-pay-token', walletAPayToken: { token: 'e30=' } };
    expect(await codeOf({ paymentMethod: wallet })).toEqual([400, 'request-validation-errors']);
    await configure([{ ...first, conditions: { currencies: ['UYU'] } }]);
    expect(await codeOf({})).toEqual([400, 'invalid-card-payment-method']);
  });

  test('is refused without a key and for a merchant of another client', async () => {
    const { other } = gateway.sandbox;
    const body = paymentOf('visa', { merchantId: 1001, total: '1' });
    const as = async (auth: string | null) =>
      (await gateway.call('POST', '/v1/payments/dry-run', body, { auth })).status;
    expect(await as(null)).toBe(401);
    expect(await as(`${other.clientId}:${other.apiKey}`)).toBe(403);
  });

  test('leaves the reference free', async () => {
    await configure([first]);
    const referenceId = newReference('dry');
    expect((await dryRun({ referenceId })).status).toBe(200);
    expect((await dryRun({ referenceId })).status).toBe(200);
    expect((await pay({ referenceId })).status).toBe(200);
    expect((await dryRun({ referenceId })).status).toBe(200);
  });
});
