/** Captures, cancellations and refunds that Stripe answered with an error 5xx, which it stores under the key and repeats for a day. */
import type { Approved, FollowUpRequest, Processor } from '../../../shared/processors/processor.js';
import { createStripeProcessor } from '../../../shared/processors/stripe/create-stripe-processor.js';
import { keepingLog } from '../keeping-log.js';
import { type FakeStripe, startFakeStripe } from './fake-stripe.js';
import { onto, request } from './stripe-requests.js';

const KEY = 'sk_test_installation';
const EFFECT = /\/(capture|cancel|refunds)$/;
type Operation = 'capture' | 'cancel' | 'refund';

let stripe: FakeStripe;
let processor: Processor;
beforeAll(async () => {
  stripe = await startFakeStripe([KEY]);
  processor = createStripeProcessor({ baseUrl: stripe.url, secretKey: KEY, timeoutMs: 30_000, log: keepingLog() });
});
afterEach(() => {
  stripe.failing = undefined;
  stripe.interfere(undefined);
});
afterAll(async () => {
  await processor.close();
  await stripe.close();
});

/** Makes a payment on which the operation fails at Stripe, once. */
async function failed(operation: Operation, more: Partial<FollowUpRequest> = {}) {
  const sent = request({ capture: operation === 'refund' });
  const { processorReference = '' } = (await processor.authorize(sent)) as Approved;
  const one = onto(sent, { originalReferences: { processorReference }, ...more });
  stripe.failing = EFFECT;
  expect(await processor[operation]?.(one)).toMatchObject({ kind: 'unknown' });
  stripe.failing = undefined;
  const intent = stripe.intents.get(processorReference);
  if (!intent) throw new Error('it was not made');
  const effects = () => stripe.books.filter(({ original }) => original === sent.key).map(({ kind }) => kind);
  const keys = () => {
    const posts = stripe.sent.filter(
      ({ method, path, form }) => method === 'POST' && EFFECT.test(path) && isOf(path, form),
    );
    return posts.map(({ headers }) => headers['idempotency-key']);
  };
  const isOf = (path: string, form: URLSearchParams) =>
    path.includes(processorReference) || form.get('payment_intent') === processorReference;
  return { one, intent, effects, keys };
}

const noted = { capture: 'capture', cancel: 'cancellation', refund: 'refund' } as const;

test.each(['capture', 'cancel', 'refund'] as const)(
  '%s: a repeated error is followed by a new key',
  async (operation) => {
    const { one, effects, keys } = await failed(operation);
    expect(await processor[operation]?.(one)).toMatchObject({ kind: 'approved', about: { key: one.key } });
    expect(keys()).toEqual([one.key, one.key, expect.not.stringContaining(one.key)]);
    // Once more, as after a lost answer: it happened once.
    expect(await processor[operation]?.(one)).toMatchObject({ kind: 'approved', about: { key: one.key } });
    expect(effects()).toEqual([noted[operation]]);
  },
);

test('an error under the new key too: each further try has another', async () => {
  const { one, effects, keys } = await failed('refund');
  stripe.failing = EFFECT;
  expect(await processor.refund?.(one)).toMatchObject({ kind: 'unknown' });
  stripe.failing = undefined;
  expect(await processor.refund?.(one)).toMatchObject({ kind: 'approved' });
  expect(new Set(keys()).size).toBe(3);
  expect(effects()).toEqual(['refund']);
});

test.each([
  ['half of the payment', { amountMinor: 525 }],
  ['less', { amountMinor: 10 }],
])('a refund of %s could be made twice: it keeps its key', async (_what, more) => {
  const { one, effects, keys } = await failed('refund', more);
  expect(await processor.refund?.(one)).toMatchObject({ kind: 'unknown' });
  expect(keys()).toEqual([one.key, one.key]);
  expect(effects()).toEqual([]);
});

test('a refund of more than half of what was captured has a new key', async () => {
  const { one, intent, effects } = await failed('refund', { amountMinor: 400 });
  expect(await processor.refund?.(one)).toMatchObject({ kind: 'unknown' });
  Object.assign(intent, { received: 799 });
  expect(await processor.refund?.(one)).toMatchObject({ kind: 'approved', about: { amountMinor: 400 } });
  expect(effects()).toEqual(['refund']);
});

const inUse = {
  status: 409,
  json: { error: { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in use' } },
};

test.each([
  ['is still being processed', inUse],
  ['fails for the first time', { status: 500, json: { error: { type: 'api_error', message: 'no' } } }],
  ['fails before Stripe', { status: 502, json: {} }],
])('a request that %s: no other key', async (_what, answer) => {
  const { one, effects, keys } = await failed('capture');
  stripe.interfere(({ method, path }) => (method === 'POST' && EFFECT.test(path) ? answer : undefined));
  expect(await processor.capture?.(one)).toMatchObject({ kind: 'unknown' });
  expect(keys()).toEqual([one.key, one.key]);
  expect(effects()).toEqual([]);
});

describe('refused under the new key', () => {
  /** Does what the failed request was for, between the repeated error and the new request. */
  const meanwhile = (done: () => void) => {
    let posts = 0;
    stripe.interfere(({ method, path }) => {
      if (method === 'POST' && EFFECT.test(path)) posts += 1;
      if (posts === 2) done();
      return undefined;
    });
  };

  test('Stripe completed the first capture: it is this one', async () => {
    const { one, intent, effects } = await failed('capture');
    meanwhile(() => {
      Object.assign(intent, { status: 'succeeded', received: 1_050 });
      intent.metadata['gateway_capture'] = one.key;
    });
    expect(await processor.capture?.(one)).toMatchObject({ kind: 'approved', about: { key: one.key } });
    expect(effects()).toEqual([]);
  });

  test('another did it: refused', async () => {
    const { one, intent } = await failed('capture');
    meanwhile(() => Object.assign(intent, { status: 'canceled' }));
    expect(await processor.capture?.(one)).toMatchObject({ kind: 'declined' });
  });

  test('Stripe does not answer what became of it: unknown', async () => {
    const { one, intent } = await failed('refund');
    meanwhile(() => Object.assign(intent, { refunded: 1_050 }));
    const refused = await processor.refund?.(one);
    expect(refused).toMatchObject({ kind: 'declined' });
    let posts = 0;
    stripe.interfere(({ method, path }) => {
      if (method === 'POST' && EFFECT.test(path)) posts += 1;
      return posts === 2 && method === 'GET' ? { status: 503, json: {} } : undefined;
    });
    expect(await processor.refund?.(one)).toMatchObject({ kind: 'unknown' });
  });

  test('too many requests: it stays open, though this one was not taken', async () => {
    const { one } = await failed('cancel');
    const error = { type: 'invalid_request_error', code: 'lock_timeout', message: 'locked' };
    stripe.interfere(({ method, headers }) =>
      method === 'POST' && headers['idempotency-key'] !== one.key ? { status: 429, json: { error } } : undefined,
    );
    expect(await processor.cancel?.(one)).toMatchObject({ kind: 'unknown' });
  });
});
