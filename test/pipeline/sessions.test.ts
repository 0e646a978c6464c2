/** Sessions over the API, and a checkout from its URL to its payment, without its pages. */

import { rotateKey } from '../../scripts/provisioning/end-key.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { systemClock } from '../../shared/clock.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import {
  caller,
  cardInput,
  checkoutBody,
  makeSession,
  newReference,
  openSession,
  tokenizationBody,
} from './session-support.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'sessions', settings: { PUBLIC_BASE_URL: 'https://pay.example.com' } });
});
afterAll(() => gateway.close());

const hosted = () => gateway.flows.hostedSessions;
const declined = '4000000000000002';

describe('creating and listing', () => {
  test('a checkout has one action, a tokenization two', async () => {
    const checkout = await makeSession(gateway, checkoutBody());
    expect(checkout).toMatchObject({ status: 'pending', type: 'checkout', merchantId: 1001 });
    expect(checkout.actions).toEqual([
      {
        rel: 'self',
        method: 'REDIRECT',
        href: expect.stringMatching(/^https:\/\/pay\.example\.com\/checkout\/ses_[0-9a-f]{32}\?token=[\w-]{43}$/),
      },
    ]);
    const tokenization = await makeSession(gateway, tokenizationBody());
    expect(tokenization.actions).toEqual([
      { rel: 'REDIRECT', href: expect.stringContaining(`/tokenization/${tokenization.id}?token=`) },
      { rel: 'EMBEDDED', href: expect.stringContaining(`/tokenization/embedded/${tokenization.id}?token=`) },
    ]);
    expect(tokenization.settings.tokenization).toEqual({
      type: 'temporal',
      features: ['create', 'list', 'select', 'delete'],
    });
  });

  test('a session expires an hour after its creation by default', async () => {
    for (const body of [checkoutBody(), tokenizationBody()]) {
      const { createdAt, expiresAt } = await makeSession(gateway, body);
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60 * 60_000);
    }
  });

  test('no stored document contains the token that opens a page', async () => {
    const key = { headers: { 'Idempotency-Key': newReference('key') } };
    const body = checkoutBody();
    const made = await gateway.call('POST', '/v1/sessions', body, key);
    const token = new URL(made.body.actions[0].href).searchParams.get('token') ?? '';
    const collections = await gateway.database.connection.listCollections();
    const holding = async (text: string) => {
      const texts = collections.map(async ({ name }) => {
        const documents = await gateway.database.collection(name).find({}).toArray();
        return JSON.stringify(documents).includes(text) ? [name] : [];
      });
      return (await Promise.all(texts)).flat();
    };
    expect([token.length, await holding(token)]).toEqual([43, []]);
    // The search finds what is stored: the session, and the seed of its id beside the key.
    const [, seed = ''] = made.body.id.split('_');
    expect(await holding(seed)).toEqual(expect.arrayContaining(['sessions', 'idempotency_rows']));
    const again = await gateway.call('POST', '/v1/sessions', body, key);
    expect(again.body).toEqual(made.body);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    const other = await gateway.call('POST', '/v1/sessions', checkoutBody(), key);
    expect(other.body.code).toBe('conflict');
  });

  test('a session reserves its payment reference, and a used reference makes no session', async () => {
    const body = checkoutBody();
    const session = await makeSession(gateway, body);
    const taken = await gateway.call(
      'POST',
      '/v1/payments',
      paymentBody({ referenceId: body.paymentRequest.referenceId }),
    );
    expect(taken).toMatchObject({ status: 409, body: { code: 'duplicated-reference-id' } });
    expect(taken.body.params.existingId).toEqual([session.id]);
    const other = await gateway.call('POST', '/v1/sessions', checkoutBody({ paymentRequest: body.paymentRequest }));
    expect(other).toMatchObject({ status: 409, body: { params: { existingId: [session.id] } } });

    const payment = paymentBody();
    await gateway.call('POST', '/v1/payments', payment);
    const late = checkoutBody({
      paymentRequest: { ...checkoutBody().paymentRequest, referenceId: payment.referenceId },
    });
    expect(await gateway.call('POST', '/v1/sessions', late)).toMatchObject({ status: 409 });
    // The refused session was not stored: its own reference is free.
    const free = { ...late, paymentRequest: checkoutBody().paymentRequest };
    expect(await gateway.call('POST', '/v1/sessions', free)).toMatchObject({ status: 200 });
  });

  test('the reservation of a session is not shown as a payment', async () => {
    const { id } = await makeSession(gateway, checkoutBody());
    expect(await gateway.call('GET', `/v1/payments/${id}`)).toMatchObject({ status: 404 });
    const { body } = await gateway.call('GET', '/v1/payments/query?size=100');
    expect(body.data.every((payment: { id: string }) => payment.id.startsWith('pay_'))).toBe(true);
  });

  test('the same amount as number and as text is the same request', async () => {
    const body = checkoutBody();
    const { amount } = body.paymentRequest;
    const asking = (total: unknown) => ({
      ...body,
      paymentRequest: { ...body.paymentRequest, amount: { ...amount, total } },
    });
    await makeSession(gateway, asking(10.5));
    const again = await gateway.call('POST', '/v1/sessions', asking('10.50'));
    expect(again.body.params.sameRequest).toEqual(['true']);
  });

  test('two requests with the same session reference make one session', async () => {
    const body = checkoutBody();
    const answers = await Promise.all([
      gateway.call('POST', '/v1/sessions', body),
      gateway.call('POST', '/v1/sessions', body),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.code).toBe('duplicated-reference-id');
  });

  test('refusals name the field', async () => {
    const flexible = {
      amountMode: 'flexible',
      flexibleAmount: { allowedCurrencies: ['USD'], minAmount: 5, maxAmount: 9 },
    };
    const request = (amount: unknown) => ({ ...checkoutBody().paymentRequest, amount });
    const cases: [Record<string, unknown>, string, string?][] = [
      [checkoutBody({ paymentRequest: undefined }), 'paymentRequest'],
      [checkoutBody({ paymentRequest: request({ currency: 'USD' }) }), 'paymentRequest.amount.total'],
      [
        checkoutBody({ paymentRequest: request({ total: 1.001, currency: 'USD' }) }),
        'paymentRequest.amount.total',
        'payment-invalid-amount',
      ],
      [
        checkoutBody({ settings: { checkout: { amountMode: 'flexible' } } }),
        'settings.checkout.flexibleAmount.allowedCurrencies',
      ],
      [checkoutBody({ settings: { checkout: flexible } }), 'paymentRequest.amount.total', 'payment-invalid-amount'],
      [
        checkoutBody({
          settings: { checkout: { ...flexible, flexibleAmount: { allowedCurrencies: ['USD'], maxAmount: 0 } } },
        }),
        'settings.checkout.flexibleAmount.maxAmount',
      ],
      [
        checkoutBody({
          settings: { checkout: { ...flexible, flexibleAmount: { allowedCurrencies: ['JPY'], maxAmount: 0.5 } } },
        }),
        'settings.checkout.flexibleAmount.maxAmount',
      ],
      [
        checkoutBody({
          settings: { checkout: { ...flexible, flexibleAmount: { allowedCurrencies: ['USD'], minAmount: 1e12 } } },
        }),
        'settings.checkout.flexibleAmount.minAmount',
      ],
      ...[0, 1.005, 1e12].map((amount): [Record<string, unknown>, string, string] => [
        checkoutBody({ settings: { tokenization: { verifyFunds: { amount, currency: 'USD' } } } }),
        'settings.tokenization.verifyFunds.amount',
        'payment-invalid-amount',
      ]),
      [checkoutBody({ customerId: 'cus_nobody' }), 'customerId'],
      [
        checkoutBody({ settings: { callbacks: { paymentCallbackUrl: 'https://h:6379/' } } }),
        'settings.callbacks.paymentCallbackUrl',
      ],
      [checkoutBody({ settings: { redirects: { cancelUrl: 'javascript:alert(1)' } } }), 'settings.redirects.cancelUrl'],
      [checkoutBody({ settings: { redirects: { receipt: 'yes' } } }), 'settings.redirects.receipt'],
      [tokenizationBody({ token: 'x' }), 'token'],
      [tokenizationBody({ paymentRequest: checkoutBody().paymentRequest }), 'paymentRequest'],
      [
        tokenizationBody({ settings: { tokenization: { verifyFunds: { amount: 1, currency: 'EUR' } } } }),
        'settings.tokenization.verifyFunds.currency',
        'currency-not-found',
      ],
      [checkoutBody({ colour: 'red' }), 'colour'],
    ];
    for (const [body, field, code = 'request-validation-errors'] of cases) {
      const answer = await gateway.call('POST', '/v1/sessions', body);
      expect({ status: answer.status, code: answer.body.code, fields: Object.keys(answer.body.params ?? {}) }).toEqual({
        status: 400,
        code,
        fields: [field],
      });
    }
  });

  test('the list shows the sessions of the key and of the keys that it replaced', async () => {
    const { sandbox } = gateway;
    const provisioning = openProvisioning(gateway.database, gateway.config, systemClock);
    const own = await issueKey(provisioning, { clientId: sandbox.clientId });
    const auth = (key: string) => ({ auth: `${sandbox.clientId}:${key}` });
    const body = checkoutBody();
    await gateway.call('POST', '/v1/sessions', body, auth(own.apiKey));
    const list = async (query: string, key: string) =>
      (await gateway.call('GET', `/v1/sessions${query}`, undefined, auth(key))).body;
    expect(await list('', own.apiKey)).toMatchObject({ page: 1, size: 20, totalItems: 1, totalPages: 1 });
    const next = await rotateKey(provisioning, { keyId: own.keyId, overlapMs: 60_000 });
    const after = await rotateKey(provisioning, { keyId: next.keyId, overlapMs: 60_000 });
    const found = await list(`?referenceId=${body.referenceId}`, after.apiKey);
    expect(found.data).toMatchObject([{ referenceId: body.referenceId, status: 'pending' }]);
    const stranger = await issueKey(provisioning, { clientId: sandbox.clientId });
    expect(await list('', stranger.apiKey)).toMatchObject({ totalItems: 0, data: [] });
    const half = await gateway.call('GET', '/v1/sessions?minDate=2026-01-01');
    expect(half).toMatchObject({ status: 400, body: { params: { maxDate: expect.anything() } } });
  });
});

describe('a checkout', () => {
  test('opens by its token only', async () => {
    const [one, other] = [await makeSession(gateway, checkoutBody()), await makeSession(gateway, checkoutBody())];
    const opened = await openSession(gateway, one);
    expect(opened).toMatchObject({ status: 'pending', triesLeft: 5, nextAttempt: 1, merchant: { id: 1001 } });
    const otherToken = new URL(other.actions[0].href).searchParams.get('token') ?? '';
    expect(await hosted().find(one.id, otherToken)).toBeUndefined();
    expect(await hosted().find(one.id, '')).toBeUndefined();
  });

  test('that is declined and then paid has two payments with one reference, and is completed', async () => {
    const body = checkoutBody();
    const made = await makeSession(gateway, body);
    const first = await openSession(gateway, made);
    await expect(hosted().pay(first, cardInput(1, declined), caller)).rejects.toMatchObject({ status: 422 });
    const second = await openSession(gateway, made);
    expect(second).toMatchObject({ status: 'pending', triesLeft: 4, nextAttempt: 2 });
    const payment = await hosted().pay(second, cardInput(2), caller);
    expect(payment).toMatchObject({ status: 'approved', processingMethod: 'checkout', sessionId: made.id, attempt: 2 });
    expect(await openSession(gateway, made)).toMatchObject({ status: 'completed' });
    expect(await hosted().lastPayment(second)).toMatchObject({ _id: payment._id });

    const query = `/v1/payments/query?referenceId=${body.paymentRequest.referenceId}`;
    const { body: page } = await gateway.call('GET', query);
    expect(page.data).toMatchObject([
      { status: 'approved', sessionId: made.id, attempt: 2, invoiceNumber: 'INV-S-1' },
      { status: 'denied', sessionId: made.id, attempt: 1 },
    ]);
    const { body: listed } = await gateway.call('GET', `/v1/sessions?referenceId=${body.referenceId}`);
    expect(listed.data).toMatchObject([{ id: made.id, status: 'completed' }]);
  });

  test('makes one payment of a try that is sent twice at once', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const both = await Promise.all([
      hosted().pay(session, cardInput(1), caller),
      hosted().pay(session, cardInput(1), caller),
    ]);
    expect(new Set(both.map(({ _id }) => _id))).toEqual(new Set([paymentIdOfTry(session.session._id, 1)]));
    const charged = (await gateway.ledger()).filter(({ key }) => both.some((one) => one.transactions[0]?.id === key));
    expect(charged).toHaveLength(1);
    // The same try is sent once more after the session is completed.
    expect(await hosted().pay(session, cardInput(1), caller)).toMatchObject({ status: 'approved' });
  });

  test('makes one payment of a try that is sent thirty times at once; each caller gets it, or 409', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const pay = () => hosted().pay(session, cardInput(1), caller);
    const results = await Promise.allSettled(Array.from({ length: 30 }, pay));
    // A submission that was not the first may find the session completed. The page then shows the payment.
    const answers = results.map((one) =>
      one.status === 'fulfilled' ? one.value.status : (one.reason.code ?? one.reason),
    );
    expect(answers.filter((answer) => answer !== 'conflict' && answer !== 'approved')).toEqual([]);
    expect(answers).toContain('approved');
    expect(await gateway.payments.collection.countDocuments({ sessionId: session.session._id })).toBe(1);
  });

  test('refuses a second try while the first is under way', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const results = await Promise.allSettled([
      hosted().pay(session, cardInput(1), caller),
      hosted().pay(session, cardInput(2), caller),
    ]);
    expect(results[0]).toMatchObject({ status: 'fulfilled' });
    expect(results[1]).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    const payments = await gateway.payments.collection.countDocuments({ sessionId: session.session._id });
    expect(payments).toBe(1);
  });

  test('takes no further payment after five declines', async () => {
    const made = await makeSession(gateway, checkoutBody());
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const session = await openSession(gateway, made);
      await expect(hosted().pay(session, cardInput(attempt, declined), caller)).rejects.toMatchObject({ status: 422 });
    }
    const session = await openSession(gateway, made);
    expect(session).toMatchObject({ status: 'pending', triesLeft: 0 });
    await expect(hosted().pay(session, cardInput(6), caller)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('names the fields of a wrong card, which uses up no try', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const wrong = { kind: 'card' as const, number: '4242424242424241', expMonth: 12, expYear: 2034, cvc: '123' };
    await expect(hosted().pay(session, cardInput(1, '', { source: wrong }), caller)).rejects.toMatchObject({
      code: 'invalid-card-number',
      params: { number: expect.anything() },
    });
    const { cvc: _cvc, ...noCvc } = { ...wrong, number: '4242424242424242' };
    await expect(hosted().pay(session, cardInput(1, '', { source: noCvc }), caller)).rejects.toMatchObject({
      params: { cvc: expect.anything() },
    });
    expect(await hosted().pay(session, cardInput(1), caller)).toMatchObject({ status: 'approved', attempt: 1 });
  });

  test('shows its settings as they were sent, including those that its type does not use', async () => {
    const checkout = { disableThreeds: true };
    const { settings } = (await gateway.call('POST', '/v1/sessions', tokenizationBody({ settings: { checkout } })))
      .body;
    expect(settings).toMatchObject({ tokenization: { type: 'temporal' }, checkout });
    const other = (await gateway.call('POST', '/v1/sessions', checkoutBody())).body.settings;
    expect(other).toMatchObject({ tokenization: { type: 'temporal' }, checkout: { disableThreeds: false } });
  });

  test('accepts a flexible amount only within its bounds', async () => {
    const flexibleAmount = { allowedCurrencies: ['USD', 'UYU'], minAmount: 5, maxAmount: '20.50' };
    const { referenceId, invoiceNumber } = checkoutBody().paymentRequest;
    const body = checkoutBody({
      paymentRequest: { referenceId, invoiceNumber },
      settings: { checkout: { amountMode: 'flexible', flexibleAmount } },
    });
    const session = await openSession(gateway, await makeSession(gateway, body));
    const pay = (total: string, currency: string) =>
      hosted().pay(session, cardInput(1, undefined, { amount: { total, currency } }), caller);
    await expect(pay('4.99', 'USD')).rejects.toMatchObject({ code: 'payment-invalid-amount' });
    await expect(pay('20.51', 'USD')).rejects.toMatchObject({ code: 'payment-invalid-amount' });
    await expect(pay('10', 'EUR')).rejects.toMatchObject({ code: 'currency-not-found' });
    expect(await pay('20.5', 'UYU')).toMatchObject({ amount: { totalMinor: 2050, currency: 'UYU' } });
  });

  test('ignores the amount of the form when the amount is fixed', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const input = cardInput(1, undefined, { amount: { total: '0.01', currency: 'USD' } });
    expect(await hosted().pay(session, input, caller)).toMatchObject({ amount: { totalMinor: 1050 } });
  });

  test('that the payer cancelled takes no payment', async () => {
    const made = await makeSession(gateway, checkoutBody());
    const session = await openSession(gateway, made);
    expect(await hosted().cancel(session)).toMatchObject({ status: 'cancelled' });
    await expect(hosted().pay(session, cardInput(1), caller)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().cancel(await openSession(gateway, made))).rejects.toMatchObject({ code: 'conflict' });
  });

  test('cannot save a card without a payment', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };
    await expect(hosted().tokenize(session, { attempt: 1, card, browserDetails: {} }, caller)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
