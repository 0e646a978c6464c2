import type { WorkKind, WorkQueue } from '../../../shared/domain/payment/payment.js';
import {
  kindsOf,
  newClaimedWork,
  newWork,
  nextWork,
  sendAgain,
  workForNextPool,
} from '../../../shared/domain/payment/work.js';
import { later, start } from './a-payment.js';

test.each([
  ['processor', ['authorize', 'capture', 'cancel', 'refund', 'inquire', 'reverse']],
  ['threeds', ['authenticate', 'await-challenge', 'conclude']],
  ['qr', ['issue-code', 'await-transfer']],
] as const satisfies [WorkQueue, WorkKind[]][])('the %s pool does exactly the work %j', (queue, kinds) => {
  expect(kindsOf(queue)).toEqual(kinds);
  for (const kind of kinds) {
    expect(newWork(kind, 'txn_1', start)).toStrictEqual({
      ...{ queue, kind, txId: 'txn_1', dueAt: start, gen: 1, leaseUntil: new Date(0), tries: 0 },
    });
  }
});

const claimed = () => newClaimedWork('txn_1', start, 'token-1', 6_000);

test('work with a stored claim has a lease for the first nudge and an attempt from its insert', () => {
  expect(claimed()).toStrictEqual({
    ...{ queue: 'processor', kind: 'authorize', txId: 'txn_1', dueAt: start, gen: 1, tries: 0 },
    ...{ leaseToken: 'token-1', leaseUntil: later(6_000) },
    attempt: { token: 'token-1', startedAt: start, atInsert: true },
  });
});

describe('after claimed work', () => {
  const again = { txId: 'txn_1', dueAt: later(50), leaseUntil: new Date(0) };
  const tried = () => ({ ...claimed(), gen: 4, tries: 3 });

  test('work for the next pool has no attempt, lease or tries', () => {
    expect(workForNextPool(tried(), 'authenticate', later(50))).toStrictEqual({
      ...again,
      ...{ queue: 'threeds', kind: 'authenticate', gen: 5, tries: 0 },
    });
  });

  test('the next step keeps the attempt without the lease, and a send that did not happen loses the attempt', () => {
    const inquired = nextWork(tried(), 'inquire', later(50), 1);
    expect(inquired).toStrictEqual({
      ...again,
      ...{ queue: 'processor', kind: 'inquire', gen: 5, tries: 1, attempt: claimed().attempt },
    });
    expect(sendAgain(tried(), 'authorize', later(50), 4)).toStrictEqual({
      ...again,
      ...{ queue: 'processor', kind: 'authorize', gen: 5, tries: 4 },
    });
  });
});
