import { divideAmount } from '../../api/payment-links/divide-amount.js';
import type { PaymentAmount } from '../../shared/domain/payment/payment.js';

const amountRule = { type: 'percentage', value: '10' } as const;
const link = {
  merchantId: 1,
  splitDestinations: [{ destinationMerchantId: 2, amountRule, vatRule: { type: 'excluded' } }],
} as const;

test.each<[string, Partial<PaymentAmount>, number]>([
  ['no tax', {}, 1_220],
  ['its tax', { taxMinor: 2_200 }, 1_000],
  ['its tax in details', { details: { tax: { type: '17934', amountMinor: 2_200 } } }, 1_000],
  ['the rate of its tax alone', { details: { tax: { type: '17934', rate: '0.22' } } }, 1_000],
  ['its tax and another rate', { taxMinor: 2_200, details: { tax: { type: '17934', rate: '0.5' } } }, 1_000],
])('a part without tax of an amount that names %s', (_name, parts, part) => {
  expect(divideAmount(link, { totalMinor: 12_200, currency: 'USD', ...parts })).toEqual([
    { merchantId: 2, amountMinor: part },
    { merchantId: 1, amountMinor: 12_200 - part },
  ]);
});
