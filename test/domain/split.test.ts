import fc from 'fast-check';
import {
  mirrorRefunds,
  type SplitDestination,
  type SplitPayment,
  splitPayment,
} from '../../shared/domain/payment-link/split.js';

const RUNS = 10_000;
const OWN = 1;
const dollars = (totalMinor: number, taxMinor?: number): SplitPayment => ({
  totalMinor,
  currency: 'USD',
  taxMinor,
  ownMerchantId: OWN,
});
const percent = (value: string, more: Partial<SplitDestination> = {}): SplitDestination => ({
  destinationMerchantId: 2,
  amountRule: { type: 'percentage', value },
  ...more,
});
const fixed = (value: string): SplitDestination => ({ destinationMerchantId: 3, amountRule: { type: 'fixed', value } });
const residual: SplitDestination = { destinationMerchantId: 4, amountRule: { type: 'residual' } };
const amounts = (payment: SplitPayment, destinations: readonly SplitDestination[]) =>
  splitPayment(payment, destinations)?.map(({ merchantId, amountMinor }) => [merchantId, amountMinor]);

test.each<[string, SplitPayment, SplitDestination[], [number, number][] | undefined]>([
  ['nothing is divided: all is its own', dollars(10_000), [], [[OWN, 10_000]]],
  [
    'a percentage, the rest is its own',
    dollars(10_000),
    [percent('10')],
    [
      [2, 1_000],
      [OWN, 9_000],
    ],
  ],
  [
    'percentages are rounded down',
    dollars(999),
    [percent('33.333')],
    [
      [2, 332],
      [OWN, 667],
    ],
  ],
  [
    'a far decimal counts',
    dollars(100_000_000_000_000),
    [percent('0.00000000001')],
    [
      [2, 10],
      [OWN, 99_999_999_999_990],
    ],
  ],
  [
    'fixed before the rest',
    dollars(10_000),
    [fixed('12.50'), residual],
    [
      [3, 1_250],
      [4, 8_750],
    ],
  ],
  ['nothing left is no line', dollars(1_250), [fixed('12.5')], [[3, 1_250]]],
  [
    'a residual may get nothing',
    dollars(1_250),
    [fixed('12.5'), residual],
    [
      [3, 1_250],
      [4, 0],
    ],
  ],
  ['all of it', dollars(777), [percent('100')], [[2, 777]]],
  ['more than there is', dollars(1_000), [fixed('6'), fixed('6')], undefined],
  ['fixed and percentage together too much', dollars(1_000), [fixed('6'), percent('50')], undefined],
  ['a fixed amount that the currency lacks', { ...dollars(1_000), currency: 'JPY' }, [fixed('6.5')], undefined],
  [
    'tax excluded',
    dollars(12_200, 2_200),
    [percent('10', { vatRule: { type: 'excluded' } })],
    [
      [2, 1_000],
      [OWN, 11_200],
    ],
  ],
  [
    'tax by its rate where none is said',
    dollars(12_200),
    [percent('10', { vatRule: { type: 'excluded', rate: '0.22' } })],
    [
      [2, 1_000],
      [OWN, 11_200],
    ],
  ],
  [
    'tax by the rate of the payment where the rule has none',
    { ...dollars(12_200), taxRate: '0.22' },
    [percent('10', { vatRule: { type: 'excluded' } })],
    [
      [2, 1_000],
      [OWN, 11_200],
    ],
  ],
  [
    'the rate of the rule wins over that of the payment',
    { ...dollars(12_200), taxRate: '0.5' },
    [percent('10', { vatRule: { type: 'excluded', rate: '0.22' } })],
    [
      [2, 1_000],
      [OWN, 11_200],
    ],
  ],
  [
    'tax by its rate is rounded half up: 1.5 are 2',
    dollars(4),
    [percent('100', { vatRule: { type: 'excluded', rate: '0.6' } })],
    [
      [2, 2],
      [OWN, 2],
    ],
  ],
  [
    'tax that was said wins over the rate',
    dollars(12_200, 0),
    [percent('10', { vatRule: { type: 'excluded', rate: '0.22' } })],
    [
      [2, 1_220],
      [OWN, 10_980],
    ],
  ],
  [
    'tax included',
    dollars(12_200, 2_200),
    [percent('10', { vatRule: { type: 'included', rate: '0.22' } })],
    [
      [2, 1_220],
      [OWN, 10_980],
    ],
  ],
])('%s', (_name, payment, destinations, expected) => {
  expect(amounts(payment, destinations)).toEqual(expected);
});

test('a part has the reference of its destination', () => {
  const [part] = splitPayment(dollars(100), [percent('50', { subMerchantReference: 'stall-7' })]) ?? [];
  expect(part).toEqual({ merchantId: 2, subMerchantReference: 'stall-7', amountMinor: 50 });
});

const hundredths = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
/** Percentages that add up to at most 100, with two decimals. */
const percentages = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 6 }).map((list) => {
  const kept: number[] = [];
  let sum = 0;
  for (const next of list) {
    if (sum + next > 10_000) continue;
    kept.push(next);
    sum += next;
  }
  return kept;
});
const cases = fc.record({
  total: fc.integer({ min: 1, max: 10 ** 13 }),
  tax: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  fixedMinor: fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { maxLength: 4 }),
  percentages,
  vat: fc.constantFrom<SplitDestination['vatRule']>(
    undefined,
    { type: 'excluded', rate: '0.22' },
    { type: 'excluded' },
    { type: 'exempt' },
  ),
  withResidual: fc.boolean(),
});
/** Throws unless a condition is true. `expect` is too slow for some hundred thousand checks. */
function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not so: ${what}`);
}
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function destinationsOf({ fixedMinor, percentages: shares, vat, withResidual }: Case): SplitDestination[] {
  return [
    ...fixedMinor.map((minor) => fixed(hundredths(minor))),
    ...shares.map((share) => percent(hundredths(share), vat ? { vatRule: vat } : {})),
    ...(withResidual ? [residual] : []),
  ];
}

test(`the parts are the total, to the unit, or it is refused (${RUNS} cases)`, () => {
  let divided = 0;
  fc.assert(
    fc.property(cases, (given) => {
      const payment = dollars(given.total, given.tax === undefined ? undefined : Math.min(given.tax, given.total));
      const destinations = destinationsOf(given);
      const parts = splitPayment(payment, destinations);
      const fixedSum = sumOf(given.fixedMinor);
      if (!parts) {
        // A split is refused only if the fixed amounts and the largest possible percentages exceed the total.
        const most = given.percentages.reduce(
          (sum, share) => sum + (BigInt(given.total) * BigInt(share)) / 10_000n,
          0n,
        );
        holds(BigInt(fixedSum) + most > BigInt(given.total), 'what is refused is more than the total');
        return;
      }
      divided += 1;
      const amountsMinor = parts.map(({ amountMinor }) => amountMinor);
      holds(sumOf(amountsMinor) === given.total, 'the parts are the total');
      holds(
        amountsMinor.every((minor) => Number.isSafeInteger(minor) && minor >= 0),
        'parts are whole and not negative',
      );
      holds(
        given.fixedMinor.every((minor, at) => amountsMinor[at] === minor),
        'fixed amounts come first, as they are',
      );
      holds(parts.length - destinations.length <= (given.withResidual ? 0 : 1), 'at most one part is its own');
      given.percentages.forEach((share, at) => {
        const part = amountsMinor[given.fixedMinor.length + at] ?? -1;
        holds(BigInt(part) * 10_000n <= BigInt(given.total) * BigInt(share), 'never more than its share');
        if (given.vat?.type !== 'excluded') {
          holds((BigInt(part) + 1n) * 10_000n > BigInt(given.total) * BigInt(share), 'less by under one unit');
        }
      });
    }),
    { numRuns: RUNS },
  );
  expect(divided).toBeGreaterThan(RUNS / 2);
});

test(`refunds mirror it: to the unit, never back, nothing left at the end (${RUNS} cases)`, () => {
  const refunds = fc.array(fc.integer({ min: 1, max: 10 ** 6 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 10 ** 5 }), { minLength: 1, maxLength: 6 }),
      refunds,
      (shares, wanted) => {
        const parts = shares.map((amountMinor, at) => ({ merchantId: at + 1, amountMinor }));
        const total = sumOf(shares);
        const made: number[] = [];
        let before = shares.map(() => 0);
        for (const want of wanted) {
          const refund = Math.min(want, total - sumOf(made));
          if (refund === 0) break;
          made.push(refund);
          const after = [...mirrorRefunds(parts, made)];
          holds(sumOf(after) === sumOf(made), 'the parts are what was refunded');
          after.forEach((minor, at) => {
            holds(minor >= (before[at] ?? 0), 'a part never goes back');
            holds(minor <= (shares[at] ?? 0), 'a part is never more than its share');
          });
          before = after;
        }
        if (sumOf(made) === total) holds(before.join() === shares.join(), 'nothing is left at the end');
      },
    ),
    { numRuns: RUNS },
  );
});

test('a refund is divided among all parts in proportion', () => {
  const parts = [5_000, 3_000, 2_000].map((amountMinor, at) => ({ merchantId: at + 1, amountMinor }));
  expect(mirrorRefunds(parts, [1_000])).toEqual([500, 300, 200]);
  expect(mirrorRefunds(parts, [1_000, 9_000])).toEqual([5_000, 3_000, 2_000]);
  expect(mirrorRefunds(parts, [])).toEqual([0, 0, 0]);
});

test.each<[string, number[], number[], number[]]>([
  ['the part that lacks most', [1, 2, 7], [1], [0, 0, 1]],
  ['the first of those that lack the same', [5, 5], [1], [1, 0]],
  [
    'a part and stays there, although another part lacks more after the next refund',
    [0, 1, 3, 3],
    [1, 1, 1, 1],
    [0, 1, 2, 1],
  ],
])('a unit that remains from rounding goes to %s', (_name, shares, refunds, given) => {
  const parts = shares.map((amountMinor, at) => ({ merchantId: at + 1, amountMinor }));
  expect(mirrorRefunds(parts, refunds)).toEqual(given);
});
