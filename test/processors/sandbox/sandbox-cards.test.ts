import { setTimeout as sleep } from 'node:timers/promises';
import { testAmounts } from '../../../api/testing/test-amounts.js';
import { type TestOutcome, testCards } from '../../../api/testing/test-cards.js';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type { SendResult } from '../../../shared/processors/processor.js';
import {
  createSandboxProcessor,
  type SandboxProcessor,
} from '../../../shared/processors/sandbox/create-sandbox-processor.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { keepingLog } from '../keeping-log.js';
import { authorizeRequest, followUpRequest, inquireRequest } from '../port-requests.js';
import { startLatePeer } from './late-peer.js';
import { cardOf, startTestSimulator, type TestSimulator } from './sandbox-harness.js';

/** At this scale 20 s of a late answer become 200 ms, 3 s of a pending refund 30 ms, and a hold of one minute 600 ms. */
const TIME_SCALE = 100;
const LATE_MS = 200;
const REFUND_MS = 30;
const SHORT_TIMEOUT_MS = 100;

let simulator: TestSimulator;
let processor: SandboxProcessor;
let hasty: SandboxProcessor;

beforeAll(async () => {
  simulator = await startTestSimulator(TIME_SCALE);
  const options = { baseUrl: simulator.url, personality: 'idempotent', log: keepingLog() } as const;
  processor = createSandboxProcessor({ ...options, timeoutMs: PATIENCE_MS });
  hasty = createSandboxProcessor({ ...options, timeoutMs: SHORT_TIMEOUT_MS });
});
afterAll(async () => {
  await processor.close();
  await hasty.close();
  await simulator.close();
});

const authorization = authorizeRequest;
const onto = (original: string, amountMinor = 1_000) => followUpRequest(original, { amountMinor });
const inquire = (key: string, amountMinor = 1_000) => processor.inquire(inquireRequest(key, { amountMinor }));
const numberOf = (id: string) => testCards.find((card) => card.id === id)?.number ?? '';

/** Result of a purchase with each test card, if it depends on nothing else. */
const purchases: Partial<Record<TestOutcome, SendResult['kind']>> = {
  approved: 'approved',
  declined: 'declined',
  'authentication-required': 'declined',
  'threeds-challenge': 'approved',
  'threeds-frictionless': 'approved',
  'threeds-challenge-then-declined': 'declined',
  'threeds-lookup-error': 'approved',
  'refund-pending': 'approved',
  'refund-fails-later': 'approved',
  'capture-denied': 'approved',
  'cancellation-refused': 'approved',
  'late-answer': 'approved',
  'no-answer-but-approved': 'unknown',
  'no-answer-nothing-done': 'unknown',
  'connection-refused': 'not-sent',
  'answered-twice': 'approved',
  'short-hold': 'approved',
  'later-charges-declined': 'approved',
  'verification-refused': 'approved',
  'partial-approval': 'approved',
  'expiry-updated': 'approved',
};

describe('purchases with test cards', () => {
  it.each(testCards)('$number has the outcome $outcome', async ({ number, outcome, isoCode, declineCode }) => {
    const kind = purchases[outcome];
    const result = await (kind === 'unknown' ? hasty : processor).authorize(authorization(number));
    expect(result.kind).toBe(kind);
    if (kind === 'declined') expect(result).toMatchObject({ resultCode: isoCode, declineCode });
  });

  it('any other number is approved', async () => {
    expect(await processor.authorize(authorization('4000000000000010'))).toMatchObject({ kind: 'approved' });
  });

  it('a soft decline asks for authentication; a declined verification is a failed verification', async () => {
    expect(await processor.authorize(authorization(numberOf('authentication-required')))).toMatchObject({
      error: 'authentication-required',
    });
    for (const id of ['verification-refused', 'generic-decline']) {
      const request = authorization(numberOf(id), { capture: false, verification: true });
      expect(await processor.authorize(request)).toMatchObject({
        kind: 'declined',
        error: 'funds-verification-failed',
      });
    }
  });
});

describe('test cards whose effect comes later', () => {
  it('a refund is pending, then approved', async () => {
    const purchase = authorization(numberOf('refund-pending'));
    await processor.authorize(purchase);
    const refund = onto(purchase.key, 600);
    expect(await processor.refund(refund)).toMatchObject({ kind: 'pending' });
    // A pending refund reduces the amount that can still be refunded.
    expect(await processor.refund(onto(purchase.key, 401))).toMatchObject({ kind: 'declined' });
    await sleep(REFUND_MS + 20);
    expect(await inquire(refund.key, 600)).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    const lines = (await simulator.books()).filter(({ key }) => key === refund.key);
    expect(lines.map(({ result }) => result)).toEqual(['pending', 'approved']);
  });

  it('a refund is approved, then failed, and its amount can be refunded again', async () => {
    const purchase = authorization(numberOf('refund-fails-later'));
    await processor.authorize(purchase);
    const refund = onto(purchase.key);
    expect(await processor.refund(refund)).toMatchObject({ kind: 'approved' });
    await sleep(REFUND_MS + 20);
    expect(await inquire(refund.key)).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect(await processor.refund(onto(purchase.key))).toMatchObject({ kind: 'approved' });
  });

  it('a capture is denied and the hold stays; a cancellation is refused', async () => {
    const denied = authorization(numberOf('capture-denied'), { capture: false });
    await processor.authorize(denied);
    expect(await processor.capture(onto(denied.key))).toMatchObject({ declineCode: 'capture_denied' });
    expect(await processor.cancel(onto(denied.key))).toMatchObject({ kind: 'approved' });
    const refused = authorization(numberOf('cancellation-refused'), { capture: false });
    await processor.authorize(refused);
    expect(await processor.cancel(onto(refused.key))).toMatchObject({ declineCode: 'cancellation_refused' });
  });

  it('a short hold reports its duration, and a capture after it is declined', async () => {
    const holdMs = 60_000 / TIME_SCALE;
    const hold = authorization(numberOf('short-hold'), { capture: false });
    expect(await processor.authorize(hold)).toMatchObject({ kind: 'approved', holdMs });
    await sleep(holdMs + 10);
    expect(await processor.capture(onto(hold.key))).toMatchObject({ declineCode: 'hold_expired' });
    expect(await processor.cancel(onto(hold.key))).toMatchObject({ kind: 'approved' });
  });

  it('later charges of the saved card are declined, by its token or as subsequent charges', async () => {
    const number = numberOf('later-charges-declined');
    const card = cardOf(number);
    const stored = { initiator: 'merchant', use: 'subsequent', reason: 'recurring' } as const;
    for (const credential of [{ source: 'token', card } as const, { source: 'card', card, stored } as const]) {
      expect(await processor.authorize(authorization(number, { credential }))).toMatchObject({ kind: 'declined' });
    }
  });
});

describe('answers that do not arrive in time', () => {
  it('a late answer is unknown after a short time-out, and approved after a long one', async () => {
    const request = authorization(numberOf('late-answer'));
    expect(await hasty.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await inquire(request.key)).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    const patient = authorization(numberOf('late-answer'));
    const start = performance.now();
    expect(await processor.authorize(patient)).toMatchObject({ kind: 'approved' });
    expect(performance.now() - start).toBeGreaterThanOrEqual(LATE_MS - 5);
  });

  it('without an answer an inquiry finds the approval, or nothing', async () => {
    const done = authorization(numberOf('no-answer-but-approved'));
    expect(await hasty.authorize(done)).toMatchObject({ kind: 'unknown' });
    expect(await inquire(done.key)).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    const nothing = authorization(numberOf('no-answer-nothing-done'));
    expect(await hasty.authorize(nothing)).toMatchObject({ kind: 'unknown' });
    expect(await inquire(nothing.key)).toEqual({ kind: 'not-found' });
  });

  it('a second answer to one request is never taken for the answer to another request', async () => {
    const requests = Array.from({ length: 40 }, (_, index) =>
      authorization(index % 2 === 0 ? numberOf('answered-twice') : numberOf('visa')),
    );
    // The second answer arrives in the packet of the first, when no request waits for it: the connection is closed.
    for (const request of requests) {
      expect(await processor.authorize(request)).toMatchObject({ kind: 'approved', about: { key: request.key } });
    }
    const lines = await simulator.books();
    for (const { key } of requests) expect(lines.filter((line) => line.key === key)).toHaveLength(1);
  });

  it('a second answer that arrives while the next request waits makes that outcome unknown, and no later one', async () => {
    const result = { result: 'approved', resultCode: '00', resultMessage: 'Approved' };
    const late = await startLatePeer((key) => ({ key, amountMinor: 1_000, currency: 'USD', ...result }));
    const options = { baseUrl: late.url, personality: 'idempotent', timeoutMs: PATIENCE_MS } as const;
    const log = keepingLog();
    const checked = checkAnswers(createSandboxProcessor({ ...options, log }), log);
    try {
      const kinds = [];
      for (let n = 0; n < 3; n += 1) {
        kinds.push((await checked.authorize(authorization(numberOf('visa')))).kind);
        // The connection is free again for the next request only after this turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(kinds).toEqual(['approved', 'unknown', 'approved']);
      // The connection on which the answers were out of step is not used again.
      expect(late.requests()).toEqual([2, 1]);
    } finally {
      await checked.close();
      await late.close();
    }
  });
});

describe('amounts from 9000.00 to 9000.99', () => {
  const kinds: Partial<Record<TestOutcome, SendResult['kind']>> = purchases;

  it.each(testAmounts)('$amount has the outcome $outcome', async ({ amountMinor, outcome, isoCode, declineCode }) => {
    const kind = kinds[outcome];
    const result = await (kind === 'unknown' ? hasty : processor).authorize(
      authorization(numberOf('visa'), { amountMinor }),
    );
    expect(result.kind).toBe(kind);
    if (result.kind === 'declined') expect(result).toMatchObject({ resultCode: isoCode, declineCode });
  });

  it.each([
    [900_051, 'retry-later'],
    [900_065, undefined],
  ])(
    'the amount %d is declined with the advice %s: a soft decline needs the payer, not a later try',
    async (amountMinor, advice) => {
      const result = await processor.authorize(authorization(numberOf('visa'), { amountMinor }));
      if (result.kind !== 'declined') throw new Error(`the answer was ${result.kind}`);
      expect(result.advice).toBe(advice);
    },
  );

  it('other amounts are approved, and so are these amounts in a currency without cents', async () => {
    for (const more of [
      { amountMinor: 900_000 },
      { amountMinor: 900_052 },
      { amountMinor: 900_051, currency: 'JPY' },
    ]) {
      expect(await processor.authorize(authorization(numberOf('visa'), more))).toMatchObject({ kind: 'approved' });
    }
  });

  it('the outcome of a test card takes precedence over that of the amount', async () => {
    const request = authorization(numberOf('lost-card'), { amountMinor: 900_051 });
    expect(await processor.authorize(request)).toMatchObject({ declineCode: 'lost_card' });
  });
});
