/** Payment links over the API, and from their pages to their payments, callbacks and end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { HostedPaymentInput } from '../../api/sessions/hosted-inputs.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { Session } from '../../shared/domain/session/session.js';
import { type Receiver, startReceiver } from '../outbound/receiver.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { startRecordingProcessor } from '../support/recording-processor.js';
import { caller, cardInput, checkoutBody, makeSession } from './session-support.js';

let gateway: TestGateway;
let receiver: Receiver;
/** Returns the callbacks that arrived at a path. */
const callbacksAt = (path: string) =>
  receiver.received.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    name: 'links',
    settings: {
      PUBLIC_BASE_URL: 'https://pay.example.com',
      CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
      RESPONSE_WAIT_MS: '60000',
    },
  });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
});

const DECLINED = '4000000000000002';
const visa = '4242424242424242';

const fixedBody = (more: Record<string, unknown> = {}) => ({
  merchantId: 1001,
  type: 'regular',
  amount: { total: 122, currency: 'USD' },
  settings: { amountMode: 'fixed' },
  ...more,
});
const flexibleBody = (more: Record<string, unknown> = {}) => ({
  merchantId: 1001,
  type: 'regular',
  settings: {
    amountMode: 'flexible',
    flexibleAmount: { minAmount: 5, maxAmount: 500, suggestedAmount: 20, allowedCurrencies: ['USD', 'UYU'] },
  },
  ...more,
});

async function make(body: object = fixedBody()) {
  const { status, body: link } = await gateway.call('POST', '/v1/payment-links', body);
  expect([status, link.params]).toEqual([201, undefined]);
  return link;
}
const read = async (id: string) => (await gateway.call('GET', `/v1/payment-links/${id}`)).body;
const storedLinks = () => gateway.database.collection<PaymentLink>('payment_links');
const storedLink = (id: string) => storedLinks().findOne({ _id: id });
const setLink = (id: string, update: Parameters<ReturnType<typeof storedLinks>['updateOne']>[1]) =>
  storedLinks().updateOne({ _id: id }, update);
const refusal = async (body: object) => {
  const answer = await gateway.call('POST', '/v1/payment-links', body);
  return [answer.status, answer.body.code, Object.keys(answer.body.params ?? {})];
};

/** Opens the page of a link as a payer does, and continues to the checkout. */
async function enter(externalId: string, chosen?: { total: string; currency: string }): Promise<Session> {
  const { hostedLinks } = gateway.flows;
  const hosted = await hostedLinks.find(externalId);
  if (!hosted) throw new Error('there is no such link');
  return (await hostedLinks.enter(hosted, chosen, caller.traceId)).session;
}

async function pay(session: Session, attempt = 1, number = visa, more: Partial<HostedPaymentInput> = {}) {
  const { hostedSessions } = gateway.flows;
  const token = await tokenOf(session);
  const hosted = await hostedSessions.find(session._id, token);
  if (!hosted) throw new Error('the session does not open');
  return hostedSessions.pay(hosted, cardInput(attempt, number, more), caller);
}

/** Returns the token that the redirect to the checkout contains. */
async function tokenOf(session: Session): Promise<string> {
  const { createSessionTokens } = await import('../../api/sessions/session-token.js');
  return createSessionTokens(gateway.config.digestKey).tokenOf(session);
}

describe('payment links over the API', () => {
  test('a created link has all fields, with null for those that were absent', async () => {
    const link = await make();
    expect(link).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalId: expect.stringMatching(/^[0-9a-f]{32}$/),
      shareUrl: `https://pay.example.com/links/${link.externalId}`,
      qrCodeUrl: `https://pay.example.com/v1/public/payment-links/${link.externalId}/qr.svg`,
      merchantId: 1001,
      type: 'regular',
      amount: { total: 122, currency: 'USD' },
      settings: {
        amountMode: 'fixed',
        paymentMethodTypes: null,
        paymentMethods: null,
        installments: null,
        callbackUrl: null,
        flexibleAmount: null,
        skipPreCheckout: false,
      },
      validFrom: null,
      validUntil: null,
      displayName: null,
      description: null,
      items: null,
      status: 'active',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      splitDestinations: [],
    });
    expect(await read(link.id)).toEqual(link);
    expect(await read(link.id.toUpperCase())).toEqual(link);
  });

  test('a request that is repeated with its Idempotency-Key creates one link', async () => {
    const headers = { 'Idempotency-Key': 'link-1' };
    const first = await gateway.call('POST', '/v1/payment-links', fixedBody(), { headers });
    const again = await gateway.call('POST', '/v1/payment-links', fixedBody(), { headers });
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
  });

  const split = (...rules: object[]) => rules.map((amountRule) => ({ destinationMerchantId: 1002, amountRule }));
  const percentage = (value: number) => ({ type: 'percentage', value });
  test.each<[string, object, string, string[]]>([
    ['no amount', fixedBody({ amount: null }), 'request-validation-errors', ['amount']],
    [
      'an amount of nothing',
      fixedBody({ amount: { total: 0, currency: 'USD' } }),
      'payment-invalid-amount',
      ['amount.total'],
    ],
    [
      'a currency that is none',
      fixedBody({ amount: { total: 1, currency: 'XXX' } }),
      'currency-not-found',
      ['amount.currency'],
    ],
    ['a type that is none', fixedBody({ type: 'recurring' }), 'request-validation-errors', ['type']],
    [
      'bounds of a fixed amount',
      fixedBody({ settings: { amountMode: 'fixed', flexibleAmount: {} } }),
      'request-validation-errors',
      ['settings.flexibleAmount'],
    ],
    [
      'an end before its beginning',
      fixedBody({ validFrom: '2030-01-02', validUntil: '2030-01-01' }),
      'request-validation-errors',
      ['validUntil'],
    ],
    [
      'no currency at all',
      flexibleBody({ settings: { amountMode: 'flexible' } }),
      'request-validation-errors',
      ['settings.flexibleAmount.allowedCurrencies'],
    ],
    [
      'bounds the wrong way round',
      flexibleBody({
        settings: {
          amountMode: 'flexible',
          flexibleAmount: { minAmount: 5, maxAmount: 4, allowedCurrencies: ['USD'] },
        },
      }),
      'payment-invalid-amount',
      ['settings.flexibleAmount.maxAmount'],
    ],
    [
      'bounds that nothing can be paid within',
      flexibleBody({
        settings: { amountMode: 'flexible', flexibleAmount: { maxAmount: 0, allowedCurrencies: ['USD'] } },
      }),
      'payment-invalid-amount',
      ['settings.flexibleAmount.maxAmount'],
    ],
    [
      'bounds that no amount of one of the currencies is within',
      flexibleBody({
        settings: { amountMode: 'flexible', flexibleAmount: { maxAmount: 0.5, allowedCurrencies: ['USD', 'JPY'] } },
      }),
      'payment-invalid-amount',
      ['settings.flexibleAmount.maxAmount'],
    ],
    [
      'a suggestion out of bounds',
      flexibleBody({
        settings: {
          amountMode: 'flexible',
          flexibleAmount: { maxAmount: 4, suggestedAmount: 5, allowedCurrencies: ['USD'] },
        },
      }),
      'payment-invalid-amount',
      ['settings.flexibleAmount.suggestedAmount'],
    ],
    [
      'an amount in a currency that is not allowed',
      flexibleBody({ amount: { total: 20, currency: 'EUR' } }),
      'request-validation-errors',
      ['amount.currency'],
    ],
    [
      'a least amount that no payer can pay',
      flexibleBody({
        settings: {
          amountMode: 'flexible',
          flexibleAmount: { minAmount: '1000000000000', allowedCurrencies: ['USD'] },
        },
      }),
      'payment-invalid-amount',
      ['settings.flexibleAmount.minAmount'],
    ],
    [
      'an amount to suggest that is out of bounds',
      flexibleBody({
        amount: { total: 20, currency: 'USD' },
        settings: { amountMode: 'flexible', flexibleAmount: { maxAmount: 4 } },
      }),
      'payment-invalid-amount',
      ['amount.total'],
    ],
    [
      'a part that is more than a payer may pay',
      flexibleBody({ splitDestinations: split({ type: 'fixed', value: 501 }) }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a part that is more than a payer may pay in the units of the currency',
      flexibleBody({
        settings: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['JPY'], maxAmount: '100.5' } },
        splitDestinations: split({ type: 'fixed', value: 101 }),
      }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a part with more decimals than the currency',
      flexibleBody({
        settings: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['JPY'] } },
        splitDestinations: split({ type: 'fixed', value: 1.5 }),
      }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a part with more decimals than one of the currencies, in which nothing could be paid',
      flexibleBody({
        settings: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'JPY'] } },
        splitDestinations: split({ type: 'fixed', value: 10.5 }),
      }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a method that is none',
      fixedBody({ settings: { amountMode: 'fixed', paymentMethods: ['cash'] } }),
      'request-validation-errors',
      ['settings.paymentMethods.0'],
    ],
    [
      'installments of a method that is none',
      fixedBody({ settings: { amountMode: 'fixed', installments: { cash: [1] } } }),
      'request-validation-errors',
      ['settings.installments.cash'],
    ],
    [
      'an item without a quantity',
      fixedBody({ items: [{ name: 'Book', quantity: 0, price: 1 }] }),
      'request-validation-errors',
      ['items.0.quantity'],
    ],
    ['an unknown field', fixedBody({ colour: 'red' }), 'request-validation-errors', ['colour']],
    [
      'percentages over a hundred',
      fixedBody({ splitDestinations: split(percentage(60), percentage(41)) }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'one percentage over a hundred',
      fixedBody({ splitDestinations: split(percentage(101)) }),
      'request-validation-errors',
      ['splitDestinations.0.amountRule.value'],
    ],
    [
      'two residuals',
      fixedBody({ splitDestinations: split({ type: 'residual', value: null }, { type: 'residual' }) }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a residual with a value',
      fixedBody({ splitDestinations: split({ type: 'residual', value: 5 }) }),
      'request-validation-errors',
      ['splitDestinations.0.amountRule.value'],
    ],
    [
      'a percentage without one',
      fixedBody({ splitDestinations: split({ type: 'percentage' }) }),
      'request-validation-errors',
      ['splitDestinations.0.amountRule.value'],
    ],
    [
      'fixed parts over the total',
      fixedBody({ splitDestinations: split({ type: 'fixed', value: 123 }) }),
      'request-validation-errors',
      ['splitDestinations'],
    ],
    [
      'a part of nothing',
      fixedBody({ splitDestinations: split({ type: 'fixed', value: 0 }) }),
      'request-validation-errors',
      ['splitDestinations.0.amountRule.value'],
    ],
    [
      'a rate over one',
      fixedBody({ splitDestinations: [{ ...split(percentage(1))[0], vatRule: { type: 'excluded', rate: 22 } }] }),
      'request-validation-errors',
      ['splitDestinations.0.vatRule.rate'],
    ],
    [
      'a destination that does not exist',
      fixedBody({ splitDestinations: [{ destinationMerchantId: 999_999, amountRule: percentage(1) }] }),
      'merchant-not-found',
      ['splitDestinations.0.destinationMerchantId'],
    ],
    [
      'a callback to a file',
      fixedBody({ settings: { amountMode: 'fixed', callbackUrl: 'ftp://shop.example' } }),
      'request-validation-errors',
      ['settings.callbackUrl'],
    ],
  ])('a link with %s is refused', async (_name, body, code, fields) => {
    expect(await refusal(body)).toEqual([400, code, fields]);
  });

  test('a link without a currency is refused with a text that names the settings with the default one', async () => {
    const made = await gateway.call(
      'POST',
      '/v1/payment-links',
      flexibleBody({ settings: { amountMode: 'flexible' } }),
    );
    // The record of the merchant has a `defaultCurrency` too, which is another one.
    expect(made.body.params['settings.flexibleAmount.allowedCurrencies'][0]).toContain('/v1/payment-links/settings');
  });

  test('split destinations must be merchants of the same client that the key may use', async () => {
    const to = (destinationMerchantId: number) =>
      fixedBody({ splitDestinations: [{ destinationMerchantId, amountRule: percentage(10) }] });
    expect(await refusal(to(2001))).toEqual([403, 'forbidden', ['splitDestinations.0.destinationMerchantId']]);
    const { clientId, apiKey } = gateway.sandbox.secondary;
    const granted = await gateway.call('POST', '/v1/payment-links', to(1002), { auth: `${clientId}:${apiKey}` });
    expect(granted.status).toBe(403);
  });

  test('no part goes to a suspended merchant, neither of a new link nor of an earlier one', async () => {
    const { merchants } = gateway.deps;
    const parts = split(percentage(10));
    const link = await make(fixedBody({ splitDestinations: parts }));
    const other = await make();
    const entered = await enter(link.externalId);
    const field = 'destinationMerchantId';
    const put = (id: string, body: object) => gateway.call('PUT', `/v1/payment-links/${id}/split-destinations`, body);
    await merchants.setStatus(1002, 'suspended');
    try {
      const made = await gateway.call('POST', '/v1/payment-links', fixedBody({ splitDestinations: parts }));
      expect([made.status, made.body]).toMatchObject([
        403,
        { code: 'forbidden', message: expect.stringContaining('suspended'), params: expect.anything() },
      ]);
      expect(Object.keys(made.body.params)).toEqual([`splitDestinations.0.${field}`]);
      expect((await put(other.id, parts)).body).toMatchObject({
        code: 'forbidden',
        params: { [`0.${field}`]: [expect.anything()] },
      });
      await expect(pay(entered)).rejects.toMatchObject({ code: 'forbidden' });
    } finally {
      await merchants.setStatus(1002, 'active');
    }
    expect(await pay(entered)).toMatchObject({
      status: 'approved',
      split: [{ merchantId: 1002 }, { merchantId: 1001 }],
    });
  });

  test('the list is newest first, and filtered by merchant, type and status', async () => {
    const [first, second] = [
      await make(fixedBody({ merchantId: 1002 })),
      await make(flexibleBody({ merchantId: 1002 })),
    ];
    const ids = async (query: string) =>
      (await gateway.call('GET', `/v1/payment-links?merchantId=1002${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('&size=1&page=2')).toEqual([first.id]);
    expect(await ids('&type=one-time')).toEqual([]);
    await gateway.call('DELETE', `/v1/payment-links/${first.id}`);
    expect(await ids('&status=disabled')).toEqual([first.id]);
    expect(await ids('&status=active')).toEqual([second.id]);
    const outside = gateway.sandbox.other;
    const stranger = { auth: `${outside.clientId}:${outside.apiKey}` };
    expect((await gateway.call('GET', '/v1/payment-links', undefined, stranger)).body.totalItems).toBe(0);
    expect((await gateway.call('GET', `/v1/payment-links/${first.id}`, undefined, stranger)).status).toBe(404);
  });

  test('split destinations are replaced as a whole', async () => {
    const link = await make(fixedBody({ splitDestinations: split(percentage(10)) }));
    const put = (body: unknown) => gateway.call('PUT', `/v1/payment-links/${link.id}/split-destinations`, body);
    const replaced = await put([{ destinationMerchantId: 1002, amountRule: { type: 'fixed', value: '12.5' } }]);
    expect(replaced.body.splitDestinations).toEqual([
      {
        destinationMerchantId: 1002,
        subMerchantReference: null,
        amountRule: { type: 'fixed', value: 12.5 },
        vatRule: null,
        routingMetadata: null,
      },
    ]);
    expect((await put([])).body.splitDestinations).toEqual([]);
    expect((await put({})).status).toBe(400);
    expect((await put(split({ type: 'fixed', value: 999 }))).status).toBe(400);
    const unknown = '5d0c6f2f-1e7a-4b0b-8a3c-1d2e3f405162';
    expect((await gateway.call('PUT', `/v1/payment-links/${unknown}/split-destinations`, [])).status).toBe(404);
  });

  test('errors name a split destination by its path in the body of the endpoint', async () => {
    const stranger = { destinationMerchantId: 2001, amountRule: percentage(1) };
    const wrong = [
      [split({ type: 'fixed', value: 999 }), ''],
      [[...split(percentage(1)), stranger], '1.destinationMerchantId'],
      [split({ type: 'percentage', value: 101 }), '0.amountRule.value'],
      [split(percentage(60), percentage(60)), ''],
    ] as const;
    const link = await make();
    const named = ({ status, body }: { status: number; body: { params?: object } }) => [
      status === 400 || status === 403,
      Object.keys(body.params ?? {}),
    ];
    for (const [list, path] of wrong) {
      const put = await gateway.call('PUT', `/v1/payment-links/${link.id}/split-destinations`, list);
      expect(named(put)).toEqual([true, [path || 'body']]);
      const post = await gateway.call('POST', '/v1/payment-links', fixedBody({ splitDestinations: list }));
      expect(named(post)).toEqual([true, [['splitDestinations', path].filter(Boolean).join('.')]]);
    }
  });

  test('the settings of a merchant are stored, checked, and applied to its links', async () => {
    const put = (body: object) => gateway.call('PUT', '/v1/payment-links/settings', body);
    const none = {
      defaultExpirationMinutes: null,
      defaultCurrency: null,
      notificationUrl: null,
      businessUrlName: null,
    };
    const of = async (merchantId: number) =>
      (await gateway.call('GET', `/v1/payment-links/settings?merchantId=${merchantId}`)).body;
    expect(await of(1002)).toEqual({ merchantId: 1002, ...none, quickPayEnabled: true });
    const said = { merchantId: 1002, defaultExpirationMinutes: '60', defaultCurrency: 'UYU', quickPayEnabled: false };
    const saved = {
      merchantId: 1002,
      ...none,
      defaultExpirationMinutes: 60,
      defaultCurrency: 'UYU',
      quickPayEnabled: false,
    };
    expect((await put(said)).body).toEqual(saved);
    expect(await of(1002)).toEqual(saved);
    // No callback of a link could be sent to these addresses.
    for (const notificationUrl of ['https://h:6379/', 'https://169.254.169.254/']) {
      const refused = { status: 400, body: { params: { notificationUrl: [expect.any(String)] } } };
      expect(await put({ ...said, notificationUrl })).toMatchObject(refused);
    }
    expect(await of(1002)).toEqual(saved);
    const settings = { amountMode: 'flexible' };
    const link = await make(flexibleBody({ merchantId: 1002, settings }));
    expect(Date.parse(link.validUntil) - Date.parse(link.createdAt)).toBe(60 * 60_000);
    // Valid since long ago: the time counts from the creation, or the link would be over at once.
    const since = await make(flexibleBody({ merchantId: 1002, settings, validFrom: '2020-01-01' }));
    expect([since.status, Date.parse(since.validUntil) - Date.parse(since.createdAt)]).toEqual(['active', 60 * 60_000]);
    const far = { merchantId: 1002, settings, validFrom: '9999-12-31T23:30:00Z' };
    expect((await make(flexibleBody(far))).validUntil).toBe('9999-12-31T23:59:59.999Z');
    // In the currency of the merchant's settings a payer must be able to pay the suggested amount, and an amount up to the maximum.
    for (const [field, flexibleAmount] of Object.entries({
      suggestedAmount: { suggestedAmount: '1.005' },
      maxAmount: { maxAmount: '0.001' },
    })) {
      const bounded = { ...settings, flexibleAmount };
      expect(await refusal(flexibleBody({ merchantId: 1002, settings: bounded }))).toEqual([
        400,
        'payment-invalid-amount',
        [`settings.flexibleAmount.${field}`],
      ]);
    }
    expect(await refusal(flexibleBody({ merchantId: 1002, type: 'quick-pay' }))).toEqual([
      400,
      'request-validation-errors',
      ['type'],
    ]);
    expect((await put({ merchantId: 1002, businessUrlName: 'casa-lumbre' })).status).toBe(200);
    const taken = await put({ merchantId: 1001, businessUrlName: 'casa-lumbre' });
    expect([taken.status, taken.body.params]).toEqual([409, { businessUrlName: ['is taken'] }]);
    expect((await put({ merchantId: 1001, businessUrlName: 'Casa Lumbre' })).status).toBe(400);
    expect((await put({ merchantId: 1002 })).body).toEqual({ merchantId: 1002, ...none, quickPayEnabled: true });
  });

  test('the QR code of a link is public, and an unknown link has none', async () => {
    const { externalId } = await make();
    const answer = await gateway.call('GET', `/v1/public/payment-links/${externalId}/qr.svg`, undefined, {
      auth: null,
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(answer.body).toMatch(/^<svg[\s\S]*<\/svg>\s*$/);
    const unknown = await gateway.call('GET', '/v1/public/payment-links/0/qr.svg', undefined, { auth: null });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'payment-link-not-found']);
  });

  test('the QR code is drawn by the pool when the link is created, and served as it is stored', async () => {
    const { id, externalId } = await make();
    const links = gateway.database.connection.collection<{ _id: string; picture?: { address: string; svg?: string } }>(
      'payment_links',
    );
    const picture = async () => (await links.findOne({ _id: id }))?.picture;
    for (let giveUpAt = Date.now() + PATIENCE_MS; !(await picture())?.svg; await pause(50)) {
      if (Date.now() > giveUpAt) throw new Error('no picture was drawn');
    }
    const address = `https://pay.example.com/links/${externalId}`;
    expect(await picture()).toEqual({ address, svg: expect.stringMatching(/^<svg/) });
    await links.updateOne({ _id: id }, { $set: { 'picture.svg': '<svg>as stored</svg>' } });
    const path = `/v1/public/payment-links/${externalId}/qr.svg`;
    expect((await gateway.call('GET', path, undefined, { auth: null })).body).toBe('<svg>as stored</svg>');
    // A link of an earlier release has no stored picture. A picture that was drawn for another address is drawn again.
    await links.updateOne({ _id: id }, { $unset: { picture: '' } });
    expect((await gateway.call('GET', path, undefined, { auth: null })).body).toMatch(/^<svg[\s\S]*<\/svg>\s*$/);
    await links.updateOne(
      { _id: id },
      { $set: { picture: { address: 'https://old.example', svg: '<svg>old</svg>' } } },
    );
    const { body: drawn } = await gateway.call('GET', path, undefined, { auth: null });
    expect([drawn.startsWith('<svg'), drawn.includes('old')]).toEqual([true, false]);
    expect(await picture()).toEqual({ address, svg: expect.stringMatching(/^<svg/) });
  });

  test('a link can be disabled once, and a completed link cannot be disabled', async () => {
    const link = await make();
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).body).toEqual({});
    expect((await read(link.id)).status).toBe('disabled');
    expect((await gateway.call('DELETE', `/v1/payment-links/${link.id}`)).status).toBe(404);
    const once = await make(fixedBody({ type: 'one-time' }));
    await pay(await enter(once.externalId));
    expect((await gateway.call('DELETE', `/v1/payment-links/${once.id}`)).status).toBe(409);
  });

  test('a one-time link that is paid but not completed yet cannot be disabled', async () => {
    const once = await make(fixedBody({ type: 'one-time' }));
    await pay(await enter(once.externalId));
    // The state that a process leaves when it ends right after the payment.
    await setLink(once.id, { $set: { status: 'active' } });
    expect((await gateway.call('DELETE', `/v1/payment-links/${once.id}`)).status).toBe(409);
    expect((await read(once.id)).status).toBe('completed');
  });
});

describe('paying by a link', () => {
  test('several payers: each payment has its own reference, and the link lists all of them', async () => {
    const link = await make(
      fixedBody({ amount: { total: 122, currency: 'USD', details: { tax: { type: '19210', amount: 22 } } } }),
    );
    const first = await pay(await enter(link.externalId));
    await expect(pay(await enter(link.externalId), 1, DECLINED)).rejects.toMatchObject({
      code: 'declined-by-acquirer',
    });
    expect(first).toMatchObject({ status: 'approved', processingMethod: 'link', referenceId: `${link.externalId}-1` });
    const attempts = await gateway.call('GET', `/v1/payment-links/${link.id}/payments`);
    expect(attempts.body).toMatchObject({ page: 1, totalItems: 2 });
    expect(attempts.body.data).toMatchObject([
      { status: 'denied', referenceId: `${link.externalId}-2`, paymentLinkId: link.id },
      { status: 'approved', amount: { total: 122, details: { tax: { amount: 22 } } }, paymentLinkId: link.id },
    ]);
    expect((await read(link.id)).status).toBe('active');
    const listed = async () => (await gateway.call('GET', '/v1/sessions?merchantId=1001')).body.data;
    expect(await listed()).toEqual([]);
    // Only a session that the merchant makes is in its list.
    const { id } = await makeSession(gateway, checkoutBody());
    expect(await listed()).toMatchObject([{ id }]);
  });

  test('a one-time link is paid once, and refuses payers after that', async () => {
    const link = await make(fixedBody({ type: 'one-time' }));
    const [winner, late] = [await enter(link.externalId), await enter(link.externalId)];
    await expect(pay(winner, 1, DECLINED)).rejects.toMatchObject({ code: 'declined-by-acquirer' });
    expect((await read(link.id)).status).toBe('active');
    expect(await pay(winner, 2)).toMatchObject({ status: 'approved' });
    expect((await read(link.id)).status).toBe('completed');
    await expect(pay(late)).rejects.toMatchObject({ code: 'conflict' });
    await expect(enter(link.externalId)).rejects.toMatchObject({ code: 'conflict' });
    const attempts = await gateway.call('GET', `/v1/payment-links/${link.id}/payments`);
    expect(attempts.body.data.map(({ status }: { status: string }) => status).sort()).toEqual(['approved', 'denied']);
  });

  test('a one-time link that expires while a payer is paying is completed by the payment', async () => {
    const link = await make(fixedBody({ type: 'one-time' }));
    const session = await enter(link.externalId);
    const paid = await pay(session);
    // The state that a sweep leaves when it runs between the last check of the link and the write of the payment.
    await setLink(link.id, { $set: { status: 'expired' }, $unset: { checkAt: 1 } });
    expect(await pay(session)).toMatchObject({ _id: paid._id, status: 'approved' });
    expect((await read(link.id)).status).toBe('completed');
  });

  test('a payer whose card is refused leaves the check that is scheduled for another payer', async () => {
    const validUntil = new Date(Date.now() + 3_600_000);
    const link = await make(fixedBody({ type: 'one-time', validUntil }));
    const [, second] = [await enter(link.externalId), await enter(link.externalId)];
    // The state after the claim of the first payer.
    const checkAt = new Date(Date.now() + 1_800_000);
    await setLink(link.id, { $set: { checkAt } });
    await expect(pay(second, 1, '4242424242424241')).rejects.toMatchObject({ status: 400 });
    expect(await storedLink(link.id)).toMatchObject({ checkAt });
  });

  test('a one-time link whose payer is declined can be paid by the next payer', async () => {
    const link = await make(fixedBody({ type: 'one-time' }));
    const [first, second] = [await enter(link.externalId), await enter(link.externalId)];
    await expect(pay(first, 1, DECLINED)).rejects.toMatchObject({ code: 'declined-by-acquirer' });
    expect(await pay(second)).toMatchObject({ status: 'approved' });
    await expect(pay(first, 2)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a pending payment blocks a one-time link for other payers, and its late success completes the link', async () => {
    const processor = await startRecordingProcessor();
    const slow = await startGateway({
      name: 'linkslow',
      settings: { RESPONSE_WAIT_MS: '200', PROCESSOR_TIMEOUT_MS: '60000', SANDBOX_PROCESSOR_URL: processor.url },
    });
    processor.forwardTo(slow.simulatorUrl);
    const release = processor.hold();
    try {
      const { body: link } = await slow.call('POST', '/v1/payment-links', fixedBody({ type: 'one-time' }));
      const { hostedLinks, hostedSessions } = slow.flows;
      const { createSessionTokens } = await import('../../api/sessions/session-token.js');
      const tokens = createSessionTokens(slow.config.digestKey);
      const enterSlow = async () => {
        const hosted = await hostedLinks.find(link.externalId);
        if (!hosted) throw new Error('there is no such link');
        const { session } = await hostedLinks.enter(hosted, undefined, caller.traceId);
        const opened = await hostedSessions.find(session._id, tokens.tokenOf(session));
        if (!opened) throw new Error('the session does not open');
        return opened;
      };
      const [first, second] = [await enterSlow(), await enterSlow()];
      expect(await hostedSessions.pay(first, cardInput(1), caller)).toMatchObject({ status: 'pending' });
      await expect(hostedSessions.pay(second, cardInput(1), caller)).rejects.toMatchObject({ code: 'conflict' });
      // The page of other payers reloads automatically, also when the link has expired meanwhile.
      const page = async () => (await fetch(`${slow.baseUrl}/links/${link.externalId}?lang=en`)).text();
      const setEnd = (validUntil: Date | undefined) =>
        slow.database
          .collection<PaymentLink>('payment_links')
          .updateOne({ _id: link.id }, validUntil ? { $set: { validUntil } } : { $unset: { validUntil: '' } });
      for (const [availability, validUntil] of [
        ['ending', new Date(Date.now() - 1_000)],
        ['paying', undefined],
      ] as const) {
        await setEnd(validUntil);
        expect((await hostedLinks.find(link.externalId))?.availability).toBe(availability);
        expect(await page()).toMatch(/http-equiv="refresh" content="5; /);
      }
      release();
      const statusNow = async () => (await slow.call('GET', `/v1/payment-links/${link.id}`)).body.status;
      while ((await statusNow()) !== 'completed') await pause(100);
      expect(await statusNow()).toBe('completed');
      expect(await page()).not.toContain('http-equiv="refresh"');
    } finally {
      release();
      await slow.close();
      await processor.close();
    }
  });

  /** Calls `ask`, again and again while it is refused because the process has no free slot. */
  async function retryWhileBusy<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if ((error as { code?: string }).code !== 'service-unavailable') throw error;
        await pause(100);
      }
    }
  }
  const PAYERS = Number(process.env.LINK_PAYERS ?? '20');
  const LINKS = Number(process.env.LINK_COUNT ?? '5');
  const AT_ONCE = 5;
  test(`${LINKS} one-time links with ${PAYERS} payers at once each: one charge each`, async () => {
    const links: Awaited<ReturnType<typeof make>>[] = [];
    const reasons: string[] = [];
    // A few links at a time: callers for whom the process has no slot are refused (503), which proves nothing.
    for (let made = 0; made < LINKS; made += AT_ONCE) {
      const some = await Promise.all(Array.from({ length: AT_ONCE }, () => make(fixedBody({ type: 'one-time' }))));
      const sessions = await Promise.all(
        some.flatMap(({ externalId }) => Array.from({ length: PAYERS }, () => enter(externalId))),
      );
      const results = await Promise.allSettled(sessions.map((session) => retryWhileBusy(() => pay(session))));
      reasons.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : [])));
      links.push(...some);
    }
    expect(new Set(reasons)).toEqual(new Set(['conflict']));
    for (const link of links) {
      const { data } = (await gateway.call('GET', `/v1/payment-links/${link.id}/payments?size=100`)).body;
      expect(data.filter(({ status }: { status: string }) => status === 'approved')).toHaveLength(1);
    }
    // The processor's own books show what was charged for payments of these links.
    const ids = new Set(links.map(({ id }) => id));
    const payments = await gateway.database.connection
      .collection('payments')
      .find({ 'paymentLink.id': { $in: [...ids] } })
      .toArray();
    const keys = new Set(payments.flatMap(({ transactions }) => transactions.map(({ id }: { id: string }) => id)));
    const charged = (await gateway.ledger()).filter(({ kind, key }) => kind === 'purchase' && keys.has(key));
    expect(charged).toHaveLength(LINKS);
  }, 1_200_000);

  test('the QR code of a link is served to many callers at once', async () => {
    const { externalId } = await make();
    const path = `/v1/public/payment-links/${externalId}/qr.svg`;
    const answers = await Promise.all(
      Array.from({ length: 300 }, async () => {
        // A busy process refuses some of the calls; they are repeated.
        for (;;) {
          const answer = await gateway.call('GET', path, undefined, { auth: null });
          if (answer.status !== 503) return answer;
          await pause(100);
        }
      }),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body).length}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  test('an amount that the payer chooses must be within the bounds', async () => {
    const link = await make(flexibleBody());
    await expect(enter(link.externalId, { total: '4', currency: 'USD' })).rejects.toMatchObject({
      code: 'payment-invalid-amount',
    });
    await expect(enter(link.externalId, { total: '40', currency: 'EUR' })).rejects.toMatchObject({
      code: 'currency-not-found',
    });
    const paid = await pay(await enter(link.externalId, { total: '42.50', currency: 'UYU' }));
    expect(paid.amount).toMatchObject({ totalMinor: 4_250, currency: 'UYU' });
  });

  test('a link limits its payment methods and installments', async () => {
    const settings = { amountMode: 'fixed', paymentMethods: ['visa'], installments: { visa: [1, 3], '*': [1, 6] } };
    const link = await make(fixedBody({ settings }));
    await expect(pay(await enter(link.externalId), 1, '5555555555554444')).rejects.toMatchObject({
      code: 'invalid-card-payment-method',
    });
    await expect(pay(await enter(link.externalId), 1, visa, { installments: 6 })).rejects.toMatchObject({
      params: { installments: expect.anything() },
    });
    expect(await pay(await enter(link.externalId), 1, visa, { installments: 3 })).toMatchObject({ installments: 3 });
  });

  test.each([0, 3, 36])('a link without installments refuses %d installments from a form', async (installments) => {
    const session = await enter((await make()).externalId);
    await expect(pay(session, 1, visa, { installments })).rejects.toMatchObject({
      code: 'request-validation-errors',
      params: { installments: expect.anything() },
    });
    expect(await pay(session, 1, visa, { installments: 1 })).toMatchObject({ status: 'approved', installments: 1 });
  });

  test('a link that is disabled after a payer entered it cannot be paid', async () => {
    const link = await make();
    const session = await enter(link.externalId);
    await gateway.call('DELETE', `/v1/payment-links/${link.id}`);
    await expect(pay(session)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a link cannot be entered before its beginning or after its end', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const early = await make(fixedBody({ validFrom: at(60_000) }));
    expect((await gateway.flows.hostedLinks.find(early.externalId))?.availability).toBe('early');
    await expect(enter(early.externalId)).rejects.toMatchObject({ code: 'conflict' });
    const short = await make(fixedBody({ validUntil: at(1_000) }));
    while ((await read(short.id)).status !== 'expired') await pause(100);
    await expect(enter(short.externalId)).rejects.toMatchObject({ code: 'conflict' });
    const stored = () => gateway.database.connection.collection('payment_links').findOne({ _id: short.id });
    while ((await stored())?.['status'] !== 'expired') await pause(100);
    expect((await stored())?.['status']).toBe('expired');
  });

  test('a payment is split between merchants, refunded in proportion, and announced with its split', async () => {
    const splitDestinations = [
      {
        destinationMerchantId: 1002,
        subMerchantReference: 'stall-7',
        amountRule: { type: 'percentage', value: 33.333 },
      },
      { destinationMerchantId: 1002, amountRule: { type: 'fixed', value: 10 } },
    ];
    const callbackUrl = new URL('/own', receiver.url).href;
    const settings = { amountMode: 'fixed', callbackUrl };
    const link = await make(fixedBody({ splitDestinations, settings }));
    await expect(pay(await enter(link.externalId), 1, DECLINED)).rejects.toMatchObject({
      code: 'declined-by-acquirer',
    });
    const paid = await pay(await enter(link.externalId));
    const shown = async () => (await gateway.call('GET', `/v1/payments/${paid._id}`)).body;
    const parts = (await shown()).split;
    expect(parts).toEqual([
      { merchantId: 1002, subMerchantReference: 'stall-7', amount: 40.66, refunded: 0 },
      { merchantId: 1002, amount: 10, refunded: 0 },
      { merchantId: 1001, amount: 71.34, refunded: 0 },
    ]);
    await gateway.call('POST', `/v1/payments/${paid._id}/refunds`, {
      referenceId: `r1-${link.externalId}`,
      amount: 61,
    });
    expect((await shown()).split.map(({ refunded }: { refunded: number }) => refunded)).toEqual([20.33, 5, 35.67]);
    await gateway.call('POST', `/v1/payments/${paid._id}/refunds`, {
      referenceId: `r2-${link.externalId}`,
      amount: 61,
    });
    expect((await shown()).split.every(({ amount, refunded }: Record<string, number>) => amount === refunded)).toBe(
      true,
    );
    const mine = () => callbacksAt('/own').filter(({ paymentLinkId }) => paymentLinkId === link.id);
    while (mine().length < 1) await pause(50);
    expect(mine()[0]).toMatchObject({
      paymentLinkId: link.id,
      externalId: link.externalId,
      merchantId: 1001,
      payment: { id: paid._id, status: 'approved', split: parts },
    });
    expect(JSON.stringify(mine())).not.toContain('denied');
  });

  test('an amount that cannot be split is refused when the payer enters it, and when the payer pays', async () => {
    const splitDestinations = [{ destinationMerchantId: 1002, amountRule: { type: 'fixed', value: 50 } }];
    const refused = { code: 'payment-invalid-amount', params: { 'amount.total': expect.anything() } };
    const flexibleAmount = { allowedCurrencies: ['USD', 'JPY'] };
    const choice = await make(
      flexibleBody({ settings: { amountMode: 'flexible', flexibleAmount }, splitDestinations }),
    );
    await expect(enter(choice.externalId, { total: '20', currency: 'JPY' })).rejects.toMatchObject(refused);
    expect(await enter(choice.externalId, { total: '50.5', currency: 'USD' })).toMatchObject({ status: 'pending' });
    const halves = [{ destinationMerchantId: 1002, amountRule: { type: 'fixed', value: 1.5 } }];
    const { status, body } = await gateway.call('PUT', `/v1/payment-links/${choice.id}/split-destinations`, halves);
    expect([status, body.params]).toEqual([
      400,
      { body: ['exceed the total, or have more decimals than the currency, in JPY'] },
    ]);
    const link = await make(flexibleBody({ splitDestinations }));
    await expect(enter(link.externalId, { total: '20', currency: 'USD' })).rejects.toMatchObject(refused);
    const entered = await enter(link.externalId, { total: '50', currency: 'USD' });
    // The split is changed between the page of the link and the payment.
    const more = [{ destinationMerchantId: 1002, amountRule: { type: 'fixed', value: 51 } }];
    const path = `/v1/payment-links/${link.id}/split-destinations`;
    expect((await gateway.call('PUT', path, more)).status).toBe(200);
    await expect(pay(entered)).rejects.toMatchObject(refused);
  });

  test('a link without a callback address uses that of the merchant', async () => {
    const notificationUrl = new URL('/all', receiver.url).href;
    await gateway.call('PUT', '/v1/payment-links/settings', { merchantId: 1001, notificationUrl });
    const link = await make();
    await pay(await enter(link.externalId));
    const mine = () => callbacksAt('/all').filter(({ paymentLinkId }) => paymentLinkId === link.id);
    while (mine().length < 1) await pause(50);
    expect(mine()).toHaveLength(1);
    await gateway.call('PUT', '/v1/payment-links/settings', { merchantId: 1001 });
  });
});

describe('the page of a link', () => {
  const visit = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.baseUrl}${path}`, { redirect: 'manual', ...init });
  const sessions = (externalId: string) =>
    gateway.database.collection('sessions').countDocuments({ referenceId: new RegExp(`^${externalId}-`) });

  test('that leads straight to the checkout makes no session for HEAD or a prefetch', async () => {
    const { externalId } = await make(fixedBody({ settings: { amountMode: 'fixed', skipPreCheckout: true } }));
    const path = `/links/${externalId}`;
    for (const look of [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch;prerender' } }]) {
      const { status, headers } = await visit(path, look);
      expect([look, status, headers.get('location')]).toEqual([look, 200, null]);
    }
    expect(await sessions(externalId)).toBe(0);
    const entered = await visit(path);
    expect([entered.status, entered.headers.get('location')]).toEqual([303, expect.stringContaining('/checkout/ses_')]);
    expect(await sessions(externalId)).toBe(1);
  });
});

test('the session of a payer who only looks is removed soon, that of a payer who pays is kept', async () => {
  const link = await make();
  const DAYS_MS = 24 * 3_600_000;
  const seen = await enter(link.externalId);
  const held = () => gateway.database.collection('payments').countDocuments({ refKeys: `payment:${seen.referenceId}` });
  expect(await held()).toBe(0);
  expect(seen.removeAt.getTime() - Date.now()).toBeLessThan(2 * DAYS_MS);
  expect((await pay(seen)).status).toBe('approved');
  expect(await held()).toBe(1);
  const kept = await gateway.database.collection<Session>('sessions').findOne({ _id: seen._id });
  expect(Number(kept?.removeAt) - Date.now()).toBeGreaterThan(80 * DAYS_MS);
  expect(await held()).toBe(1);
  const taken = await gateway.call('POST', '/v1/payments', paymentBody({ referenceId: seen.referenceId }));
  expect([taken.status, taken.body.code]).toEqual([409, 'duplicated-reference-id']);
});
