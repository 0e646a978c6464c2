/** An update about a dispute is stored in its payment, flagged and announced once. An older update sets at most the dispute's start. */
import { type DisputeStatus, disputeStatuses } from '../../../shared/domain/payment/dispute.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planDispute } from '../../../shared/domain/payment/plan-dispute.js';
import { approvedPayment, later, moment, start } from './a-payment.js';

const paid = () => approvedPayment({ callbackUrl: 'https://shop.example/hook' });
type Update = Parameters<typeof planDispute>[1];
const disputeUpdate = (status: DisputeStatus, more: Partial<Update> = {}): Update => ({
  ...{ id: 'dp_1', status, amountMinor: 1050, currency: 'USD' },
  ...more,
});
/** Plans an update that is received at 100 s. */
const plan = (payment: Payment, update: Update) => planDispute(payment, update, moment(later(100_000)));
function planned(payment: Payment, update: Update): Payment {
  const next = plan(payment, update);
  if (!next) throw new Error('it says nothing new');
  return next;
}
const textsOf = ({ alerts = [] }: Payment) => alerts.map(({ text }) => text);

test('a first update is stored, flagged for the operator and announced; amounts and status stay', () => {
  const before = paid();
  const after = planned(
    before,
    disputeUpdate('open', { at: later(5), reason: 'fraudulent', networkReasonCode: '10.4' }),
  );
  expect(after.disputes).toEqual([
    {
      ...{ id: 'dp_1', status: 'open', amountMinor: 1050, currency: 'USD', reason: 'fraudulent' },
      ...{ networkReasonCode: '10.4', openedAt: later(5), updatedAt: later(5) },
    },
  ]);
  expect(after.alerts).toEqual([{ at: later(100_000), text: 'dispute dp_1 is open (fraudulent)' }]);
  expect(after.eventSeq).toBe(before.eventSeq + 1);
  expect(after.events.at(-1)).toMatchObject({ status: 'approved' });
  const { disputes, alerts, events, eventSeq, updatedAt, announceAt, ...rest } = after;
  expect(before).toMatchObject(rest);
  expect(updatedAt).toEqual(later(100_000));
});

test('an update without a time gets the time at which it was received', () => {
  const after = planned(paid(), disputeUpdate('inquiry'));
  expect(after.disputes?.[0]).toMatchObject({ openedAt: later(100_000), updatedAt: later(100_000) });
  expect(textsOf(after)).toEqual(['dispute dp_1 is inquiry']);
});

test('a later update keeps the start of a dispute and the fields that it does not have', () => {
  const respondBy = later(9_000_000);
  const first = planned(
    paid(),
    disputeUpdate('inquiry', { at: later(1), respondBy, reason: 'unknown', networkReasonCode: '10.4' }),
  );
  const second = planned(first, disputeUpdate('open', { at: later(2), reason: 'fraudulent', amountMinor: 900 }));
  expect(second.disputes).toEqual([
    {
      ...{ id: 'dp_1', status: 'open', amountMinor: 900, currency: 'USD', respondBy, reason: 'fraudulent' },
      ...{ networkReasonCode: '10.4', openedAt: later(1), updatedAt: later(2) },
    },
  ]);
});

test('an update without new content changes nothing, even if it is later', () => {
  const first = planned(paid(), disputeUpdate('open', { at: later(1), reason: 'fraudulent' }));
  expect(plan(first, disputeUpdate('open', { at: later(1), reason: 'fraudulent' }))).toBeUndefined();
  expect(plan(first, disputeUpdate('open', { at: later(2) }))).toBeUndefined();
  expect(plan(first, disputeUpdate('open'))).toBeUndefined();
});

test('another amount with the same status is announced, but not flagged again', () => {
  const first = planned(paid(), disputeUpdate('open', { at: later(1) }));
  const second = planned(first, disputeUpdate('open', { at: later(2), amountMinor: 500 }));
  expect(second.disputes?.[0]).toMatchObject({ amountMinor: 500 });
  expect(second.eventSeq).toBe(first.eventSeq + 1);
  expect(textsOf(second)).toEqual(textsOf(first));
});

test('an earlier update that arrives later sets only the start of the dispute', () => {
  const first = planned(paid(), disputeUpdate('lost', { at: later(10), reason: 'fraudulent' }));
  const second = planned(first, disputeUpdate('open', { at: later(1), reason: 'unknown', amountMinor: 500 }));
  expect(second).toEqual({ ...first, disputes: [{ ...first.disputes?.[0], openedAt: later(1) }] });
  expect(plan(second, disputeUpdate('inquiry', { at: later(2) }))).toBeUndefined();
  expect(plan(second, disputeUpdate('inquiry'))).toBeUndefined();
});

describe('order', () => {
  const order: Record<DisputeStatus, number> = { inquiry: 0, open: 1, 'under-review': 2, won: 3, lost: 3, closed: 3 };
  const pairs = disputeStatuses.flatMap((known) => disputeStatuses.map((next) => [known, next] as const));

  test.each(pairs)('after %s, an update to %s counts only if its time is later', (known, next) => {
    const began = planned(paid(), disputeUpdate('inquiry', { at: later(8) }));
    const first = plan(began, disputeUpdate(known, { at: later(10), amountMinor: 900 })) ?? began;
    expect(plan(first, disputeUpdate(next, { at: later(9) }))).toBeUndefined();
    if (next !== known)
      expect(planned(first, disputeUpdate(next, { at: later(11) })).disputes?.[0]).toHaveProperty('status', next);
  });

  test.each(pairs.filter(([known, next]) => known !== next))(
    'after %s, an update to %s with the same or no time counts unless the first status is further along',
    (known, next) => {
      const first = planned(paid(), disputeUpdate(known, { at: later(10) }));
      for (const update of [disputeUpdate(next, { at: later(10) }), disputeUpdate(next)]) {
        expect(plan(first, update)?.disputes?.[0]?.status).toBe(order[next] < order[known] ? undefined : next);
      }
    },
  );
});

test('disputes of a payment are separate, in the order of their last change, and the newest 50 are kept', () => {
  let payment = paid();
  for (let n = 0; n < 50; n += 1) payment = planned(payment, disputeUpdate('open', { id: `dp_${n}`, at: start }));
  payment = planned(payment, disputeUpdate('won', { id: 'dp_0', at: later(1) }));
  expect(payment.disputes).toHaveLength(50);
  expect(payment.disputes?.at(-1)).toMatchObject({ id: 'dp_0', status: 'won' });
  payment = planned(payment, disputeUpdate('open', { id: 'dp_new', at: later(1) }));
  expect(payment.disputes).toHaveLength(50);
  expect(payment.disputes?.map(({ id }) => id)).not.toContain('dp_1');
  expect(payment.disputes?.slice(-2).map(({ id }) => id)).toEqual(['dp_0', 'dp_new']);
});

test('an update with the reference of the payment as dispute id is about the newest dispute', () => {
  const base = paid();
  const named: Payment = {
    ...base,
    transactions: base.transactions.map((tx) => ({ ...tx, processorReference: 'PSP1' })),
  };
  const opened = ['dp_1', 'dp_2'].reduce(
    (payment, id) => planned(payment, disputeUpdate('open', { id, at: later(1) })),
    named,
  );
  const after = planned(opened, disputeUpdate('won', { id: 'PSP1', at: later(2) }));
  expect(after.disputes).toMatchObject([
    { id: 'dp_1', status: 'open' },
    { id: 'dp_2', status: 'won', openedAt: later(1), updatedAt: later(2) },
  ]);
  expect(textsOf(after).at(-1)).toBe('dispute dp_2 is won');
  // The first update of a dispute has no other id to use.
  expect(planned(named, disputeUpdate('won', { id: 'PSP1' })).disputes).toMatchObject([{ id: 'PSP1', status: 'won' }]);
});
