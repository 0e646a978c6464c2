/** What each answer of a 3DS server does to a payment, at the first request and after a challenge, on the real MongoDB. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import type { AuthenticationRequest, ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import type { Pool } from '../../workers/pool.js';
import { createThreeDsPool } from '../../workers/threeds/threeds-pool.js';
import { createdPayment, firstTx, schedule } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { type WorkHarness, workHarness } from './work-harness.js';

const SHOP = 'https://shop.example/return';
const SESSION = '8d3a1f8e-3f0c-4a9f-9f38-6a8d9d3c1a11';
const known = { version: '2.2.0', dsTransactionId: 'ds_1' } as const;
const frictionless = { ...known, kind: 'authenticated', transStatus: 'Y', eci: '5' } as const;
const challenge = { ...known, kind: 'challenge', acsUrl: 'https://acs.example', acsTransactionId: 'acs_1' } as const;

let store: PaymentStore;
let harness: WorkHarness;
let pool: Pool | undefined;
beforeAll(async () => {
  store = await openPaymentStore('threeds_answers');
});
beforeEach(() => {
  harness = workHarness(store);
});
afterEach(async () => {
  await pool?.close();
  const orphans = await store.orphanIds();
  await store.payments.deleteMany({});
  expect(orphans).toEqual([]);
});
afterAll(() => store?.close());

type Answers = Partial<Record<'findMethod' | 'authenticate' | 'result', object | (() => Promise<never>)>>;

/** Sets up a 3DS server with one answer for each question; returns the list of what it is asked. */
function serverWith(answers: Answers) {
  const asked: { question: string; request: Partial<AuthenticationRequest> & Record<string, unknown> }[] = [];
  const answer = (question: keyof Answers) => async (request: object) => {
    asked.push({ question, request: request as (typeof asked)[number]['request'] });
    const said = answers[question] ?? { kind: 'no-method' };
    return typeof said === 'function' ? said() : said;
  };
  const provider = {
    code: 'sandbox',
    findMethod: answer('findMethod'),
    authenticate: answer('authenticate'),
    result: answer('result'),
  } as unknown as ThreeDsProvider;
  pool = createThreeDsPool({
    ...(harness.deps as object as Parameters<typeof createThreeDsPool>[0]),
    providers: { get: (code) => (code === 'sandbox' ? provider : undefined) },
  });
  return asked;
}
const step = (payment: Payment) => harness.step(pool as Pool, payment);

const required = (more: object = {}): NonNullable<Payment['threeDs']> => ({
  ...{ required: true, reason: 'always', provider: 'sandbox', sessionId: SESSION, status: 'created' },
  ...more,
});
type More = { readonly [Field in keyof Payment]?: Payment[Field] | undefined };

/** Stores a payment as the API accepts it, with an authentication as its work. */
async function put(more: More = {}): Promise<Payment> {
  const now = harness.deps.clock.now();
  const payment = createdPayment({ createdAt: now, redirectUrl: SHOP, threeDs: required() });
  const work = newWork('authenticate', firstTx(payment).id, now);
  await store.put({ ...payment, work, ...more } as Payment);
  return store.read(payment._id);
}

/** Stores a payment whose payer is answering the issuer's challenge. */
async function challenged(more: More = {}): Promise<Payment> {
  const now = harness.deps.clock.now();
  const payment = createdPayment({ createdAt: now });
  const { acsUrl, acsTransactionId } = challenge;
  const threeDs = required({
    ...{ ...known, status: 'step-up-required', flow: 'challenge', reference: 'srv_1' },
    challenge: { acsUrl, acsTransactionId, pageUrl: 'https://gw.example/threeds/challenge/x' },
  });
  const later = (ms: number) => new Date(now.getTime() + ms);
  await store.put({
    ...payment,
    ...{ status: 'pending', redirectUrl: SHOP, threeDs, awaitedUntil: now },
    ...{ transactions: [{ ...firstTx(payment), status: 'pending' }] },
    ...{
      deadline: { kind: 'challenge', at: later(schedule.challengeMs) },
      authorizeBy: later(2 * schedule.challengeMs),
    },
    work: newWork('await-challenge', firstTx(payment).id, now),
    ...more,
  } as Payment);
  return store.read(payment._id);
}

describe('the first authentication request', () => {
  test('the request has card, amount, merchant, payer, and the return address of the payer', async () => {
    const asked = serverWith({ authenticate: frictionless });
    harness.deps.merchants.findMerchant = async () => ({ name: 'Shop' });
    const rules = { enabled: true, tier: 'basic', thresholds: { api: {}, checkout: {} } } as const;
    const threeDsSettings = { provider: 'sandbox', metadata: [{ k: 'tier', v: 'gold' }], enabled: true, rules };
    const before = await put({ installments: 3, threeDsSettings });
    await step(before);
    expect(asked).toMatchObject([
      {
        question: 'authenticate',
        request: {
          sessionId: SESSION,
          card: { number: '4242424242424242', expMonth: 12, expYear: 2034 },
          ...{ amountMinor: 1050, currency: 'USD', merchantId: 1001, merchantName: 'Shop', metadata: { tier: 'gold' } },
          ...{ browser: {}, payer: {}, purchasedAt: before.createdAt, installments: 3, methodCompletion: 'U' },
          returnUrl: `https://gw.example/threeds/return/${SESSION}`,
          traceId: before.traceId,
        },
      },
    ]);
    expect(asked[0]?.request).not.toHaveProperty('prepared');
    expect(asked[0]?.request.card).not.toHaveProperty('holderName');
  });

  test('an authentication is requested for a merchant without a name and without settings', async () => {
    const asked = serverWith({ authenticate: frictionless });
    await step(await put());
    expect(asked[0]?.request).toMatchObject({ merchantName: '', metadata: {} });
  });

  test('the request has the name on the card and what is known of the browser', async () => {
    const asked = serverWith({ authenticate: frictionless });
    const cardholder = { firstName: 'Ana', lastName: 'Paz' };
    const text = JSON.stringify({ number: '4242424242424242', expMonth: 12, expYear: 2034, cardholder });
    harness.deps.vault.open = async () => Buffer.from(text);
    const browserDetails = { userAgent: 'x', ipAddress: '192.0.2.1' };
    await step(await put({ browserDetails }));
    expect(asked[0]?.request).toMatchObject({ card: { holderName: 'Ana Paz' }, browser: browserDetails });
  });

  test('an authenticated payment keeps the proof, with its value sealed, and goes to the processor', async () => {
    serverWith({ authenticate: { ...frictionless, authenticationValue: 'AAAB' } });
    const sealed: unknown[] = [];
    const { seal } = harness.deps.vault;
    harness.deps.vault.seal = (async (...args: unknown[]) => {
      sealed.push(args);
      return (seal as () => unknown)();
    }) as never;
    const before = await put();
    const payment = await step(before);
    expect(payment).toMatchObject({
      threeDs: { status: 'frictionless', flow: 'frictionless', transStatus: 'Y', eci: '05', liabilityShift: true },
      authenticationValue: { kid: 'card:0' },
      work: { queue: 'processor', kind: 'authorize' },
    });
    const owner = { merchantId: 1001, customerId: undefined };
    const binding = { recordId: before._id, field: 'authenticationValue', clientId: 'cli_a', owner };
    expect(sealed).toEqual([['cvc', 'AAAB', binding]]);
    expect(harness.outcomes).toEqual(['authenticated']);
  });

  test.each([
    ['failed', {}],
    ['cancelled', { cancelled: true }],
  ])('a payment whose authentication is %s is denied', async (status, more) => {
    serverWith({ authenticate: { ...known, kind: 'not-authenticated', transStatus: 'N', ...more } });
    expect(await step(await put())).toMatchObject({
      status: 'denied',
      threeDs: { status, error: 'authentication-failed', transStatus: 'N', version: '2.2.0' },
      transactions: [],
    });
    expect(harness.replies).toMatchObject([{ channel: 'channel' }]);
    expect(harness.outcomes).toEqual([status]);
  });

  test('a challenge sends the payer to our challenge page, with a deadline to answer', async () => {
    serverWith({ authenticate: { ...challenge, reference: 'srv_1' } });
    const payment = await step(await put());
    expect(payment).toMatchObject({
      status: 'pending',
      threeDs: {
        ...{ status: 'step-up-required', transStatus: 'C', version: '2.2.0', reference: 'srv_1' },
        challenge: {
          ...{ acsUrl: 'https://acs.example', acsTransactionId: 'acs_1' },
          pageUrl: `https://gw.example/threeds/challenge/${SESSION}`,
        },
      },
      deadline: { kind: 'challenge' },
      work: { queue: 'threeds', kind: 'await-challenge' },
    });
    expect(harness.outcomes).toEqual(['challenge']);
  });

  test('a challenge is refused when the payment has no return address for the payer', async () => {
    serverWith({ authenticate: challenge });
    const payment = await step(await put({ redirectUrl: undefined }));
    expect(payment).toMatchObject({
      status: 'denied',
      threeDs: { status: 'failed', error: 'authentication-required', transStatus: 'C', dsTransactionId: 'ds_1' },
    });
    expect(payment.threeDs).not.toHaveProperty('challenge');
    expect(harness.outcomes).toEqual(['no-challenge-possible']);
  });

  test.each([
    ['it cannot be done', { kind: 'impossible', internal: 'U' }],
    ['the range of the card is not known there', undefined],
  ])('when %s, the payment is denied and the log has the reason', async (_what, authenticate) => {
    const findMethod = { kind: 'impossible', internal: 'U' };
    serverWith(authenticate ? { authenticate } : { findMethod });
    const payment = await step(await put(authenticate ? {} : { sessionId: 'ses_1' }));
    expect(payment).toMatchObject({ status: 'denied', threeDs: { status: 'error', error: 'authentication-failed' } });
    expect(harness.lines).toContainEqual(['authentication.impossible', 'U']);
    expect(harness.outcomes).toEqual(['error']);
  });

  test('a silent server is asked again with the same session, then the payment is denied', async () => {
    const asked = serverWith({ authenticate: { kind: 'no-answer', internal: 'timeout' } });
    let payment = await put();
    for (let tries = 1; tries < limits.threeDsTriesMax; tries += 1) {
      payment = await step(payment);
      expect(payment).toMatchObject({ status: 'created', work: { kind: 'authenticate', tries } });
      const waitMs = (payment.work?.dueAt.getTime() ?? 0) - harness.deps.clock.now().getTime();
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(limits.threeDsAgainMs);
    }
    expect(harness.lines).toContainEqual(['authentication.no-answer', 'timeout']);
    expect(await step(payment)).toMatchObject({ status: 'denied', threeDs: { status: 'error' } });
    expect(asked).toHaveLength(limits.threeDsTriesMax);
    expect(new Set(asked.map(({ request }) => request.sessionId)).size).toBe(1);
  });

  test.each([
    ['the vault has no key', () => Promise.reject(new VaultError('unavailable' as never, 'no key')), 'no key'],
    ['the customer cannot be read', undefined, 'the customer could not be read'],
  ])('when %s, the work is tried again, then denied without asking the server', async (_what, open, reason) => {
    const asked = serverWith({ authenticate: frictionless });
    if (open) harness.deps.vault.open = open;
    else harness.deps.customers.find = () => Promise.reject(new Error('no primary'));
    let payment = await put({ customerId: 'cus_1' });
    for (let tries = 1; tries < limits.threeDsTriesMax; tries += 1) {
      payment = await step(payment);
      expect(payment).toMatchObject({ status: 'created', work: { tries } });
    }
    expect(await step(payment)).toMatchObject({ status: 'denied', threeDs: { status: 'error' } });
    expect([asked, harness.lines.at(-1)]).toEqual([[], ['authentication.impossible', reason]]);
  });

  test('a payment whose sealed card was changed is denied at once, with an alert and an alarm', async () => {
    const asked = serverWith({ authenticate: frictionless });
    const counted: string[] = [];
    harness.deps.metrics.event = (kind) => void counted.push(kind);
    harness.deps.vault.open = () => Promise.reject(new VaultError('envelope-invalid', 'it does not open'));
    const payment = await step(await put());
    expect(payment).toMatchObject({ status: 'denied', threeDs: { status: 'error', error: 'authentication-failed' } });
    expect(payment.alerts?.map(({ text }) => text)).toEqual([expect.stringContaining('does not open')]);
    expect([payment.work, asked]).toEqual([undefined, []]);
    expect(counted).toEqual(expect.arrayContaining(['envelope-tampered', 'work-flagged']));
    expect(harness.lines.map(([message]) => message)).toEqual(['vault.envelope-tampered', 'payment.needs-a-person']);
  });

  test('an unexpected fault leaves the work with its lease, to be taken over', async () => {
    serverWith({ authenticate: () => Promise.reject(new Error('a defect')) });
    const payment = await step(await put());
    expect(payment).toMatchObject({ status: 'created', work: { kind: 'authenticate', tries: 0 } });
    expect(payment.work?.leaseToken).toBeDefined();
    expect(harness.lines.map(([message]) => message)).toEqual(['work.failed']);
  });

  test('a click-to-pay checkout is denied, because it has no card to authenticate', async () => {
    serverWith({ authenticate: frictionless });
    harness.deps.vault.open = async () => Buffer.from('{"clickToPay":{"merchantTransactionId":"m"}}');
    expect(await step(await put())).toMatchObject({ status: 'denied', threeDs: { status: 'error' } });
    expect(harness.lines).toContainEqual(['authentication.impossible', 'only the processor learns the card']);
  });

  test.each([
    ['of a provider that is not configured here', { provider: 'other' }],
    ['without a session', { sessionId: undefined }],
    ['without a provider', { provider: undefined }],
  ])('an authentication %s is denied', async (_what, more) => {
    const asked = serverWith({ authenticate: frictionless });
    expect(await step(await put({ threeDs: required(more) }))).toMatchObject({
      status: 'denied',
      threeDs: { status: 'error' },
    });
    expect(asked).toEqual([]);
    expect(harness.lines).toContainEqual(['authentication.impossible', 'the provider is not configured here']);
  });

  test('a payment that is too old to authorize fails, and the server is not asked', async () => {
    const asked = serverWith({ authenticate: frictionless });
    const payment = await put();
    harness.advance(limits.authorizeWithinMs + 1_000);
    expect(await step(payment)).toMatchObject({ status: 'failed', threeDs: { status: 'expired' } });
    expect(asked).toEqual([]);
    expect(harness.outcomes).toEqual(['too-old']);
  });

  test('a payment without a 3D Secure decision does not proceed', async () => {
    const asked = serverWith({ authenticate: frictionless });
    const payment = await step(await put({ threeDs: undefined }));
    expect(payment).toMatchObject({ status: 'created', work: { kind: 'authenticate' } });
    expect([asked, harness.lines.map(([message]) => message)]).toEqual([[], ['work.failed']]);
    expect(harness.outcomes).toEqual([]);
  });
});

describe('a payer at the checkout', () => {
  const atCheckout = { sessionId: 'ses_1' };

  test('when the issuer wants the 3DS method, the authentication is requested after it', async () => {
    const prepared = { reference: 'srv_1', version: '2.1.0' };
    const asked = serverWith({
      findMethod: { kind: 'method', url: 'https://acs.example/look', prepared },
      authenticate: frictionless,
    });
    const looking = await step(await put(atCheckout));
    expect(looking).toMatchObject({
      threeDs: { method: { url: 'https://acs.example/look' }, reference: 'srv_1', version: '2.1.0' },
      work: { kind: 'authenticate', tries: 0 },
    });
    expect(asked[0]).toMatchObject({
      question: 'findMethod',
      request: { sessionId: SESSION, card: { number: '4242424242424242' }, traceId: looking.traceId },
    });
    expect(await step(looking)).toMatchObject({ threeDs: { status: 'frictionless' }, work: { kind: 'authorize' } });
    expect(asked[1]).toMatchObject({ question: 'authenticate', request: { prepared, methodCompletion: 'N' } });
    expect(asked).toHaveLength(2);
    expect(harness.outcomes).toEqual(['method', 'authenticated']);
  });

  test('a 3DS method that the server names only when asked again is used in the authentication', async () => {
    const prepared = { reference: 'srv_1', version: '2.1.0' };
    const silent = { kind: 'no-answer', internal: 'timeout' };
    const answers: Answers = { findMethod: silent, authenticate: silent };
    const asked = serverWith(answers);
    const unanswered = await step(await put(atCheckout));
    expect(unanswered.work).toMatchObject({ kind: 'authenticate', tries: 1 });
    Object.assign(answers, {
      ...{ findMethod: { kind: 'method', url: 'https://acs.example/look', prepared } },
      authenticate: frictionless,
    });
    const payment = await step(await step(unanswered));
    expect(payment.threeDs?.status).toBe('frictionless');
    expect(asked.at(-1)).toMatchObject({ question: 'authenticate', request: { prepared } });
  });

  test('a repeated authentication does not rely on what the server prepared for the 3DS method', async () => {
    const threeDs = required({
      ...{ reference: 'srv_1', version: '2.1.0' },
      method: { url: 'https://acs.example/look', endsAt: new Date(), completion: 'Y' },
    });
    const asked = serverWith({ authenticate: { kind: 'no-answer', internal: 'timeout' } });
    await step(await step(await put({ ...atCheckout, threeDs })));
    expect(asked.map(({ question, request }) => [question, request.methodCompletion, request.prepared])).toEqual([
      ['authenticate', 'Y', { reference: 'srv_1', version: '2.1.0' }],
      ['authenticate', 'Y', undefined],
    ]);
  });

  test.each([
    ['no look is wanted', { kind: 'no-method' }, undefined],
    [
      'no look is wanted, by a server with ids of its own',
      { kind: 'no-method', prepared: { reference: 's', version: '2.2.0' } },
      { reference: 's', version: '2.2.0' },
    ],
    ['the server does not say', { kind: 'no-answer', internal: 'timeout' }, undefined],
  ])('when %s, the authentication is requested at once', async (_what, findMethod, prepared) => {
    const asked = serverWith({ findMethod, authenticate: frictionless });
    expect(await step(await put(atCheckout))).toMatchObject({ threeDs: { status: 'frictionless' } });
    expect(asked.map(({ question }) => question)).toEqual(['findMethod', 'authenticate']);
    expect(asked[1]?.request.prepared).toEqual(prepared);
    const warned = harness.lines.filter(([message]) => message === 'authentication.method-unknown');
    expect(warned).toEqual(findMethod.kind === 'no-answer' ? [['authentication.method-unknown', 'timeout']] : []);
  });
});

describe('after a challenge', () => {
  test('the request has our session, the ids of the other parties, and the amount', async () => {
    const asked = serverWith({ result: { kind: 'open' } });
    const payment = await challenged();
    await step(payment);
    expect(asked).toEqual([
      {
        question: 'result',
        request: {
          ...{ sessionId: SESSION, amountMinor: 1050, currency: 'USD', traceId: payment.traceId },
          ...{ reference: 'srv_1', version: '2.2.0', dsTransactionId: 'ds_1', acsTransactionId: 'acs_1' },
        },
      },
    ]);
  });

  test('while the payer has not answered, the result is requested now and then', async () => {
    serverWith({ result: { kind: 'open' } });
    const payment = await step(await challenged());
    expect(payment).toMatchObject({ status: 'pending', work: { kind: 'await-challenge', tries: 0 } });
    const waitMs = (payment.work?.dueAt.getTime() ?? 0) - harness.deps.clock.now().getTime();
    expect(waitMs).toBeGreaterThan(schedule.challengeAskMs / 2);
    expect(harness.outcomes).toEqual(['open']);
  });

  test('a payer who passes is authenticated, and the payment goes to the processor', async () => {
    serverWith({ result: frictionless });
    const payment = await step(await challenged());
    expect(payment).toMatchObject({
      threeDs: { status: 'authenticated', flow: 'challenge', liabilityShift: true },
      work: { queue: 'processor', kind: 'authorize' },
    });
    expect(payment.deadline).toBeUndefined();
  });

  test('a payment whose payer does not pass is denied', async () => {
    serverWith({ result: { ...known, kind: 'not-authenticated', transStatus: 'N' } });
    expect(await step(await challenged())).toMatchObject({ status: 'denied', threeDs: { status: 'failed' } });
  });

  /** Stores a challenged payment whose work has already been tried `tries` times. */
  const result = async (kind: 'await-challenge' | 'conclude', tries = 0, more: More = {}) => {
    const { _id, transactions } = await challenged(more);
    const now = harness.deps.clock.now();
    const work = { ...newWork(kind, transactions[0]?.id ?? '', now), tries };
    await store.payments.updateOne({ _id }, { $set: { work } });
    return store.read(_id);
  };
  const timeIsUp = { deadline: undefined };

  test('a result that is later than the issuer’s last message is requested once more soon, then now and then', async () => {
    const asked = serverWith({ result: { kind: 'open' } });
    const { _id } = await result('conclude');
    const answeredAt = harness.deps.clock.now();
    await store.payments.updateOne({ _id }, { $set: { 'threeDs.challenge.answeredAt': answeredAt } });
    const again = await step(await store.read(_id));
    expect(again.work).toMatchObject({ kind: 'conclude', tries: 1 });
    const waitMs = (again.work?.dueAt.getTime() ?? 0) - harness.deps.clock.now().getTime();
    expect(waitMs).toBeLessThanOrEqual(limits.threeDsAgainMs);
    expect((await step(again)).work).toMatchObject({ kind: 'await-challenge', tries: 0 });
    expect(asked).toHaveLength(2);
  });

  test('a payer who is back without a message of the issuer may still answer: the result is requested now and then', async () => {
    serverWith({ result: { kind: 'open' } });
    expect((await step(await result('conclude'))).work).toMatchObject({ kind: 'await-challenge', tries: 0 });
  });

  test('when the time is up and the payer has not answered, the payment fails', async () => {
    serverWith({ result: { kind: 'open' } });
    const payment = await result('conclude', 0, timeIsUp);
    expect(await step(payment)).toMatchObject({ status: 'failed', threeDs: { status: 'expired' } });
    expect(harness.outcomes).toEqual(['late']);
  });

  test('a challenge deadline that has passed counts like no deadline', async () => {
    serverWith({ result: { kind: 'open' } });
    const at = harness.deps.clock.now();
    const payment = await result('conclude', 0, { deadline: { kind: 'challenge', at } });
    expect(await step(payment)).toMatchObject({ status: 'failed', threeDs: { status: 'expired' } });
  });

  test('a routine look that gets no answer waits for the next one', async () => {
    serverWith({ result: { kind: 'no-answer', internal: 'timeout' } });
    const payment = await step(await result('await-challenge', 2));
    expect(payment.work).toMatchObject({ kind: 'await-challenge', tries: 0 });
  });

  test('when the payer is back, a silent server is asked again soon', async () => {
    serverWith({ result: { kind: 'no-answer', internal: 'timeout' } });
    const payment = await step(await result('conclude', limits.threeDsTriesMax));
    expect(payment.work).toMatchObject({ kind: 'conclude', tries: limits.threeDsTriesMax + 1 });
    const waitMs = (payment.work?.dueAt.getTime() ?? 0) - harness.deps.clock.now().getTime();
    expect(waitMs).toBeLessThanOrEqual(limits.threeDsAgainMs);
    expect(harness.outcomes).toEqual(['no-answer']);
  });

  test('when the time is up, a silent server is asked as often as allowed, then the payment fails', async () => {
    serverWith({ result: { kind: 'no-answer', internal: 'timeout' } });
    const again = await step(await result('conclude', limits.threeDsTriesMax - 2, timeIsUp));
    expect(again).toMatchObject({ status: 'pending', work: { kind: 'conclude', tries: limits.threeDsTriesMax - 1 } });
    expect(await step(again)).toMatchObject({ status: 'failed', threeDs: { status: 'expired' } });
  });

  test('a payment that is too old to authorize fails without a request for the result', async () => {
    const asked = serverWith({ result: frictionless });
    const authorizeBy = new Date(harness.deps.clock.now().getTime() - 1);
    const payment = await result('conclude', 0, { authorizeBy });
    expect(await step(payment)).toMatchObject({ status: 'failed', threeDs: { status: 'expired' } });
    expect(asked).toEqual([]);
  });

  test.each([
    ['of a provider that is not configured here', { provider: 'other' }],
    ['without a session', { sessionId: undefined }],
  ])('a challenge %s is denied', async (_what, more) => {
    const asked = serverWith({ result: frictionless });
    const payment = await challenged({ threeDs: required({ status: 'step-up-required', ...more }) });
    expect(await step(payment)).toMatchObject({ status: 'denied', threeDs: { status: 'error' } });
    expect(asked).toEqual([]);
    expect(harness.lines).toContainEqual(['authentication.impossible', 'the provider is not configured here']);
  });
});
