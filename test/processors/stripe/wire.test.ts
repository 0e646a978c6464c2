/** Requests that arrive at Stripe, and how its answers are read: with a real server that answers as in Stripe's reference. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type { Approved, AuthorizeRequest, FollowUpRequest, Processor } from '../../../shared/processors/processor.js';
import { createStripeProcessor } from '../../../shared/processors/stripe/create-stripe-processor.js';
import { authorizationOutcome, refundOutcome } from '../../../shared/processors/stripe/to-outcome.js';
import { keepingLog } from '../keeping-log.js';
import { type FakeStripe, reviewed, startFakeStripe } from './fake-stripe.js';
import { base, card, newKey, onto, request } from './stripe-requests.js';

const KEY = 'sk_test_installation';
const OWN_KEY = 'sk_test_merchant';
let stripe: FakeStripe;
let processor: Processor;
const connect = (baseUrl: string, timeoutMs = 30_000) =>
  checkAnswers(createStripeProcessor({ baseUrl, secretKey: KEY, timeoutMs, log: keepingLog() }), keepingLog());
beforeAll(async () => {
  stripe = await startFakeStripe([KEY, OWN_KEY]);
  processor = connect(stripe.url);
});
afterEach(() => {
  stripe.interfere(undefined);
  stripe.indexed = true;
});
afterAll(async () => {
  await processor.close();
  await stripe.close();
});

const order = { referenceId: 'order-7', invoiceNumber: 'INV-7' };
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']));

const inquiry = ({ key, amountMinor, currency }: AuthorizeRequest | FollowUpRequest) =>
  ({ ...base, key, amountMinor, currency, operation: 'authorize', references: {} }) as const;

describe('requests', () => {
  test('key, amount, references, descriptor, card and address are in their places', async () => {
    const sent = request({
      order: {
        referenceId: 'order-7',
        invoiceNumber: 'INV-7',
        statementDescriptor: 'CASA *"LUMBRE" <7>',
        fields: { campaign: 'spring', gateway_key: 'forged' },
      },
      payer: {
        firstName: 'Ana',
        lastName: 'Paz',
        email: 'ana@example.com',
        phone: '+59899000000',
        customerReference: 'customer-3',
        address: { line1: 'Av. 18 de Julio 1000', city: 'Montevideo', postalCode: '11100', country: 'UY' },
      },
    });
    expect(await processor.authorize(sent)).toMatchObject({
      kind: 'approved',
      processorReference: /^pi_/.exec('pi_') && expect.stringMatching(/^pi_/),
    });
    const method = stripe.last(/POST \/v1\/payment_methods$/);
    expect(method?.headers['idempotency-key']).toBe(`${sent.key}-card`);
    expect(Object.fromEntries(method?.form ?? [])).toMatchObject({
      'card[number]': '4242424242424242',
      'card[cvc]': '123',
      'billing_details[name]': 'Ana Paz',
      'billing_details[email]': 'ana@example.com',
      'billing_details[address][postal_code]': '11100',
    });
    const intent = stripe.last(/POST \/v1\/payment_intents$/);
    expect(intent?.headers['idempotency-key']).toBe(sent.key);
    expect(intent?.headers['stripe-account']).toBeUndefined();
    const form = Object.fromEntries(intent?.form ?? []);
    expect(form).toMatchObject({
      amount: '1050',
      currency: 'usd',
      confirm: 'true',
      capture_method: 'automatic',
      error_on_requires_action: 'true',
      'metadata[gateway_key]': sent.key,
      'metadata[gateway_reference]': 'order-7',
      'metadata[gateway_invoice]': 'INV-7',
      'metadata[campaign]': 'spring',
      'payment_details[order_reference]': 'order-7',
      'payment_details[customer_reference]': 'customer-3',
      statement_descriptor_suffix: 'CASA LUMBRE 7',
    });
    expect(JSON.stringify(form)).not.toContain('4242424242424242');
    expect(form).not.toHaveProperty('off_session');
  });

  test.each([true, false])('a payment in review says so, and its capture does not (capture: %s)', async (capture) => {
    const sent = request({ capture, credential: { source: 'card', card: { ...card, number: reviewed } } });
    const answer = await processor.authorize(sent);
    expect(answer).toMatchObject({ kind: 'approved', inReview: true });
    const asked = {
      ...base,
      key: sent.key,
      amountMinor: sent.amountMinor,
      operation: 'authorize',
      references: {},
    } as const;
    expect(await processor.inquire(asked)).toMatchObject({ outcome: { kind: 'approved', inReview: true } });
    if (!capture) expect(await processor.capture?.(onto(sent))).not.toHaveProperty('inReview');
    expect(await processor.authorize(request())).not.toHaveProperty('inReview');
  });

  test.each([
    ['Café Peñarol™', 'Cafe PenarolTM'],
    ['Łódź ＜Bar＞ №7', 'Lodz Bar No7'],
    ['Καφέ 24', undefined],
  ])('the descriptor %s is sent in letters that Stripe accepts, or not at all', async (statementDescriptor, sent) => {
    expect(await processor.authorize(request({ order: { ...order, statementDescriptor } }))).toMatchObject({
      kind: 'approved',
    });
    expect(stripe.last(/payment_intents$/)?.form.get('statement_descriptor_suffix') ?? undefined).toBe(sent);
  });

  test('the proof of authentication and the use of a stored card are sent', async () => {
    const proof = {
      version: '2.2.0',
      authenticationValue: 'Q0FWVg==',
      dsTransactionId: 'ds-1',
      eci: '05',
      transStatus: 'Y',
    };
    await processor.authorize(request({ proof }));
    expect(Object.fromEntries(stripe.last(/payment_intents$/)?.form ?? [])).toMatchObject({
      'payment_method_options[card][three_d_secure][version]': '2.2.0',
      'payment_method_options[card][three_d_secure][cryptogram]': 'Q0FWVg==',
      'payment_method_options[card][three_d_secure][transaction_id]': 'ds-1',
      'payment_method_options[card][three_d_secure][electronic_commerce_indicator]': '05',
      'payment_method_options[card][three_d_secure][ares_trans_status]': 'Y',
    });
    await processor.authorize(request({ proof: { ...proof, flow: 'challenge' } }));
    expect(Object.fromEntries(stripe.last(/payment_intents$/)?.form ?? [])).toMatchObject({
      'payment_method_options[card][three_d_secure][ares_trans_status]': 'C',
    });
    const stored = { initiator: 'merchant', use: 'subsequent', reason: 'recurring' } as const;
    await processor.authorize(request({ credential: { source: 'token', card, stored } }));
    expect(Object.fromEntries(stripe.last(/payment_intents$/)?.form ?? [])).toMatchObject({
      off_session: 'true',
      'payment_method_options[card][stored_credential_usage]': 'recurring',
    });
    const first = { initiator: 'payer', use: 'first', reason: 'unscheduled' } as const;
    await processor.authorize(request({ credential: { source: 'card', card, stored: first } }));
    const form = Object.fromEntries(stripe.last(/payment_intents$/)?.form ?? []);
    expect(form).toMatchObject({ setup_future_usage: 'off_session' });
    expect(form).not.toHaveProperty('off_session');
  });

  test.each(['recurring', 'installment', 'unscheduled'] as const)(
    'the first payment of a stored card and the later ones declare the same use: %s',
    async (reason) => {
      const usesOf = async (initiator: 'payer' | 'merchant', use: 'first' | 'subsequent') => {
        await processor.authorize(
          request({ credential: { source: 'card', card, stored: { initiator, use, reason } } }),
        );
        const form = stripe.last(/payment_intents$/)?.form;
        return ['setup', 'stored'].map((name) => form?.get(`payment_method_options[card][${name}_credential_usage]`));
      };
      expect(await usesOf('payer', 'first')).toEqual([reason, null]);
      expect(await usesOf('merchant', 'subsequent')).toEqual([null, reason]);
      expect(await usesOf('payer', 'subsequent')).toEqual([null, null]);
    },
  );

  test.each(['01', '02', '05', '06', '07', '00', '04', '03'])(
    'the ECI %s is sent unless Stripe refuses it',
    async (eci) => {
      const proof = { version: '2.2.0', authenticationValue: 'Q0FWVg==', dsTransactionId: 'ds-1', eci };
      await processor.authorize(request({ proof }));
      const form = stripe.last(/payment_intents$/)?.form;
      expect(form?.get('payment_method_options[card][three_d_secure][cryptogram]')).toBe('Q0FWVg==');
      expect(form?.get('payment_method_options[card][three_d_secure][electronic_commerce_indicator]')).toBe(
        ['00', '04', '03'].includes(eci) ? null : eci,
      );
    },
  );

  test('the own key of a merchant is used, and a connected account has the key of the platform', async () => {
    const own = { id: 1, name: 'Casa', credentials: { secretKey: OWN_KEY, webhookSecret: 'whsec_1' } };
    await processor.authorize(request({ merchant: own }));
    expect(stripe.last(/payment_intents$/)?.headers.authorization).toBe(`Bearer ${OWN_KEY}`);
    const connected = { id: 1, name: 'Casa', merchantIdentificationNumber: 'acct_1' };
    const sent = request({ merchant: connected, capture: false });
    await processor.authorize(sent);
    await processor.capture?.(onto(sent, { merchant: connected }));
    const calls = stripe.sent.slice(-4).map(({ headers }) => [headers.authorization, headers['stripe-account']]);
    expect(new Set(calls.map(String))).toEqual(new Set([`Bearer ${KEY},acct_1`]));
  });

  test.each([
    ['production', 'sk_test_merchant', 'sk_live_merchant'],
    ['testing', 'sk_live_merchant', 'sk_test_merchant'],
  ] as const)("in %s a merchant's own key of the other mode charges nothing", async (environment, wrong, right) => {
    const server = await startFakeStripe([wrong, right]);
    const adapter = createStripeProcessor({ baseUrl: server.url, timeoutMs: 30_000, log: keepingLog(), environment });
    const merchant = (secretKey: string) => ({ id: 1, name: 'Casa', credentials: { secretKey } });
    const refused = await adapter.authorize(request({ merchant: merchant(wrong) }));
    expect(refused).toMatchObject({ kind: 'not-sent', blocked: 'route' });
    expect([server.sent.length, JSON.stringify(refused).includes(wrong)]).toEqual([0, false]);
    const sent = request({ capture: false, merchant: merchant(right) });
    expect(await adapter.authorize(sent)).toMatchObject({ kind: 'approved' });
    // What an earlier release charged with such a key can still be ended.
    const ended = await adapter.cancel?.(onto(sent, { merchant: merchant(wrong) }));
    expect(ended).toMatchObject({ kind: 'approved' });
    await Promise.all([adapter.close(), server.close()]);
  });

  test.each([
    [
      'a network token',
      { credential: { source: 'network-token', card: { ...card, networkToken: { cryptogram: 'x' } } } },
    ],
    [
      'click-to-pay',
      {
        credential: {
          source: 'click-to-pay-token',
          clickToPay: { correlationId: 'c', merchantTransactionId: 'm', scheme: 'visa' },
        },
      },
    ],
    [
      'a sub-merchant',
      { merchant: { id: 1, name: 'x', facilitator: { id: '1', subMerchant: { id: '2', name: 'y' } } } },
    ],
    ['a tax law', { money: { taxes: [{ law: '19210', amountMinor: 1 }] } }],
    ['a plan of installments', { money: { installments: 3, installmentPlan: 'A3' } }],
    ['more fields than Stripe takes beside ours', { order: { ...order, fields: fields(47) } }],
    ['the name of a field in brackets', { order: { ...order, fields: { 'seat[2]': 'x' } } }],
    ['an amount that Stripe cannot count', { currency: 'KWD', amountMinor: 5_123 }],
  ] as [string, Partial<AuthorizeRequest>][])('%s is refused before anything is sent', async (_what, more) => {
    const before = stripe.sent.length;
    expect(await processor.authorize(request(more))).toMatchObject({
      kind: 'failed',
      resultMessage: expect.stringMatching(/^Not sent/),
    });
    expect(stripe.sent).toHaveLength(before);
  });
});

test('the largest number of fields that Stripe accepts is sent', async () => {
  const taken = { ...fields(46), gateway_reference: 'of another' };
  expect(await processor.authorize(request({ order: { ...order, fields: taken } }))).toMatchObject({
    kind: 'approved',
  });
  const form = Object.fromEntries(stripe.last(/payment_intents$/)?.form ?? []);
  expect(Object.keys(form).filter((name) => name.startsWith('metadata['))).toHaveLength(49);
  expect(form['metadata[gateway_reference]']).toBe(order.referenceId);
});

describe('declines', () => {
  test.each([
    ['4000000000000002', '05', 'generic_decline', undefined],
    ['4000000000009995', '51', 'insufficient_funds', 'retry-later'],
    ['4000000000009987', '41', 'lost_card', 'do-not-retry'],
    ['4000000000009979', '43', 'stolen_card', 'do-not-retry'],
    ['4000000000000069', '54', 'expired_card', 'update-credentials'],
    ['4000000000000127', 'N7', 'incorrect_cvc', 'update-credentials'],
    ['4000000000000119', '96', 'processing_error', undefined],
    ['4000000000006975', '65', 'card_velocity_exceeded', undefined],
    ['4242424242424241', '14', 'incorrect_number', 'update-credentials'],
  ])('%s is declined as %s %s with the advice %s', async (number, resultCode, declineCode, advice) => {
    const result = await processor.authorize(request({ credential: { source: 'card', card: { ...card, number } } }));
    expect(result).toMatchObject({ kind: 'declined', error: 'declined-by-acquirer', resultCode, declineCode });
    expect((result as { advice?: string }).advice).toBe(advice);
  });

  test('an issuer that requires authentication declines as such', async () => {
    const number = '4000002760003184';
    expect(
      await processor.authorize(request({ credential: { source: 'card', card: { ...card, number } } })),
    ).toMatchObject({
      kind: 'declined',
      error: 'authentication-required',
    });
  });

  test('a payment that needs an action of the payer is cancelled at Stripe', async () => {
    const sent = request();
    stripe.interfere(({ method, path }) => {
      if (method !== 'POST' || path !== '/v1/payment_intents') return undefined;
      const intent = {
        object: 'payment_intent',
        id: 'pi_action',
        amount: 1_050,
        currency: 'usd',
        created: 1,
        metadata: { gateway_key: sent.key },
      };
      return { status: 200, json: { ...intent, status: 'requires_action', latest_charge: null } };
    });
    // The cancellation is not confirmed, so the payment stays unknown, with the id that its reversal needs.
    expect(await processor.authorize(sent)).toMatchObject({ kind: 'unknown', processorReference: 'pi_action' });
    expect(stripe.last(/cancel$/)).toMatchObject({ path: '/v1/payment_intents/pi_action/cancel' });
    stripe.interfere(({ path }) => {
      const intent = { object: 'payment_intent', id: 'pi_action', amount: 1_050, currency: 'usd', created: 1 };
      const status = path.endsWith('/cancel') ? 'canceled' : 'requires_action';
      return path.startsWith('/v1/payment_intents') ? { status: 200, json: { ...intent, status } } : undefined;
    });
    expect(await processor.authorize(request())).toMatchObject({ kind: 'declined', error: 'authentication-required' });
  });
});

describe('refusals and faults', () => {
  const answers = (status: number, error: object) =>
    stripe.interfere(({ path }) => (path === '/v1/payment_intents' ? { status, json: { error } } : undefined));

  test.each([
    [400, { type: 'invalid_request_error', code: 'amount_too_small' }, 'failed'],
    [401, { type: 'invalid_request_error' }, 'failed'],
    [403, { type: 'invalid_request_error' }, 'failed'],
    [400, { type: 'idempotency_error' }, 'unknown'],
    [409, { type: 'invalid_request_error', code: 'idempotency_key_in_use' }, 'unknown'],
    [429, { type: 'invalid_request_error', code: 'lock_timeout' }, 'not-sent'],
    [500, { type: 'api_error' }, 'unknown'],
    [503, { type: 'api_error' }, 'unknown'],
  ])('an authorization answered with %i %j is %s', async (status, error, kind) => {
    answers(status, { ...error, message: 'card 4242424242424242 was sent' });
    const result = await processor.authorize(request());
    expect(result.kind).toBe(kind);
    expect(JSON.stringify(result)).not.toContain('4242424242424242');
  });

  test('an account that sends too much does not count as a route that cannot be reached', async () => {
    answers(429, { type: 'invalid_request_error', code: 'rate_limit' });
    expect(await processor.authorize(request())).toMatchObject({ kind: 'not-sent', blocked: 'route' });
  });

  test.each([
    [400, 'payment_intent_unexpected_state', 'declined'],
    [404, 'resource_missing', 'declined'],
    [403, 'more_permissions_required', 'failed'],
  ])('a capture, cancellation or refund answered with %i %s is %s', async (status, code, kind) => {
    const hold = request({ capture: false });
    await processor.authorize(hold);
    const error = { type: 'invalid_request_error', code };
    stripe.interfere(({ method }) => (method === 'POST' ? { status, json: { error } } : undefined));
    for (const operation of ['capture', 'cancel', 'refund'] as const) {
      expect(await processor[operation]?.(onto(hold))).toMatchObject({ kind });
    }
  });

  test.each([401, 403])(
    'a key without access to the payment (%i) does not capture, cancel or refund it',
    async (status) => {
      const hold = request({ capture: false });
      const { processorReference = '' } = (await processor.authorize(hold)) as Approved;
      stripe.interfere(() => ({ status, json: { error: { type: 'invalid_request_error', code: 'api_key_expired' } } }));
      const posts = stripe.sent.filter(({ method }) => method === 'POST').length;
      for (const references of [{ processorReference }, {}]) {
        for (const operation of ['capture', 'cancel', 'refund'] as const) {
          const sent = onto(hold, { originalReferences: references });
          expect(await processor[operation]?.(sent)).toMatchObject({ kind: 'failed', resultCode: '58' });
          expect(await processor.inquire({ ...inquiry(sent), operation, original: hold.key })).toMatchObject({
            kind: 'no-answer',
          });
        }
        const reversal = {
          ...base,
          key: `${hold.key}-reverse`,
          original: hold.key,
          originalReferences: references,
          amountMinor: 1_050,
        };
        expect(await processor.reverse(reversal)).toMatchObject({ kind: 'no-answer' });
      }
      expect(stripe.sent.filter(({ method }) => method === 'POST')).toHaveLength(posts);
    },
  );

  test.each([
    [302, { code: 'moved' }],
    [402, { code: 'no_credit' }],
    [404, { code: 'no_route' }],
    [408, { type: 'invalid_request_error', code: 'timeout' }],
    [429, { code: 'busy' }],
    [499, { code: 'closed' }],
    [400, { type: 'api_error' }],
  ])('%i %j of a proxy says nothing about a payment that was made', async (status, error) => {
    const sent = request();
    const { processorReference = '' } = (await processor.authorize(sent)) as Approved;
    const references = { processorReference };
    stripe.interfere(({ path }) =>
      path.startsWith('/v1/payment_methods') ? undefined : { status, json: { error: { ...error, message: 'no' } } },
    );
    expect(await processor.authorize(request())).toMatchObject({ kind: 'unknown' });
    // Only the payment was looked up: no part of the refund was sent.
    const refund = onto(sent, { originalReferences: references });
    expect(await processor.refund?.(refund)).toMatchObject({ kind: 'not-sent' });
    expect(stripe.last(/^POST \/v1\/refunds$/)?.headers['idempotency-key']).not.toBe(refund.key);
    expect(await processor.inquire({ ...inquiry(sent), references })).toMatchObject({ kind: 'no-answer' });
    const { key: original, amountMinor } = sent;
    const reversal = { ...base, key: `${original}-reverse`, original, originalReferences: references, amountMinor };
    expect(await processor.reverse(reversal)).toMatchObject({ kind: 'no-answer' });
    stripe.interfere(({ method }) =>
      method === 'POST' ? { status, json: { error: { ...error, message: 'no' } } } : undefined,
    );
    expect(await processor.refund?.(refund)).toMatchObject({ kind: 'unknown' });
  });

  test('a broken connection is not retried inside the adapter', async () => {
    let posts = 0;
    const server = createServer((incoming, response) => {
      if (incoming.url === '/v1/payment_methods') return response.end('{"id":"pm_1","object":"payment_method"}');
      posts += 1;
      incoming.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const adapter = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await adapter.authorize(request())).toMatchObject({ kind: 'unknown' });
    expect(posts).toBe(1);
    await adapter.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('a payment is unknown when Stripe does not answer the card or the charge', async () => {
    const adapter = connect(stripe.url, 1_500);
    stripe.interfere(({ path }) => (path === '/v1/payment_intents' ? 'hang' : undefined));
    expect(await adapter.authorize(request())).toMatchObject({ kind: 'unknown' });
    stripe.interfere(({ path }) => (path === '/v1/payment_methods' ? 'hang' : undefined));
    expect((await adapter.authorize(request())).kind).toBe('unknown');
    await adapter.close();
  });
});

test('a refund made at the dashboard is found by its id, for its own payment only', async () => {
  const [sent, other] = [request(), request()];
  const made = async (one: AuthorizeRequest) => {
    await processor.authorize(one);
    return [...stripe.intents.values()].find(({ metadata }) => metadata['gateway_key'] === one.key)?.id ?? '';
  };
  const [id, otherId] = [await made(sent), await made(other)];
  const refunded = async (by: string, more: Record<string, string> = {}) => {
    const response = await fetch(`${stripe.url}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': by },
      body: new URLSearchParams({ payment_intent: id, amount: '400', ...more }),
    });
    return ((await response.json()) as { id: string }).id;
  };
  const refund = await refunded('dashboard');
  const inquire = (original: string, of: string, named = refund) =>
    processor.inquire({
      ...{ ...base, key: newKey(), operation: 'refund', amountMinor: 400, original },
      ...{ originalReferences: { processorReference: of }, references: { processorReference: named } },
    });
  expect(await inquire(sent.key, id)).toMatchObject({ kind: 'found', outcome: { kind: 'approved', ticket: refund } });
  expect(await inquire(other.key, otherId)).toMatchObject({ kind: 'no-answer' });
  const ofAnotherKey = await refunded('another', { 'metadata[gateway_key]': 'txn_another' });
  expect(await inquire(sent.key, id, ofAnotherKey)).toMatchObject({ kind: 'no-answer' });
});

describe('inquiries without an id of Stripe', () => {
  test('the list finds a payment that the search does not have yet, and only the list proves that there is none', async () => {
    stripe.indexed = false;
    const sent = request();
    await processor.authorize(sent);
    expect(await processor.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    expect(await processor.inquire(inquiry(request()))).toEqual({ kind: 'not-found' });
    stripe.interfere(({ method, path }) =>
      method === 'GET' && path === '/v1/payment_intents' ? { status: 500, json: {} } : undefined,
    );
    expect(await processor.inquire(inquiry(request()))).toMatchObject({ kind: 'no-answer' });
  });

  test('the list is used if search is not available in the country of the account', async () => {
    const sent = request();
    await processor.authorize(sent);
    const error = { type: 'invalid_request_error', code: 'search_unavailable' };
    stripe.interfere(({ path }) => (path.endsWith('/search') ? { status: 400, json: { error } } : undefined));
    expect(await processor.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
  });

  test('a refund is found among more than a page of them', async () => {
    const sent = request();
    await processor.authorize(sent);
    const refunds = Array.from({ length: 205 }, () => onto(sent, { amountMinor: 1 }));
    for (const one of refunds) await processor.refund?.(one);
    const ask = (one: FollowUpRequest) =>
      processor.inquire({ ...inquiry(one), operation: 'refund', original: sent.key, originalReferences: {} });
    for (const one of [refunds[0], refunds[104], refunds[204]] as FollowUpRequest[]) {
      expect(await ask(one)).toMatchObject({ kind: 'found', outcome: { kind: 'approved', about: { key: one.key } } });
    }
    const unknown = onto(sent, { amountMinor: 1 });
    expect(await ask(unknown)).toEqual({ kind: 'not-found' });
    const endless = { object: 'list', data: [{ id: 're_x' }], has_more: true };
    stripe.interfere(({ path }) => (path === '/v1/refunds' ? { status: 200, json: endless } : undefined));
    expect(await ask(unknown)).toMatchObject({ kind: 'no-answer', internal: 'too many refunds to look through' });
  });

  test('captures, cancellations and refunds are found by their own keys', async () => {
    const sent = request({ capture: false });
    await processor.authorize(sent);
    const capture = onto(sent, { amountMinor: 400 });
    const ask = (operation: 'capture' | 'cancel' | 'refund', one: FollowUpRequest) =>
      processor.inquire({ ...inquiry(one), operation, original: sent.key, originalReferences: {} });
    expect(await ask('capture', capture)).toEqual({ kind: 'not-found' });
    await processor.capture?.(capture);
    expect(await ask('capture', capture)).toMatchObject({
      kind: 'found',
      outcome: { kind: 'approved', about: { amountMinor: 400 } },
    });
    expect(await ask('cancel', onto(sent))).toEqual({ kind: 'not-found' });
    const refund = onto(sent, { amountMinor: 150 });
    expect(await ask('refund', refund)).toEqual({ kind: 'not-found' });
    await processor.refund?.(refund);
    expect(await ask('refund', refund)).toMatchObject({
      kind: 'found',
      outcome: { kind: 'approved', about: { amountMinor: 150 } },
    });
    const held = request({ capture: false });
    await processor.authorize(held);
    const cancel = onto(held);
    await processor.cancel?.(cancel);
    const asked = { ...inquiry(cancel), operation: 'cancel', original: held.key, originalReferences: {} } as const;
    expect(await processor.inquire(asked)).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
  });
});

test.each([
  ['succeeded', null, { kind: 'approved', resultCode: '00' }],
  ['pending', null, { kind: 'pending' }],
  ['requires_action', null, { kind: 'pending' }],
  ['failed', 'expired_or_canceled_card', { kind: 'declined', resultCode: '54' }],
  ['failed', 'lost_or_stolen_card', { kind: 'declined', resultCode: '41' }],
  ['failed', 'unknown', { kind: 'declined', resultCode: '05' }],
  ['canceled', null, { kind: 'declined', resultCode: '05' }],
  ['new', null, { kind: 'unknown' }],
])('a refund in the state %s (%s) is %j', (status, failure_reason, outcome) => {
  const refund = { id: 're_1', amount: 150, currency: 'usd', metadata: { gateway_key: 'txn_2' } };
  const said = refundOutcome({ ...refund, status, failure_reason });
  expect(said).toMatchObject({ ...outcome, processorReference: 're_1' });
});

test('a hold ends when Stripe says, in milliseconds after its creation', () => {
  const created = 1_790_000_000;
  const intent = { id: 'pi_1', status: 'requires_capture', amount: 150, currency: 'usd', created };
  const held = (capture_before: number) =>
    authorizationOutcome({
      ...intent,
      latest_charge: { id: 'ch_1', payment_method_details: { card: { capture_before } } },
    });
  expect(held(created + 3_600)).toMatchObject({ kind: 'approved', holdMs: 3_600_000 });
  expect(held(created)).not.toHaveProperty('holdMs');
});

test('a charge that succeeds during its reversal is not cancelled, and is reversed by the next try', async () => {
  const sent = request();
  const { processorReference = '' } = (await processor.authorize(sent)) as Approved;
  const reversal = {
    ...base,
    key: `${sent.key}-reverse`,
    original: sent.key,
    originalReferences: { processorReference },
    amountMinor: sent.amountMinor,
  };
  const confirming = { ...stripe.intents.get(processorReference)?.json(true), status: 'requires_confirmation' };
  stripe.interfere(({ method }) => (method === 'GET' ? { status: 200, json: confirming } : undefined));
  expect(await processor.reverse(reversal)).toMatchObject({ kind: 'no-answer' });
  stripe.interfere(undefined);
  expect(await processor.reverse(reversal)).toMatchObject({ kind: 'reversed' });
});

test.each([true, false])(
  'an error that Stripe repeats for a key does not block the reversal (purchase: %s)',
  async (capture) => {
    const sent = request({ capture });
    const { processorReference = '' } = (await processor.authorize(sent)) as Approved;
    const reversal = {
      ...base,
      key: `${sent.key}-reverse`,
      original: sent.key,
      originalReferences: { processorReference },
      amountMinor: sent.amountMinor,
    };
    const failed = new Set<unknown>();
    let failing = true;
    stripe.interfere(({ method, headers }) => {
      const key = headers['idempotency-key'];
      if (method === 'POST' && failing) failed.add(key);
      return failed.has(key) ? { status: 500, json: { error: { type: 'api_error', message: 'no' } } } : undefined;
    });
    expect(await processor.reverse(reversal)).toMatchObject({ kind: 'no-answer' });
    failing = false;
    expect(await processor.reverse(reversal)).toMatchObject({ kind: 'reversed' });
    expect(await processor.reverse(reversal)).toMatchObject({ kind: 'reversed' });
    expect(stripe.books.filter(({ original }) => original === sent.key)).toMatchObject([{ kind: 'reversal' }]);
  },
);
