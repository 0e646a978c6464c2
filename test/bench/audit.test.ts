import { findViolations, readWrites } from '../../bench/audit.mjs';

const clean = {
  answers: { 200: 3, 422: 1 },
  stored: { approved: 3, denied: 1 },
  references: 4,
  queued: 0,
  unannounced: 0,
  charged: ['txn_1', 'txn_2', 'txn_3', 'txn_4'],
  transactions: ['txn_1', 'txn_2', 'txn_3', 'txn_4'],
  skipped: 0,
  working: 0,
  withCvc: 0,
  chargedAt: [1, 2, 3, 4].map((serial) => ({ key: `txn_${serial}`, atMs: 1_020 })),
  paymentOf: new Map([1, 2, 3, 4].map((serial) => [`txn_${serial}`, `pay_${serial}`])),
  writes: new Map([1, 2, 3, 4].map((serial) => [`pay_${serial}`, { atMs: [1_000, 1_010, 1_030], claimed: false }])),
};
const NS = 'bench_1.payments';
const wall = (ms: number) => new Date(ms);

test('a run in which everything agrees has no violations', () => {
  expect(findViolations(clean)).toEqual([]);
});

test.each([
  ['an answer of another status', { answers: { 200: 3, 422: 1, 503: 1 } }, /neither 200 nor 422/],
  ['a broken connection', { answers: { 200: 3, 422: 1, error: 1 } }, /neither 200 nor 422/],
  ['an approval that was not stored', { answers: { 200: 4, 422: 1 } }, /4 answers said approved, 3 payments are/],
  ['a decline that was not stored', { answers: { 200: 3, 422: 2 } }, /2 answers said declined, 1 payments are/],
  [
    'a payment without outcome',
    { stored: { approved: 3, denied: 1, pending: 1 }, references: 5 },
    /1 payments have no outcome/,
  ],
  ['a reference used twice', { references: 3 }, /share a reference/],
  ['a job that is left', { queued: 1 }, /left in the queue/],
  ['an event left to announce', { unannounced: 2 }, /waits to be announced/],
  ['a card charged twice', { charged: [...clean.charged, 'txn_1'] }, /stand twice/],
  [
    'a payment that the processor never saw',
    { charged: ['txn_1', 'txn_2', 'txn_3'] },
    /are not in the processor's books/,
  ],
  ['a payment with a write too few', { skipped: 2 }, /2 payments were written less often/],
  ['work that is left', { working: 1 }, /1 payments still have work/],
  ['a cvc that is left', { withCvc: 1 }, /1 payments still hold a cvc/],
  [
    'a charge before its claim',
    { writes: new Map([...clean.writes, ['pay_2', { atMs: [1_000, 1_021, 1_030], claimed: false }]]) },
    /1 charges were booked before their payment was claimed/,
  ],
  [
    'a charge before the payment that was stored with its claim',
    { writes: new Map([...clean.writes, ['pay_2', { atMs: [1_021, 1_030], claimed: true }]]) },
    /1 charges were booked before their payment was claimed/,
  ],
  [
    'a write that the log of MongoDB lacks',
    { writes: new Map([...clean.writes, ['pay_2', { atMs: [1_000, 1_030], claimed: false }]]) },
    /1 payments have fewer writes in the log/,
  ],
  [
    'an outcome that the log of MongoDB lacks',
    { writes: new Map([...clean.writes, ['pay_2', { atMs: [1_000], claimed: true }]]) },
    /1 payments have fewer writes in the log/,
  ],
  ['a charge without a payment', { charged: [...clean.charged, 'txn_9'] }, /booked 5 authorizations, 4 are stored/],
])('finds %s', (_, change, message) => {
  const violations: string[] = findViolations({ ...clean, ...change });
  expect(violations).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
});

test('a payment that was stored with its claim has two writes', () => {
  const writes = new Map([...clean.writes, ['pay_2', { atMs: [1_000, 1_030], claimed: true }]]);
  expect(findViolations({ ...clean, writes })).toEqual([]);
});

test('an empty log of MongoDB is no violation', () => {
  expect(findViolations({ ...clean, writes: new Map() })).toEqual([]);
});

test('every write of a payment is read from the log of MongoDB, also when one entry has several', () => {
  const entries = [
    { op: 'i', ns: NS, wall: wall(1), o: { _id: 'pay_1' } },
    {
      op: 'c',
      ns: 'admin.$cmd',
      wall: wall(2),
      o: {
        applyOps: [
          { op: 'i', ns: NS, o: { _id: 'pay_2', work: { attempt: { atInsert: true } } } },
          { op: 'i', ns: 'bench_1.others', o: { _id: 'pay_9' } },
        ],
      },
    },
    { op: 'u', ns: NS, wall: wall(3), o: {}, o2: { _id: 'pay_1' } },
  ];
  expect(readWrites(entries, NS)).toEqual(
    new Map([
      ['pay_1', { atMs: [1, 3], claimed: false }],
      ['pay_2', { atMs: [2], claimed: true }],
    ]),
  );
});
