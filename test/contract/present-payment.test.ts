/** What a payment shows of its split, and of the page of its challenge. */
import { approvalUrlOf, presentPayment } from '../../shared/contract/present-payment.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import {
  approved,
  approvedPayment,
  declined,
  failed,
  later,
  operated,
  paymentIn,
  settleContext,
} from '../domain/payment/a-payment.js';

describe('the parts of a split', () => {
  const sold = approvedPayment({
    split: [
      { merchantId: 2, amountMinor: 350 },
      { merchantId: 1, amountMinor: 700 },
    ],
  });
  const refund = (payment: Payment, amountMinor: number, outcome: Outcome, txId = `txn_${amountMinor}`) =>
    settle(
      operated(payment, 'refund', { amountMinor, txId, referenceId: txId }),
      txId,
      outcome,
      settleContext(later(1)),
    );
  const refundedOf = (payment: Payment) =>
    (presentPayment(payment).split as readonly { readonly refunded: number }[]).map(({ refunded }) => refunded);

  test.each<[string, Payment, number[]]>([
    ['no refund', sold, [0, 0]],
    ['a refund that is in progress', operated(sold, 'refund', { amountMinor: 300 }), [0, 0]],
    ['a refund that was declined', refund(sold, 300, declined), [0, 0]],
    ['a refund that failed', refund(sold, 300, failed), [0, 0]],
    ['a refund', refund(sold, 300, approved), [1, 2]],
    ['a refund after one that was declined', refund(refund(sold, 600, declined), 300, approved), [1, 2]],
    ['all of it', refund(refund(sold, 300, approved), 750, approved), [3.5, 7]],
    ['a cancellation of a paid bank transfer', { ...sold, status: 'cancelled', refundedMinor: 1050 }, [3.5, 7]],
  ])('give back their share: %s', (_name, payment, refunded) => {
    expect(refundedOf(payment)).toEqual(refunded);
  });
});

test.each([
  ['pending', 'https://gw.example/challenge'],
  ['approved', undefined],
  ['authorized', undefined],
  ['denied', undefined],
] as const)('a payment that is %s and whose payer was asked by the issuer leads to %s', (status, url) => {
  const challenge = { acsUrl: 'https://acs.example', acsTransactionId: 'a', pageUrl: 'https://gw.example/challenge' };
  const threeDs = { required: true, reason: 'always', status: 'step-up-required', challenge } as const;
  expect(approvalUrlOf(paymentIn(status, { threeDs }))).toBe(url);
});
