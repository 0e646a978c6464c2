/** How answers of Adyen become outcomes, and what happens to those that need the payer. */
import { adyenLimits } from '../../../config/adyen-limits.js';
import { limits } from '../../../config/limits.js';
import { createAdyenProcessor } from '../../../shared/processors/adyen/create-adyen-processor.js';
import { toOutcome } from '../../../shared/processors/adyen/to-outcome.js';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type { Approved } from '../../../shared/processors/processor.js';
import { startPeer } from '../../conformance/http-peers.js';
import { keepingLog } from '../keeping-log.js';
import { inquireAgain, onto, openAdyenHarness, pay, payAs, takeBack } from './adyen-harness.js';

let harness: Awaited<ReturnType<typeof openAdyenHarness>>;
beforeAll(async () => {
  harness = await openAdyenHarness();
});
afterAll(() => harness?.close());

describe('authorizations', () => {
  test('an authorised payment carries the data of the issuer and the network', async () => {
    expect(await harness.processor.authorize(pay())).toMatchObject({
      kind: 'approved',
      resultCode: '00',
      authorization: '033899',
      networkTransactionId: '016153570198200',
      networkLinkId: 'TLID0001',
      checks: { avs: { code: 'Y', address: 'match', postalCode: 'match' }, cvc: { result: 'match' } },
      processorReference: expect.stringMatching(/^\w{16}$/),
      ticket: expect.stringMatching(/^\w{16}$/),
    });
  });

  test.each([
    ['true', { inReview: true }],
    ['false', {}],
  ])('an authorised payment with fraudManualReview %s', (fraudManualReview, held) => {
    const answer = {
      resultCode: 'Authorised',
      pspReference: 'QFQTPCQ8HXSKGK82',
      additionalData: { fraudManualReview, fraudResultType: 'FRAUD' },
    };
    const { inReview, kind } = toOutcome(answer, { key: 'txn_1' }) as Approved;
    expect({ kind, inReview }).toEqual({ kind: 'approved', ...held });
  });

  test.each([
    ['DECLINED', '05', 'generic_decline', 'declined-by-acquirer', '05'],
    ['CARD_EXPIRED', '54', 'expired_card', 'declined-by-acquirer', '54'],
    ['NOT_ENOUGH_BALANCE', '51', 'insufficient_funds', 'declined-by-acquirer', '51'],
    ['CVC_DECLINED', 'N7', 'incorrect_cvc', 'declined-by-acquirer', 'N7'],
    ['AUTHENTICATION_REQUIRED', '1A', 'authentication_required', 'authentication-required', '1A'],
    ['BLOCK_CARD', '62', 'restricted_card', 'declined-by-acquirer', '62'],
  ])(
    'a payment refused as %s carries the reason of the decline',
    async (name, resultCode, declineCode, error, networkDeclineCode) => {
      expect(await harness.processor.authorize(payAs(name))).toMatchObject({
        kind: 'declined',
        resultCode,
        declineCode,
        error,
        networkDeclineCode,
        networkAdviceCode: '03',
        advice: 'do-not-retry',
      });
    },
  );

  test.each([
    ['PENDING', 'pending'],
    ['ERROR', 'failed'],
  ])('a payment with result %s is %s', async (name, kind) => {
    expect(await harness.processor.authorize(payAs(name))).toMatchObject({ kind });
  });

  test('a part is approved with its amount, and only for a payment that allows parts', async () => {
    const amountMinor = 90_000;
    const allowed = pay({ amountMinor, money: { partialApprovalAllowed: true } });
    expect(await harness.processor.authorize(allowed)).toMatchObject({ kind: 'approved', approvedMinor: 45_000 });
    expect(await harness.processor.authorize(pay({ amountMinor }))).not.toHaveProperty('approvedMinor');
  });

  test.each([
    ['all that was asked for', { authorisedAmountValue: '1000', authorisedAmountCurrency: 'USD' }, 'approved'],
    ['no part, and not how much', {}, 'unknown'],
    ['more', { authorisedAmountValue: '1100' }, 'unknown'],
    ['nothing', { authorisedAmountValue: '0' }, 'unknown'],
    ['another currency', { authorisedAmountValue: '1000', authorisedAmountCurrency: 'EUR' }, 'unknown'],
  ])('a payment reported as partially approved for %s has no approved part', async (_what, additionalData, kind) => {
    const amount = { value: 1_000, currency: 'USD' };
    const body = { resultCode: 'PartiallyAuthorised', pspReference: 'QFQTPCQ8HXSKGK82', amount, additionalData };
    const peer = await startPeer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify(body)));
    });
    const log = keepingLog();
    const adapter = checkAnswers(createAdyenProcessor({ baseUrl: peer.url, timeoutMs: 2_000, log }), log);
    try {
      const answer = await adapter.authorize(pay({ money: { partialApprovalAllowed: true } }));
      expect(answer).toMatchObject({ kind });
      expect(answer).not.toHaveProperty('approvedMinor');
    } finally {
      await adapter.close();
      await peer.close();
    }
  });

  /** Authorizes a payment that Adyen answers with `body`, and its cancellation, if there is one, with `cancelled`. */
  async function answered(body: object, cancelled: object = {}) {
    const peer = await startPeer((request, response) => {
      const said = request.url === '/cancels' ? cancelled : body;
      request.resume().on('end', () => response.end(JSON.stringify(said)));
    });
    const log = keepingLog();
    const adapter = checkAnswers(createAdyenProcessor({ baseUrl: peer.url, timeoutMs: 2_000, log }), log);
    try {
      return await adapter.authorize(pay());
    } finally {
      await adapter.close();
      await peer.close();
    }
  }

  const amount = { value: 1_000, currency: 'USD' };
  const pspReference = 'QFQTPCQ8HXSKGK82';

  test.each(['Authorised', 'PartiallyAuthorised'])('%s without a PSP reference is unknown', async (resultCode) => {
    const additionalData = { authorisedAmountValue: '600', authorisedAmountCurrency: 'USD' };
    expect(await answered({ resultCode, amount, additionalData })).toMatchObject({ kind: 'unknown' });
    expect(await answered({ resultCode, amount, additionalData, pspReference })).toMatchObject({ kind: 'approved' });
  });

  test.each([
    ['a part', '600', 'USD', 600],
    ['all', '1000', 'USD', undefined],
    ['what the payer’s currency makes of it', '600', 'EUR', undefined],
    ['no number', 'x', 'USD', undefined],
  ])(
    'the authorised amount counts only if it is a part in the same currency: %s',
    async (_what, value, currency, approvedMinor) => {
      const additionalData = { authorisedAmountValue: value, authorisedAmountCurrency: currency };
      const answer = await answered({ resultCode: 'Authorised', pspReference, amount, additionalData });
      expect(answer).toMatchObject({ kind: 'approved' });
      expect((answer as { approvedMinor?: number }).approvedMinor).toBe(approvedMinor);
    },
  );

  test('a payment that needs the payer is not closed by the answer to another cancellation', async () => {
    const open = { resultCode: 'RedirectShopper', pspReference };
    const received = { status: 'received', pspReference: 'WXQTPCQ8HXSKGK82' };
    expect(await answered(open, received)).toMatchObject({ kind: 'declined' });
    expect(await answered(open, { ...received, reference: 'txn_other-close' })).toMatchObject({ kind: 'unknown' });
    expect(await answered(open, { ...received, paymentReference: 'txn_other' })).toMatchObject({ kind: 'unknown' });
  });

  test.each(['REDIRECT', 'CHALLENGE', 'IDENTIFY', 'NEW_RESULT'])(
    'a payment answered with %s is cancelled and declined',
    async (name) => {
      const request = payAs(name);
      expect(await harness.processor.authorize(request)).toMatchObject({
        kind: 'declined',
        error: 'authentication-required',
        resultMessage: 'Adyen asks for the payer, which is not supported; cancelled',
      });
      expect(harness.server.last('/cancels').body.paymentReference).toBe(request.key);
    },
  );

  test('a payment that needs the payer and cannot be cancelled is unknown until the inquiry cancels it', async () => {
    const request = payAs('REDIRECT');
    harness.server.fault(/^\/cancels$/, 'request-lost');
    expect(await harness.processor.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await harness.processor.inquire(inquireAgain(request))).toMatchObject({
      kind: 'found',
      outcome: { kind: 'declined', error: 'authentication-required' },
    });
  });

  test('a payment whose answer is lost is made once, and an inquiry finds it', async () => {
    const request = pay();
    harness.server.fault(/^\/payments$/, 'answer-lost');
    expect(await harness.processor.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await harness.processor.inquire(inquireAgain(request))).toMatchObject({
      kind: 'found',
      outcome: { kind: 'approved' },
    });
    expect(harness.server.bank.payments.filter((known) => known.request.reference === request.key)).toHaveLength(1);
  });

  test('a payment whose request is lost is made once, by the inquiry', async () => {
    const request = pay();
    harness.server.fault(/^\/payments$/, 'request-lost');
    expect(await harness.processor.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await harness.processor.inquire(inquireAgain(request))).toMatchObject({ outcome: { kind: 'approved' } });
    expect(harness.server.bank.payments.filter((known) => known.request.reference === request.key)).toHaveLength(1);
  });

  test('a payment that Adyen still processes is unknown until it is done', async () => {
    const request = pay();
    harness.server.occupy(request.key);
    expect(await harness.processor.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await harness.processor.inquire(inquireAgain(request))).toMatchObject({ kind: 'no-answer' });
    harness.server.free(request.key);
    expect(await harness.processor.inquire(inquireAgain(request))).toMatchObject({ outcome: { kind: 'approved' } });
  });

  test('a payment without an outcome is sent again in time, and an operation on a payment on the schedule', async () => {
    const request = pay();
    harness.server.occupy(request.key);
    const answer = await harness.processor.inquire(inquireAgain(request));
    const { knowsOutcomeAt } = answer as { knowsOutcomeAt?: Date };
    const waitMs = (knowsOutcomeAt?.getTime() ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    // Several tries fit into the time in which the payment may be sent.
    expect(waitMs * 4).toBeLessThan(limits.authorizeWithinMs);
    const refund = onto(request, 'QFQTPCQ8HXSKGK82', { amountMinor: 300 });
    harness.server.fault(/refunds$/, 'request-lost');
    expect(await harness.processor.inquire(inquireAgain(refund, { operation: 'refund', amountMinor: 300 }))).toEqual({
      kind: 'no-answer',
      internal: expect.any(String),
    });
  });

  test('an inquiry sends nothing when the request is missing or too old to be repeated', async () => {
    const request = pay();
    const before = harness.server.requests.length;
    const { sentRequest: _left, ...inquiry } = inquireAgain(request);
    expect(await harness.processor.inquire(inquiry)).toEqual({ kind: 'not-found' });
    const named = { ...inquiry, references: { processorReference: 'QFQTPCQ8HXSKGK82' } };
    expect(await harness.processor.inquire(named)).toMatchObject({ kind: 'no-answer' });
    const createdAt = new Date(Date.now() - adyenLimits.keysRememberedMs - 1);
    const old = inquireAgain(request, { references: { createdAt } });
    expect(await harness.processor.inquire(old)).toMatchObject({ kind: 'no-answer' });
    expect(harness.server.requests).toHaveLength(before);
  });
});

describe('modifications', () => {
  test('a capture that Adyen received is never sent again: a notification brings its outcome', async () => {
    const { request, reference } = await harness.approved(pay({ capture: false }));
    const capture = onto(request, reference);
    const answer = await harness.processor.capture(capture);
    const references = { createdAt: new Date(0), processorReference: (answer as { ticket: string }).ticket };
    const before = harness.server.requests.length;
    const inquiry = inquireAgain(capture, { operation: 'capture', references });
    expect(await harness.processor.inquire(inquiry)).toEqual({
      kind: 'no-answer',
      internal: 'Adyen notifies of the outcome',
    });
    expect(harness.server.requests).toHaveLength(before);
  });

  test('a refund whose answer is lost is made once, and an inquiry finds its PSP reference', async () => {
    const { request, reference } = await harness.approved();
    const refund = onto(request, reference, { amountMinor: 300 });
    harness.server.fault(/refunds$/, 'answer-lost');
    expect(await harness.processor.refund(refund)).toMatchObject({ kind: 'unknown' });
    expect(
      await harness.processor.inquire(inquireAgain(refund, { operation: 'refund', amountMinor: 300 })),
    ).toMatchObject({
      kind: 'found',
      outcome: { kind: 'pending', processorReference: expect.stringMatching(/^\w{16}$/) },
    });
    expect(harness.server.bank.ledger.filter(({ key }) => key === refund.key)).toHaveLength(1);
  });

  test('a modification of a payment without a PSP reference is refused before it is sent', async () => {
    const request = pay();
    const before = harness.server.requests.length;
    const unnamed = { ...onto(request, ''), originalReferences: {} };
    for (const operation of ['capture', 'cancel', 'refund'] as const) {
      expect(await harness.processor[operation](unnamed)).toMatchObject({ kind: 'declined', resultCode: '25' });
    }
    expect(harness.server.requests).toHaveLength(before);
  });

  test('an answer never confirms a reversal', async () => {
    const { request, reference } = await harness.approved();
    expect(await harness.processor.reverse(takeBack(request, reference))).toEqual({
      kind: 'no-answer',
      internal: 'Adyen took the reversal and notifies of the outcome',
    });
  });

  test('a refused reversal is repeated under a new idempotency key, any other repetition under the same key', async () => {
    const { request, reference } = await harness.approved();
    const keys = async (more: object, named = true) => {
      await harness.processor.reverse({ ...takeBack(request, named ? reference : undefined), ...more });
      return harness.server.requests.at(-1)?.headers['idempotency-key'];
    };
    const key = `${request.key}-reverse`;
    expect([await keys({}), await keys({})]).toEqual([`${key}-psp`, `${key}-psp`]);
    expect([await keys({ refusals: 1 }), await keys({ refusals: 2 }, false)]).toEqual([`${key}-psp-1`, `${key}-ref-2`]);
    expect(harness.server.bank.ledger.filter((line) => line.key === key)).toHaveLength(3);
  });
});

describe('errors', () => {
  const fault = (errorCode: string, errorType = 'validation', message = 'Invalid card number 4242424242424242') => ({
    errorCode,
    errorType,
    message,
  });

  async function answering(status: number, body: object, headers: Record<string, string> = {}) {
    const peer = await startPeer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, headers).end(JSON.stringify({ status, ...body })));
    });
    const log = keepingLog();
    const adapter = createAdyenProcessor({ baseUrl: peer.url, timeoutMs: 2_000, log });
    const request = pay();
    try {
      return {
        first: await adapter.authorize(request),
        again: await adapter.inquire(inquireAgain(request)),
        refund: await adapter.refund(onto(request, 'QFQTPCQ8HXSKGK82')),
        reversal: await adapter.reverse(takeBack(request)),
        logged: log.text(),
      };
    } finally {
      await adapter.close();
      await peer.close();
    }
  }

  test.each([
    [422, fault('101'), { kind: 'declined', resultCode: '14', declineCode: 'incorrect_number' }],
    [422, fault('103'), { kind: 'declined', resultCode: 'N7', declineCode: 'incorrect_cvc' }],
    [422, fault('102'), { kind: 'declined', resultCode: '14', declineCode: 'incorrect_number' }],
    [422, fault('140'), { kind: 'declined', resultCode: '54', declineCode: 'expired_card' }],
    [422, fault('141'), { kind: 'declined', resultCode: '54', declineCode: 'expired_card' }],
    [422, fault('153'), { kind: 'declined', resultCode: 'N7', declineCode: 'incorrect_cvc' }],
    [422, fault('129'), { kind: 'declined', resultCode: '54', declineCode: 'expired_card' }],
    [422, fault('138'), { kind: 'failed', resultCode: '30', resultMessage: 'Refused by Adyen: error 138' }],
    [400, fault('702'), { kind: 'failed', resultCode: '30' }],
    [401, fault('000', 'security'), { kind: 'failed', resultCode: '96' }],
    [403, fault('010', 'security'), { kind: 'failed', resultCode: '96' }],
    [422, fault('901', 'security'), { kind: 'failed', resultCode: '96' }],
    // The account has no acquirer for the card or the currency.
    [500, fault('905', 'configuration'), { kind: 'failed', resultCode: '96' }],
    [500, fault('905_1', 'configuration'), { kind: 'failed', resultMessage: 'Refused by Adyen: error 905_1' }],
    [500, fault('905', 'internal'), { kind: 'unknown' }],
    [500, fault('903', 'configuration'), { kind: 'unknown' }],
    [503, fault('905', 'configuration'), { kind: 'unknown' }],
    [429, fault('029', 'security'), { kind: 'unknown' }],
    [422, fault('704'), { kind: 'unknown' }],
    [409, fault('704'), { kind: 'unknown' }],
    [503, fault('703', 'internal'), { kind: 'unknown' }],
    [422, fault('703'), { kind: 'unknown' }],
    [403, fault('705', 'security'), { kind: 'unknown' }],
    [422, {}, { kind: 'unknown' }],
    // An error of a proxy in between has its own words; an internal error says nothing about the payment.
    [400, fault('BAD_REQUEST', 'gateway_error'), { kind: 'unknown' }],
    [403, fault('101', 'blocked'), { kind: 'unknown' }],
    [422, fault('900', 'internal'), { kind: 'unknown' }],
    [408, fault('101'), { kind: 'unknown' }],
    [404, fault('101'), { kind: 'unknown' }],
  ])('status %i with %j has its outcome', async (status, body, expected) => {
    const { first, again, refund, logged } = await answering(status, body);
    expect(first).toMatchObject(expected);
    expect(JSON.stringify([first, again, refund, logged])).not.toContain('4242');
    // Whatever is wrong with the installation now: an earlier request under the same key may have had an effect.
    const installation = (body as { errorType?: string }).errorType !== 'validation';
    expect(again.kind).toBe(expected.kind === 'unknown' || installation ? 'no-answer' : 'found');
    expect(refund.kind).not.toBe('approved');
  });

  test('an error that Adyen marks as transient leaves every outcome unknown', async () => {
    const { first, again, refund, reversal } = await answering(422, fault('101'), { 'Transient-Error': 'true' });
    expect([first.kind, again.kind, refund.kind]).toEqual(['unknown', 'no-answer', 'unknown']);
    expect(reversal).toEqual({ kind: 'no-answer', internal: 'status 422, which passes' });
    const lasting = await answering(422, fault('101'), { 'Transient-Error': 'false' });
    expect(lasting.first.kind).toBe('declined');
  });
});
