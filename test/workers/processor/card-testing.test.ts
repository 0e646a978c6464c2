/** Declines are counted by card, amount and BIN, on a real MongoDB. A payment beyond a limit is not sent. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { newTransactionId } from '../../../shared/ids.js';
import type { Log } from '../../../shared/log.js';
import { CARD_DECLINES, type CardDecline } from '../../../shared/store/card-decline.model.js';
import { createCardDeclineRepository } from '../../../shared/store/card-decline.repository.js';
import { createCardTesting, noCardTesting } from '../../../workers/processor/card-testing.js';
import { createdPayment, firstTx, later, start } from '../../domain/payment/a-payment.js';
import { openStore, type Store } from '../../store/open-store.js';

const { dayMs, monthMs, cvcGuessMs, binBurstMs, declinesPerDay, sameAmountPerMonth, cvcGuesses, binBurstMax } =
  limits.cardTesting;
const NUMBER = '4242424242424242';

let store: Store;
let now: Date;
let lines: string[];
beforeAll(async () => {
  store = await openStore('card_testing', ['CardDecline']);
});
beforeEach(async () => {
  await store.clear();
  now = start;
  lines = [];
});
afterAll(() => store?.close());

const note = (message: string) => void lines.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const rows = () => store.database.collection<CardDecline>(CARD_DECLINES);

/** Builds the card-testing check. `fingerprints` are those of one card by the keys of the vault, newest first. */
function testing(fingerprints: readonly string[] = ['f1'], more: object = {}) {
  return createCardTesting({
    declines: createCardDeclineRepository(store.database),
    clock: { now: () => now },
    log,
    metrics: { event: (event: string) => void lines.push(`event ${event}`) },
    vault: {
      open: async () => Buffer.from(JSON.stringify({ number: NUMBER })),
      fingerprintsOf: async (number: string) => (number === NUMBER ? fingerprints : []),
    },
    instruments: { find: async (_client: string, token: string) => (token === 'tok_gone' ? undefined : { card: {} }) },
    ...more,
  } as never);
}
const decline = (more: Partial<CardDecline> = {}): CardDecline => ({
  _id: newTransactionId(),
  ...{ fingerprint: 'f1', bin: '424242', merchantId: 1001, amountMinor: 1050, currency: 'USD', wrongCvc: false },
  // MongoDB deletes expired documents by its own clock.
  ...{ at: start, expireAt: new Date(Date.now() + monthMs) },
  ...more,
});
const declined = (count: number, more: Partial<CardDecline> = {}) =>
  rows().insertMany(Array.from({ length: count }, () => decline(more)));
const blocked = async (payment: Payment = createdPayment(), fingerprints?: readonly string[]) =>
  (await testing(fingerprints).judge(payment)) === 'block';

test(`${declinesPerDay} declines of a card within a day, by whatever key it is known`, async () => {
  await declined(declinesPerDay - 2, { merchantId: 2 });
  await declined(1, { fingerprint: 'f0', merchantId: 3 });
  expect(await blocked(createdPayment(), ['f1', 'f0'])).toBe(false);
  await declined(1, { merchantId: 4 });
  expect(await blocked(createdPayment(), ['f1', 'f0'])).toBe(true);
  expect(lines).toEqual(['event card-testing']);
  expect(await blocked(createdPayment(), ['f2'])).toBe(false);
  now = later(dayMs - 1);
  expect(await blocked(createdPayment(), ['f1', 'f0'])).toBe(true);
  now = later(dayMs);
  expect(await blocked(createdPayment(), ['f1', 'f0'])).toBe(false);
});

test(`${sameAmountPerMonth} declines within a month of a card at one merchant with one amount`, async () => {
  now = later(dayMs);
  await declined(sameAmountPerMonth - 1);
  await declined(1, { amountMinor: 1 });
  await declined(1, { currency: 'EUR' });
  await declined(1, { merchantId: 2 });
  await declined(1, { fingerprint: 'other' });
  expect(await blocked()).toBe(false);
  await declined(1);
  expect(await blocked()).toBe(true);
  now = later(monthMs);
  expect(await blocked()).toBe(false);
});

test(`${cvcGuesses} wrong cvcs for a saved card within an hour`, async () => {
  const payment = createdPayment({ instrument: 'tok_1' });
  await declined(cvcGuesses - 1, { instrument: 'tok_1', wrongCvc: true });
  await declined(1, { instrument: 'tok_1' });
  await declined(1, { instrument: 'tok_2', wrongCvc: true });
  expect(await blocked(payment)).toBe(false);
  await declined(1, { instrument: 'tok_1', wrongCvc: true });
  expect(await blocked(payment)).toBe(true);
  // The card itself may be used without the saved card.
  expect(await blocked()).toBe(false);
  now = later(cvcGuessMs);
  expect(await blocked(payment)).toBe(false);
});

test('a payment without a card number is not judged: click-to-pay, and a saved card that is gone', async () => {
  await declined(declinesPerDay);
  expect(await blocked(createdPayment({ card: undefined }))).toBe(false);
  expect(await blocked(createdPayment({ instrument: 'tok_gone' }))).toBe(false);
  const open = async () => Buffer.from('{"clickToPay":{}}');
  expect(
    await testing([], { vault: { open, fingerprintsOf: () => Promise.reject(new Error()) } }).judge(createdPayment()),
  ).toBe('send');
});

test('a check that cannot open the card fails, so that nothing is sent', async () => {
  const vault = { open: () => Promise.reject(new Error('no key')), fingerprintsOf: async () => [] };
  await expect(testing([], { vault }).judge(createdPayment())).rejects.toThrow('no key');
});

describe('open attempts of a card', () => {
  const judgeAll = (watch: ReturnType<typeof testing>, payments: readonly Payment[]) =>
    Promise.all(payments.map((payment) => watch.judge(payment)));
  const many = (count: number, more: object = {}) => Array.from({ length: count }, () => createdPayment(more));
  const countOf = (verdicts: readonly string[], verdict: string) => verdicts.filter((one) => one === verdict).length;

  test('are never more than declines are left: further ones wait until they have ended', async () => {
    await declined(declinesPerDay - 2, { merchantId: 2 });
    const watch = testing();
    const [first, second, third] = many(3) as [Payment, Payment, Payment];
    expect(await judgeAll(watch, [first, second, third])).toEqual(['send', 'send', 'wait']);
    // One that was approved makes room, one that was declined does not.
    watch.end(first);
    expect(await watch.judge(third)).toBe('send');
    await watch.noteDecline(second, firstTx(second));
    watch.end(second);
    expect(await watch.judge(first)).toBe('wait');
    await watch.noteDecline(third, firstTx(third));
    watch.end(third);
    expect(await watch.judge(first)).toBe('block');
  });

  test(`of a card without declines are at most ${declinesPerDay}`, async () => {
    const watch = testing();
    const verdicts = await judgeAll(watch, many(declinesPerDay + 5));
    expect([countOf(verdicts, 'send'), countOf(verdicts, 'wait')]).toEqual([declinesPerDay, 5]);
    // A card that waits is not blocked: nothing alarms the operator.
    expect(lines).toEqual([]);
  });

  test('of another card do not count, but those by an older key of this one do', async () => {
    let fingerprints = ['other'];
    const vault = {
      open: async () => Buffer.from(JSON.stringify({ number: NUMBER })),
      fingerprintsOf: async () => fingerprints,
    };
    const watch = testing([], { vault });
    await judgeAll(watch, many(declinesPerDay));
    fingerprints = ['yesterday'];
    expect(countOf(await judgeAll(watch, many(declinesPerDay)), 'send')).toBe(declinesPerDay);
    fingerprints = ['today', 'yesterday'];
    expect(await watch.judge(createdPayment())).toBe('wait');
  });

  test('with the same amount at the same merchant count for that limit', async () => {
    now = later(dayMs);
    await declined(sameAmountPerMonth - 1);
    const watch = testing();
    const dearer = createdPayment({ amount: { ...createdPayment().amount, totalMinor: 2000 } });
    expect(await judgeAll(watch, [createdPayment(), createdPayment({ merchantId: 2 }), dearer])).toEqual(
      Array(3).fill('send'),
    );
    expect(await watch.judge(createdPayment())).toBe('wait');
  });

  test(`that guess the cvc of a saved card are at most ${cvcGuesses}, and a charge without cvc is no guess`, async () => {
    const cvc = { kid: 'cvc:1' } as never;
    const watch = testing();
    const guesses = many(cvcGuesses + 1, { instrument: 'tok_1', cvc });
    expect(countOf(await judgeAll(watch, guesses), 'send')).toBe(cvcGuesses);
    expect(await watch.judge(createdPayment({ instrument: 'tok_2', cvc }))).toBe('send');
    expect(await watch.judge(createdPayment({ instrument: 'tok_1', cvc: undefined }))).toBe('send');
    expect(await watch.judge(createdPayment({ cvc }))).toBe('send');
  });

  test('that could not be judged are not open, and one that is judged again counts once', async () => {
    const failing = { count: () => Promise.reject(new Error('no primary')), insert: async () => undefined };
    const counting = createCardDeclineRepository(store.database);
    let declines: object = failing;
    const watch = testing(['f1'], {
      declines: { count: (...given: never[]) => (declines as { count(...all: never[]): unknown }).count(...given) },
    });
    await expect(watch.judge(createdPayment())).rejects.toThrow('no primary');
    declines = counting;
    const again = createdPayment();
    for (let n = 0; n < declinesPerDay; n += 1) expect(await watch.judge(again)).toBe('send');
    expect(countOf(await judgeAll(watch, many(declinesPerDay)), 'send')).toBe(declinesPerDay - 1);
  });
});

describe('a decline', () => {
  test('is counted once, by the newest key, and kept for a month', async () => {
    const payment = createdPayment({ instrument: 'tok_1' });
    const tx = { ...firstTx(payment), declineCode: 'incorrect_cvc' } as never;
    const watch = testing(['newest', 'older']);
    await watch.noteDecline(payment, tx);
    await watch.noteDecline(payment, tx);
    expect(await rows().find({}).toArray()).toEqual([
      {
        ...{ _id: firstTx(payment).id, fingerprint: 'newest', bin: '424242', merchantId: 1001, amountMinor: 1050 },
        ...{ currency: 'USD', instrument: 'tok_1', wrongCvc: true, at: start, expireAt: later(monthMs) },
      },
    ]);
    expect(lines).toEqual([]);
  });

  test('for another reason, of a card that is not saved, names neither a wrong cvc nor a saved card', async () => {
    const payment = createdPayment({ paymentMethod: { id: 'v', name: 'V', type: 'card', source: 'card' } });
    await testing().noteDecline(payment, firstTx(payment));
    const [row] = await rows().find({}).toArray();
    expect(row).toMatchObject({ bin: '', wrongCvc: false });
    expect(row).not.toHaveProperty('instrument');
  });

  test('without a number is not counted', async () => {
    const payment = createdPayment({ card: undefined });
    await testing().noteDecline(payment, firstTx(payment));
    expect(await rows().countDocuments({})).toBe(0);
    expect(lines).toEqual([]);
  });

  test('that cannot be counted is logged, and stops nothing', async () => {
    const refused = Object.assign(new Error('no primary'), { code: 189 });
    const declines = { insert: () => Promise.reject(refused), count: async () => 0 };
    const payment = createdPayment();
    await testing(['f1'], { declines }).noteDecline(payment, firstTx(payment));
    expect(lines).toEqual(['card-testing.not-counted']);
  });

  test(`more than ${binBurstMax} of one BIN within a minute raise an alarm`, async () => {
    const decide = async () => {
      const payment = createdPayment();
      await testing().noteDecline(payment, firstTx(payment));
      return lines.splice(0);
    };
    await declined(binBurstMax - 1, { fingerprint: 'x' });
    await declined(5, { fingerprint: 'x', bin: '555555' });
    expect(await decide()).toEqual([]);
    expect(await decide()).toEqual(['event card-testing', 'card-testing.burst']);
    now = later(binBurstMs);
    expect(await decide()).toEqual([]);
  });
});

test('a second insert of the same transaction is ignored, and any other error is thrown', async () => {
  const declines = createCardDeclineRepository(store.database);
  const row = decline();
  await declines.insert(row);
  await declines.insert({ ...row, amountMinor: 1 });
  expect(await rows().find({}).toArray()).toEqual([row]);
  await expect(declines.insert({ ...decline(), _id: { $bad: 1 } } as never)).rejects.toThrow();
  await declined(3);
  expect(await declines.count({}, 2)).toBe(2);
});

test('a check that is switched off blocks and counts nothing', async () => {
  expect(await noCardTesting.judge(createdPayment())).toBe('send');
  expect(noCardTesting.end(createdPayment())).toBeUndefined();
  expect(await noCardTesting.noteDecline(createdPayment(), firstTx(createdPayment()))).toBeUndefined();
});
