/** Webhooks of Stripe, signed by Stripe's own client, with bodies as in Stripe's reference. */
import { Stripe } from 'stripe';
import { createStripeUpdateReader } from '../../../shared/processors/stripe/read-stripe-update.js';
import { createUpdateReaders, type UpdateConfig } from '../../../shared/processors/update-readers.js';

const SECRET = 'whsec_installation';
const NEXT = 'whsec_next';
const now = new Date('2026-11-01T12:00:00Z');
const SECONDS = now.getTime() / 1000;
const reader = createStripeUpdateReader(`${SECRET},${NEXT}`);

const signed = (payload: string, secret = SECRET, timestamp = SECONDS) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

async function read(body: object | string, header?: string, credentials?: Record<string, string>) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'stripe-signature': header ?? signed(payload) };
  return reader.read({ body: Buffer.from(payload), headers, now, ...(credentials && { credentials }) });
}

const event = (type: string, object: object) => ({
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  object: 'event',
  api_version: '2026-10-28.endive',
  created: SECONDS - 60,
  livemode: false,
  pending_webhooks: 1,
  request: { id: 'req_1', idempotency_key: 'txn_1' },
  type,
  data: { object },
});
const at = new Date((SECONDS - 60) * 1000);
const eventId = 'evt_1NG8Du2eZvKYlo2CUI79vXWy';

const intent = (more: object = {}) => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: 1_050,
  amount_received: 1_050,
  currency: 'usd',
  created: SECONDS - 61,
  status: 'succeeded',
  metadata: { gateway_key: 'txn_1' },
  latest_charge: 'ch_1',
  ...more,
});
const refund = (more: object = {}) => ({
  id: 're_1',
  object: 'refund',
  amount: 500,
  currency: 'isk',
  status: 'failed',
  failure_reason: 'lost_or_stolen_card',
  metadata: { gateway_key: 'txn_2' },
  payment_intent: 'pi_1',
  ...more,
});
const dispute = (more: object = {}) => ({
  id: 'du_1',
  object: 'dispute',
  amount: 1_050,
  currency: 'usd',
  reason: 'fraudulent',
  network_reason_code: '10.4',
  status: 'needs_response',
  payment_intent: 'pi_1',
  evidence_details: { due_by: SECONDS + 3_600, has_evidence: false },
  ...more,
});

const wrongly = (payload: string) => ({
  'is missing': '',
  'is garbage': 'garbage',
  'is of another secret': signed(payload, 'whsec_other'),
  'is of another body': signed(`${payload} `),
  'is too old': signed(payload, SECRET, SECONDS - 301),
  'has no v1': `t=${SECONDS},v0=${'0'.repeat(64)}`,
});
test.each(Object.keys(wrongly('')))('a webhook whose signature %s is unverified', async (what) => {
  const payload = JSON.stringify(event('payment_intent.succeeded', intent()));
  const header = wrongly(payload)[what as keyof ReturnType<typeof wrongly>];
  expect(await read(payload, header)).toMatchObject({ kind: 'unverified' });
});

test('two secrets are valid during a change; the secret of a merchant is valid at its own address only', async () => {
  const payload = JSON.stringify(event('payment_intent.succeeded', intent()));
  expect(await read(payload, signed(payload, NEXT))).toMatchObject({ kind: 'verified' });
  const own = { secretKey: 'sk_test_1', webhookSecret: 'whsec_own' };
  expect(await read(payload, signed(payload, 'whsec_own'), own)).toMatchObject({ kind: 'verified' });
  expect(await read(payload, signed(payload, SECRET), own)).toMatchObject({ kind: 'unverified' });
  expect(await read(payload, signed(payload, 'whsec_own'))).toMatchObject({ kind: 'unverified' });
  // People write lists with blanks and line breaks, and no check of the configuration sees the secrets of a merchant.
  const two = { ...own, webhookSecret: 'whsec_own, whsec_next_own\n' };
  expect(await read(payload, signed(payload, 'whsec_next_own'), two)).toMatchObject({ kind: 'verified' });
  const none = createStripeUpdateReader();
  const raw = { body: Buffer.from(payload), headers: { 'stripe-signature': signed(payload, '') }, now };
  expect(await none.read(raw)).toMatchObject({ kind: 'unverified', internal: 'no secret is configured' });
});

test.each([
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.amount_capturable_updated',
])('%s is a change that the processor is asked about', async (type) => {
  const about = { kind: 'changed', eventId, at, key: 'txn_1', processorReference: 'pi_1' };
  const status = 'processing';
  expect(await read(event(type, intent({ status })))).toEqual({ kind: 'verified', updates: [about] });
  const metadata = { gateway_key: 'txn_1', gateway_capture: 'txn_3' };
  expect(await read(event(type, intent({ status, metadata })))).toEqual({
    kind: 'verified',
    updates: [about, { ...about, key: 'txn_3', eventId: `${eventId}:capture` }],
  });
});

test.each([
  ['succeeded', true],
  ['requires_capture', true],
  ['processing', undefined],
  ['requires_payment_method', undefined],
  ['requires_action', undefined],
  ['canceled', undefined],
])('an intent that is %s is marked if the money is held or taken, but not its capture', async (status, isApproved) => {
  const metadata = { gateway_key: 'txn_1', gateway_capture: 'txn_3' };
  const { updates } = (await read(event('payment_intent.updated', intent({ status, metadata })))) as {
    updates: readonly { isApproved?: true }[];
  };
  expect(updates.map((update) => update.isApproved)).toEqual([isApproved, undefined]);
});

test.each(['refund.failed', 'refund.updated', 'charge.refund.updated'])(
  '%s reports a failed refund, or a change of another one',
  async (type) => {
    expect(await read(event(type, refund()))).toEqual({
      kind: 'verified',
      updates: [
        {
          kind: 'refund-failed',
          eventId,
          at,
          key: 'txn_2',
          processorReference: 're_1',
          about: { key: 'txn_2', amountMinor: 5, currency: 'ISK' },
          resultCode: '41',
          resultMessage: 'The refund failed (lost_or_stolen_card)',
        },
      ],
    });
    expect(await read(event(type, refund({ status: 'canceled', failure_reason: null })))).toMatchObject({
      updates: [{ kind: 'refund-failed', key: 'txn_2', resultMessage: 'The refund failed (canceled)' }],
    });
    expect(await read(event(type, refund({ status: 'succeeded' })))).toMatchObject({
      updates: [{ kind: 'changed', key: 'txn_2', processorReference: 're_1' }],
    });
  },
);

test.each([
  ['charge.dispute.created', 'needs_response', 'open'],
  ['charge.dispute.created', 'warning_needs_response', 'inquiry'],
  ['charge.dispute.updated', 'under_review', 'under-review'],
  ['charge.dispute.closed', 'won', 'won'],
  ['charge.dispute.closed', 'lost', 'lost'],
  ['charge.dispute.closed', 'warning_closed', 'closed'],
  ['charge.dispute.funds_withdrawn', 'needs_response', 'open'],
])('%s with the status %s is a dispute that is %s', async (type, status, expected) => {
  expect(await read(event(type, dispute({ status })))).toEqual({
    kind: 'verified',
    updates: [
      {
        kind: 'dispute',
        eventId,
        at,
        processorReference: 'pi_1',
        disputeId: 'du_1',
        status: expected,
        amountMinor: 1_050,
        currency: 'USD',
        reason: 'fraudulent',
        networkReasonCode: '10.4',
        respondBy: new Date((SECONDS + 3_600) * 1000),
      },
    ],
  });
});

test.each([
  ['resolved for the payer by a rule of the merchant (RDR)', { card: { case_type: 'resolution' } }, 'lost'],
  ['blocked: no money moved', { type: 'card', card: { brand: 'visa', case_type: 'block' } }, 'closed'],
  ['of a case that is not said', { card: null }, 'lost'],
  ['of a case that is not said at all', undefined, 'lost'],
])('a prevented dispute, %s', async (_what, payment_method_details, expected) => {
  const body = event('charge.dispute.created', dispute({ status: 'prevented', payment_method_details }));
  expect(await read(body)).toMatchObject({ updates: [{ kind: 'dispute', status: expected, amountMinor: 1_050 }] });
});

test('an early fraud warning is a report of fraud about its payment', async () => {
  const warning = (more: object = {}) => ({
    object: 'radar.early_fraud_warning',
    id: 'issfr_1',
    actionable: true,
    charge: 'ch_1',
    payment_intent: 'pi_1',
    fraud_type: 'made_with_stolen_card',
    ...more,
  });
  expect(await read(event('radar.early_fraud_warning.created', warning()))).toEqual({
    kind: 'verified',
    updates: [
      {
        kind: 'fraud-report',
        eventId,
        at,
        processorReference: 'pi_1',
        mayBeForeign: true,
        reason: 'made_with_stolen_card',
      },
    ],
  });
  const none = { kind: 'verified', updates: [] };
  expect(await read(event('radar.early_fraud_warning.created', warning({ payment_intent: null })))).toEqual(none);
  expect(await read(event('radar.early_fraud_warning.updated', warning()))).toEqual(none);
  const unreadable = event('radar.early_fraud_warning.created', warning({ object: 'charge' }));
  expect(await read(unreadable)).toMatchObject({ kind: 'unreadable' });
});

describe('a review of a payment', () => {
  const review = (more: object = {}) => ({
    object: 'review',
    id: 'prv_1',
    open: false,
    opened_reason: 'rule',
    closed_reason: null,
    charge: 'ch_1',
    payment_intent: 'pi_1',
    ...more,
  });
  const named = { kind: 'review', eventId, at, processorReference: 'pi_1', mayBeForeign: true };

  test.each([
    ['review.opened', { open: true }, 'opened'],
    ['review.closed', { closed_reason: 'approved' }, 'accepted'],
    ['review.closed', { closed_reason: 'refunded' }, 'rejected'],
    ['review.closed', { closed_reason: 'refunded_as_fraud' }, 'rejected'],
  ])('%s with %j is %s', async (type, more, state) => {
    expect(await read(event(type, review(more)))).toEqual({ kind: 'verified', updates: [{ ...named, state }] });
  });

  test.each([{ closed_reason: 'disputed' }, { closed_reason: null }, { open: true, payment_intent: null }])(
    'says nothing with %j',
    async (more) => {
      expect(await read(event('review.closed', review(more)))).toEqual({ kind: 'verified', updates: [] });
    },
  );

  test('of another shape is unreadable', async () => {
    expect(await read(event('review.opened', review({ object: 'charge' })))).toMatchObject({ kind: 'unreadable' });
  });
});

test('the amount of a dispute is in our minor units', async () => {
  const body = event('charge.dispute.created', dispute({ amount: 1_500, currency: 'isk' }));
  expect(await read(body)).toMatchObject({ updates: [{ kind: 'dispute', amountMinor: 15, currency: 'ISK' }] });
});

test.each([
  ['of another program on the account', event('payment_intent.succeeded', intent({ metadata: {} }))],
  [
    'a refund of a charge without PaymentIntent',
    event('refund.failed', refund({ metadata: null, payment_intent: null })),
  ],
  ['of a type that says nothing', event('customer.created', { object: 'customer', id: 'cus_1' })],
  ['charge.refunded, whose refund has an event of its own', event('charge.refunded', { object: 'charge', id: 'ch_1' })],
  ['a dispute of a charge without PaymentIntent', event('charge.dispute.created', dispute({ payment_intent: null }))],
])('an event without effect is ignored: %s', async (_what, body) => {
  expect(await read(body)).toEqual({ kind: 'verified', updates: [] });
});

describe('refunds without our key, made at the dashboard or by another program on the account', () => {
  const foreign = (more: object) => event('refund.updated', refund({ metadata: {}, ...more }));
  const about = { eventId, at, processorReference: 're_1', mayBeForeign: true };

  test('a refund reports what was refunded, once its money moves', async () => {
    const subject = { amountMinor: 5, currency: 'ISK' };
    expect(await read(foreign({ status: 'succeeded' }))).toEqual({
      kind: 'verified',
      updates: [
        { ...about, kind: 'changed', done: { kind: 'refund', of: 'pi_1', processorReference: 're_1', ...subject } },
      ],
    });
    expect(await read(foreign({ status: 'failed', failure_reason: null }))).toEqual({
      kind: 'verified',
      updates: [
        {
          ...about,
          kind: 'refund-failed',
          about: subject,
          resultCode: '05',
          resultMessage: 'The refund failed (failed)',
        },
      ],
    });
  });

  test.each([
    ['waits', { status: 'pending' }],
    ['waits for the payer', { status: 'requires_action' }],
    ['has an amount of no value in ours', { status: 'succeeded', amount: 501 }],
    ['releases a hold that ran out', { status: 'succeeded', reason: 'expired_uncaptured_charge' }],
  ])('a refund that %s is ignored', async (_what, more) => {
    expect(await read(foreign(more))).toEqual({ kind: 'verified', updates: [] });
  });
});

test.each([
  ['no JSON', '{'],
  ['no event', '{"id":"evt_1"}'],
  ['null', 'null'],
  ['an event without an object', JSON.stringify({ ...event('payment_intent.succeeded', {}), data: {} })],
  ['a payment that is none', JSON.stringify(event('payment_intent.succeeded', { object: 'payment_intent' }))],
  ['a refund of an amount that is none', JSON.stringify(event('refund.failed', refund({ amount: '5' })))],
  ['a refund that ISK cannot have', JSON.stringify(event('refund.failed', refund({ amount: 501 })))],
  [
    'a dispute of a status that is not known',
    JSON.stringify(event('charge.dispute.updated', dispute({ status: 'new' }))),
  ],
])('a signed webhook is unreadable: %s', async (_what, payload) => {
  expect(await read(payload)).toMatchObject({ kind: 'unreadable' });
});

test('ten thousand mutated events are verified or unreadable, and none throws', async () => {
  const payload = JSON.stringify(event('charge.dispute.created', dispute()));
  let seed = 7;
  const random = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % max;
  };
  for (let n = 0; n < 10_000; n += 1) {
    const at = random(payload.length);
    const mutated = payload.slice(0, at) + String.fromCharCode(random(0xff)) + payload.slice(at + 1 + random(3));
    expect(['verified', 'unreadable']).toContain((await read(mutated)).kind);
  }
});

test.each([
  ['cancelled', { status: 'canceled', amount_received: 0 }, { kind: 'cancellation', of: 'txn_1' }],
  [
    'captured',
    { capture_method: 'manual', amount_received: 400 },
    { kind: 'capture', of: 'txn_1', amountMinor: 400, currency: 'USD' },
  ],
  ['still there', { status: 'requires_capture', capture_method: 'manual', amount_received: 0 }, undefined],
  ['none: a purchase', { capture_method: 'automatic' }, undefined],
  [
    'captured, in an amount of no value',
    { capture_method: 'manual', currency: 'isk', amount_received: 401 },
    undefined,
  ],
])('an intent with a hold that is %s reports the external operation, if any', async (_what, more, done) => {
  const { updates } = (await read(event('payment_intent.updated', intent(more)))) as {
    updates: readonly { done?: object }[];
  };
  expect(updates).toHaveLength(1);
  expect(updates[0]?.done).toEqual(done);
});

test.each([
  ['expired', true],
  // API versions before 2025-03-31.basil have this reason.
  ['automatic', true],
  ['requested_by_customer', undefined],
  ['abandoned', undefined],
  [null, undefined],
])('a hold cancelled with the reason %s is marked if it ran out', async (cancellation_reason, ranOut) => {
  const cancelled = intent({ status: 'canceled', amount_received: 0, cancellation_reason });
  const { updates } = (await read(event('payment_intent.canceled', cancelled))) as {
    updates: readonly { done?: object }[];
  };
  expect(updates[0]?.done).toEqual({ kind: 'cancellation', of: 'txn_1', ...(ranOut && { ranOut }) });
});

test('an external operation is reported for the hold, not for our capture of it', async () => {
  const metadata = { gateway_key: 'txn_1', gateway_capture: 'txn_3' };
  const captured = { capture_method: 'manual', amount_received: 400, metadata };
  expect(await read(event('payment_intent.succeeded', intent(captured)))).toMatchObject({
    updates: [{ key: 'txn_1', done: { kind: 'capture', of: 'txn_1' } }, { key: 'txn_3' }],
  });
});

test.each([
  ['production', false, 0],
  ['production', true, 1],
  ['testing', false, 1],
  ['testing', true, 1],
] as const)('in %s an event with livemode %s has %i updates', async (environment, livemode, count) => {
  const readers = createUpdateReaders({ stripeWebhookSecret: SECRET, environment } as UpdateConfig);
  const payload = JSON.stringify({ ...event('payment_intent.succeeded', intent()), livemode });
  const raw = { body: Buffer.from(payload), headers: { 'stripe-signature': signed(payload) }, now };
  const answer = await readers.get('stripe')?.read(raw);
  expect(answer).toMatchObject({ kind: 'verified' });
  expect((answer as { updates: readonly object[] }).updates).toHaveLength(count);
});
