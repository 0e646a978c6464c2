/** What a payer finds of a payment link at a moment, and which numbers of payments may be chosen. */
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

test('an active link is open until its time is over, and early before it begins', () => {
  expect(both({})).toEqual(['active', 'open']);
  expect(both({ validUntil: later(1) })).toEqual(['active', 'open']);
  expect(both({ validUntil: start })).toEqual(['expired', 'expired']);
  expect(both({ validFrom: start })).toEqual(['active', 'open']);
  expect(both({ validFrom: later(1) })).toEqual(['active', 'early']);
  expect(both({ validFrom: later(1), validUntil: start })).toEqual(['expired', 'expired']);
});

test.each(linkStatuses.filter((status) => status !== 'active'))('a link that is %s stays so, whenever', (status) => {
  expect(both({ status, validUntil: start, validFrom: later(1) })).toEqual([status, status]);
});

test('numbers of payments: those of the method, else those of any; one payment always may', () => {
  const installments = { visa: [3, 12], '*': [6, 2, 3] };
  expect(offeredInstallments({ installments })).toEqual([1, 2, 3, 6, 12]);
  expect(offeredInstallments({ installments: { visa: [3, 1] } })).toEqual([1, 3]);
  expect([offeredInstallments({}), offeredInstallments({ installments: {} })]).toEqual([[], []]);
  const takes = (method: string, count: number, of: object = { installments }) => takesInstallments(of, method, count);
  expect([takes('visa', 12), takes('visa', 6), takes('visa', 1)]).toEqual([true, false, true]);
  expect([takes('amex', 6), takes('amex', 12), takes('amex', 1)]).toEqual([true, false, true]);
  expect([takes('constructor', 6), takes('constructor', 12)]).toEqual([true, false]);
  expect(takes('amex', 3, { installments: { visa: [3] } })).toBe(false);
  // The page offers none: what a form says all the same is not the merchant's.
  expect([0, 1, 3, 24].map((count) => takes('amex', count, {}))).toEqual([false, true, false, false]);
  expect([takes('visa', 0), takes('visa', 0, { installments: {} })]).toEqual([false, false]);
});

test('the claim of a one-time link is apart by link and number', () => {
  expect(linkClaimKey({ _id: 'a', claim: 2 })).toBe('link#2:a');
});
