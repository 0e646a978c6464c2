/** Queries of payments: what MongoDB is asked for each filter. */
import { type PaymentFilter, toPaymentConditions } from '../../shared/store/payment-query-conditions.js';

const principal = { clientId: 'client', keyId: 'key', merchants: 'all' } as const;

/** A value of each filter: the compiler finds one that is missing. */
const given: { readonly [Name in keyof PaymentFilter]-?: NonNullable<PaymentFilter[Name]> } = {
  id: 'pay_1',
  referenceId: 'order-1',
  amounts: [{ currencies: { only: ['USD'] }, minMinor: 100 }],
  currency: 'USD',
  minDate: new Date('2026-11-01T00:00:00Z'),
  maxDate: new Date('2026-11-02T00:00:00Z'),
  merchantId: 1001,
  paymentMethodId: 'visa',
  status: 'denied',
  metadataKey: 'order',
  metadataValue: 'A-1',
};

const conditionsOf = (filter: PaymentFilter) => toPaymentConditions(principal, filter, undefined);

test.each(Object.entries(given))('the filter %s is a condition of the query', (name, value) => {
  // A value alone is refused by the API: it needs its key.
  const others: PaymentFilter = name === 'metadataValue' ? { metadataKey: given.metadataKey } : {};
  expect(conditionsOf({ ...others, [name]: value })).not.toEqual(conditionsOf(others));
});
