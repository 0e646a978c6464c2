import { findViolations } from '../../bench/audit.mjs';

const clean = {
  answers: { 200: 3, 422: 1 },
  stored: { approved: 3, denied: 1 },
  references: 4,
  queued: 0,
  unannounced: 0,
  charged: ['txn_1', 'txn_2', 'txn_3', 'txn_4'],
  transactions: ['txn_1', 'txn_2', 'txn_3', 'txn_4'],
};

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
  ['a charge without a payment', { charged: [...clean.charged, 'txn_9'] }, /booked 5 authorizations, 4 are stored/],
])('finds %s', (_, change, message) => {
  const violations: string[] = findViolations({ ...clean, ...change });
  expect(violations).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
});
