import { answeredBy, attemptsOf, authorizationOf, routeOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import { reversalId } from '../../../shared/domain/payment/plan-reversal.js';
import { approvedPayment, authorizedPayment, createdPayment, firstTx, lastTx, operated } from './a-payment.js';

const left = { processor: 'first', acquirer: 'acquirer-first', terminalNumber: 'T-1' };

/** Builds a payment that left its first route after an answer: the attempt of the second route counts. */
function rerouted(more: Partial<Payment> = {}, kind: Transaction['kind'] = 'purchase'): Payment {
  const payment = createdPayment({ processor: 'second', acquirer: 'acquirer-second', ...more }, kind);
  const first: Transaction = { ...firstTx(payment), status: 'denied', leftRoute: left };
  const second: Transaction = { ...firstTx(payment), id: 'txn_second' };
  return { ...payment, transactions: [first, second] };
}

describe('the attempt that counts', () => {
  test.each(['purchase', 'authorization'] as const)('is the %s that no other route followed', (kind) => {
    const once = createdPayment({}, kind);
    expect(authorizationOf(once)).toBe(firstTx(once));
    const twice = rerouted({}, kind);
    expect(authorizationOf(twice)).toBe(lastTx(twice));
  });

  test('is neither an operation nor a reversal', () => {
    for (const payment of [operated(authorizedPayment(), 'capture'), operated(approvedPayment(), 'refund')]) {
      expect(authorizationOf(payment)).toBe(firstTx(payment));
      expect(authorizationOf({ transactions: payment.transactions.slice(1) })).toBeUndefined();
    }
  });

  test('has a number one higher than the number of routes that were left', () => {
    const twice = rerouted();
    const thrice = { transactions: [{ ...firstTx(twice), id: 'txn_zero' }, ...twice.transactions] };
    expect([createdPayment(), twice, thrice, operated(approvedPayment(), 'refund')].map(attemptsOf)).toEqual([
      ...[1, 2, 3, 1],
    ]);
  });

  test('answers a caller that waits for a left attempt; any other transaction answers for itself', () => {
    const twice = rerouted();
    expect(answeredBy(twice, firstTx(twice).id)).toBe(lastTx(twice));
    expect(answeredBy(twice, 'txn_second')).toBe(lastTx(twice));
    const refunding = operated(approvedPayment(), 'refund');
    expect(answeredBy(refunding, 'txn_op')).toBe(lastTx(refunding));
    expect(answeredBy(refunding, 'txn_unknown')).toBeUndefined();
  });
});

describe('a transaction goes', () => {
  const second = { processor: 'second', acquirer: 'acquirer-second' };

  test('to the route of its payment, with the numbers of that route', () => {
    const numbers = { merchantIdentificationNumber: '000000012345678', terminalNumber: 'T-2' };
    expect(routeOf(rerouted(), 'txn_second')).toStrictEqual(second);
    expect(routeOf(rerouted(numbers), 'txn_second')).toStrictEqual({ ...second, ...numbers });
    expect(routeOf(rerouted({ terminalNumber: 'T-2' }), 'txn_unknown')).toStrictEqual({
      ...second,
      terminalNumber: 'T-2',
    });
  });

  test('to the route that it left, when another route followed', () => {
    const payment = rerouted();
    expect(routeOf(payment, firstTx(payment).id)).toBe(left);
  });

  test('to the route of its original, when it is a reversal', () => {
    const payment = rerouted();
    const reversalOf = ({ id }: Transaction): Transaction => ({
      ...firstTx(createdPayment()),
      ...{ id: reversalId(id), kind: 'reversal', referenceId: id },
    });
    const reversals = payment.transactions.map(reversalOf);
    const reversed = { ...payment, transactions: [...payment.transactions, ...reversals] };
    expect(reversals.map(({ id }) => routeOf(reversed, id))).toEqual([left, second]);
    // For any other kind the reference is that of the merchant: even if it equals an id, it names no transaction of the gateway.
    const refund: Transaction = {
      ...firstTx(createdPayment()),
      id: 'txn_r',
      kind: 'refund',
      referenceId: firstTx(payment).id,
    };
    expect(routeOf({ ...payment, transactions: [...payment.transactions, refund] }, 'txn_r')).toEqual(second);
  });
});
