/** Status of a payment link for a payer at a given time, and the numbers of installments that may be chosen. */
import {
  linkAvailabilityAt,
  linkClaimKey,
  linkStatusAt,
  linkStatuses,
  offeredInstallments,
  type PaymentLink,
  takesInstallments,
} from '../../shared/domain/payment-link/payment-link.js';
import { later, start } from './payment/a-payment.js';

const link = (more: Partial<PaymentLink>) => ({ _id: 'id', status: 'active', claim: 1, ...more }) as PaymentLink;
const both = (more: Partial<PaymentLink>, now = start) => [
  linkStatusAt(link(more), now),
  linkAvailabilityAt(link(more), now),
];

test('an active link is open from its start to its end, early before and expired after', () => {
  expect(both({})).toEqual(['active', 'open']);
  expect(both({ validUntil: later(1) })).toEqual(['active', 'open']);
  expect(both({ validUntil: start })).toEqual(['expired', 'expired']);
  expect(both({ validFrom: start })).toEqual(['active', 'open']);
  expect(both({ validFrom: later(1) })).toEqual(['active', 'early']);
  expect(both({ validFrom: later(1), validUntil: start })).toEqual(['expired', 'expired']);
});

test.each(linkStatuses.filter((status) => status !== 'active'))('a link that is %s stays so at any time', (status) => {
  expect(both({ status, validUntil: start, validFrom: later(1) })).toEqual([status, status]);
});

test('a method takes its installments, else those for any method; one payment is always accepted', () => {
  const installments = { visa: [3, 12], '*': [6, 2, 3] };
  expect(offeredInstallments({ installments })).toEqual([1, 2, 3, 6, 12]);
  expect(offeredInstallments({ installments: { visa: [3, 1] } })).toEqual([1, 3]);
  expect([offeredInstallments({}), offeredInstallments({ installments: {} })]).toEqual([[], []]);
  const takes = (method: string, count: number, of: object = { installments }) => takesInstallments(of, method, count);
  expect([takes('visa', 12), takes('visa', 6), takes('visa', 1)]).toEqual([true, false, true]);
  expect([takes('amex', 6), takes('amex', 12), takes('amex', 1)]).toEqual([true, false, true]);
  expect([takes('constructor', 6), takes('constructor', 12)]).toEqual([true, false]);
  expect(takes('amex', 3, { installments: { visa: [3] } })).toBe(false);
  // The page offers no installments: a number that a form sends all the same is not of the merchant.
  expect([0, 1, 3, 24].map((count) => takes('amex', count, {}))).toEqual([false, true, false, false]);
  expect([takes('visa', 0), takes('visa', 0, { installments: {} })]).toEqual([false, false]);
});

test('the claim key of a one-time link has its claim number and id', () => {
  expect(linkClaimKey({ _id: 'a', claim: 2 })).toBe('link#2:a');
});
