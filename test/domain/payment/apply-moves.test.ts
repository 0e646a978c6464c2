import fc from 'fast-check';
import { announceUnchanged, applyMoves, IllegalMoveError } from '../../../shared/domain/payment/apply-moves.js';
import { paymentStatuses } from '../../../shared/domain/payment/statuses.js';
import { nextStatus, type PaymentEventName, paymentEvents } from '../../../shared/domain/payment/transitions.js';
import { createdPayment, firstTx, later, moment, paymentIn, start } from './a-payment.js';

const callbackUrl = 'https://shop.example/hook';

test('each move has an event, and only the last event of a write is announced', () => {
  const payment = applyMoves(createdPayment({ callbackUrl }), ['submitted', 'purchased'], moment(later(100)));
  expect(payment).toMatchObject({ status: 'approved', eventSeq: 2, updatedAt: later(100) });
  expect(payment.events).toEqual([
    { seq: 1, status: 'pending', at: later(100), notBefore: later(16_000), passed: true },
    { seq: 2, status: 'approved', at: later(100), notBefore: later(16_000), body: 'body of approved' },
  ]);
  expect(payment.announceAt).toEqual(later(16_000));
});

test('an event is announced at once when no caller waits for it', () => {
  const payment = applyMoves(createdPayment({ callbackUrl }), ['submitted'], moment(later(20_000)));
  expect(payment.announceAt).toEqual(later(20_000));
});

test('a later event does not postpone an earlier one', () => {
  const first = applyMoves(createdPayment({ callbackUrl }), ['submitted'], moment(start));
  const second = applyMoves({ ...first, awaitedUntil: later(90_000) }, ['purchased'], moment(later(1_000)));
  expect(second.announceAt).toEqual(first.announceAt);
  expect(second.events.at(-1)?.notBefore).toEqual(later(90_000));
});

test('without a subscriber no event is announced, and only the newest events are kept', () => {
  let payment = paymentIn('approved', { refundedMinor: 0 });
  for (let n = 0; n < 30; n += 1) payment = applyMoves(payment, ['partly-refunded'], moment(later(n)));
  expect(payment.announceAt).toBeUndefined();
  expect(payment.eventSeq).toBe(30);
  expect(payment.events.map((event) => event.seq)).toEqual(Array.from({ length: 12 }, (_, n) => n + 19));
  expect(payment.events.every((event) => event.body === undefined)).toBe(true);
});

test('the body is rendered from the payment after its moves', () => {
  const rendered: string[] = [];
  const watching = {
    now: start,
    renderCallback: (p: { status: string; eventSeq: number }) => `${rendered.push(p.status)}-${p.eventSeq}`,
  };
  const payment = applyMoves(createdPayment({ callbackUrl }), ['submitted', 'declined'], watching);
  expect(rendered).toEqual(['denied']);
  expect(payment.events.at(-1)?.body).toBe('1-2');
});

test('a final state removes the deadline, another state keeps it', () => {
  expect(applyMoves(paymentIn('authorized'), ['expired'], moment()).deadline).toBeUndefined();
  const kept = { deadline: { kind: 'expire', at: later(9) } as const };
  expect(applyMoves(paymentIn('pending', kept), ['authorized'], moment()).deadline).toEqual(kept.deadline);
});

test('a change without a move has its own event', () => {
  const payment = announceUnchanged(paymentIn('authorized', { callbackUrl, eventSeq: 4 }), moment(later(30_000)));
  expect(payment).toMatchObject({ status: 'authorized', eventSeq: 5, announceAt: later(30_000) });
  expect(payment.events).toMatchObject([{ seq: 5, status: 'authorized', body: 'body of authorized' }]);
});

test('a move that is not in the table throws and changes nothing', () => {
  for (const status of paymentStatuses) {
    for (const event of paymentEvents) {
      if (nextStatus(status, event)) continue;
      const payment = paymentIn(status, { callbackUrl });
      const before = structuredClone(payment);
      expect(() => applyMoves(payment, [event], moment())).toThrow(IllegalMoveError);
      expect(payment).toEqual(before);
    }
  }
  expect(() => applyMoves(createdPayment(), ['submitted', 'captured'], moment())).toThrow('pending cannot be captured');
});

test('property: any grouping of moves into writes gives the same status and numbers without gaps', () => {
  const plans = fc.array(fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), fc.nat(60_000)), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(plans, fc.boolean(), (writes, subscribed) => {
      let payment = createdPayment(subscribed ? { callbackUrl } : {});
      let moved = 0;
      for (const [picks, ms] of writes) {
        const moves: PaymentEventName[] = [];
        let { status } = payment;
        for (const pick of picks) {
          const possible = paymentEvents.filter((event) => nextStatus(status, event));
          const event = possible[pick % Math.max(possible.length, 1)];
          if (!event) break;
          moves.push(event);
          status = nextStatus(status, event) as typeof status;
        }
        if (moves.length === 0) break;
        payment = applyMoves(payment, moves, moment(later(ms)));
        moved += moves.length;
        expect(payment.status).toBe(status);
        expect(payment.eventSeq).toBe(moved);
        const seqs = payment.events.map((event) => event.seq);
        expect(seqs).toEqual(seqs.map((_, index) => moved - seqs.length + 1 + index));
        expect(payment.events.at(-1)?.passed).toBeUndefined();
        expect(payment.announceAt !== undefined).toBe(subscribed);
      }
    }),
  );
});

test.each([
  ['approved', 'purchased', true],
  ['denied', 'declined', false],
  ['failed', 'failed', false],
] as const)("whether a link's payment that is %s after %s is announced: %s", (status, move, announced) => {
  const payment = createdPayment({ callbackUrl, status: 'pending', paymentLink: { id: 'link_1', externalId: 'x' } });
  const tx = { ...firstTx(payment), status };
  const left = { ...tx, id: 'txn_left', status: 'failed', leftRoute: { processor: 'p', acquirer: 'a' } } as const;
  const next = applyMoves({ ...payment, transactions: [left, tx] }, [move], moment());
  expect([next.announceAt !== undefined, next.events.at(-1)?.body !== undefined]).toEqual([announced, announced]);
  expect(applyMoves({ ...payment, transactions: [] }, [move], moment()).announceAt).toBeUndefined();
  const { callbackUrl: _none, ...unsubscribed } = payment;
  expect(applyMoves({ ...unsubscribed, transactions: [tx] }, [move], moment()).announceAt).toBeUndefined();
});

test('a new body is stored only in the newest event, and all events of a subscriber are kept', () => {
  let payment = paymentIn('approved', { callbackUrl });
  for (let n = 0; n < 14; n += 1) payment = announceUnchanged(payment, moment(later(n)));
  expect(payment.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 14 }, (_, n) => n + 1));
  expect(payment.events.every(({ body }) => body === 'body of approved')).toBe(true);
  const moved = applyMoves(payment, ['refunded'], { ...moment(), renderCallback: () => 'last' });
  expect(moved.events.map(({ body }) => body === 'last')).toEqual([...Array(14).fill(false), true]);
});
