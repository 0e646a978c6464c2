import { nameNotices } from '../../scripts/gateway/doctor/judge-name.js';
import type { Merchant, MerchantPaymentMethod } from '../../shared/domain/merchant.js';

const merchant: Merchant = {
  ...{ id: 10001, clientId: 'cli_1', name: 'Книги', status: 'active' },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
};
const visa: MerchantPaymentMethod = {
  ...{ merchantId: 10001, id: 'visa', mode: 'gateway', enabled: true, settings: {} },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
};
const threeDs = (metadata: { k: string; v: string }[] = []) => ({
  ...{ provider: 'emv3ds', enabled: true, metadata },
  rules: { enabled: false, tier: 'basic' as const, thresholds: { api: {}, checkout: {} } },
});
const to = (id: string) => ({ paymentProcessor: { id, acquirer: 'bank' } });
const textOf = (...methods: MerchantPaymentMethod[]) => nameNotices(merchant, methods).map(({ found }) => found);

const named = '10001: its name has no Latin letters, "MERCHANT 10001" takes its place for';

test('a notice lists what cannot read the name of the merchant', () => {
  expect(nameNotices(merchant, [{ ...visa, threeDs: threeDs() }])).toEqual([
    expect.objectContaining({
      state: 'notice',
      found: `${named} 3D Secure of visa`,
      todo: 'Give the name in Latin letters as merchantName in the metadata of the 3D Secure settings.',
    }),
  ]);
  expect(
    textOf(
      { ...visa, settings: to('iso8583') },
      { ...visa, id: 'amex', settings: { ...to('sandbox'), routes: [to('iso8583')] } },
      { ...visa, id: 'instant-transfer', settings: to('sandbox') },
    ),
  ).toEqual([
    `${named} the acquirer or bank of visa, the acquirer or bank of amex, the acquirer or bank of instant-transfer`,
  ]);
});

test('there is no notice if all can read the name or it is given in Latin letters', () => {
  expect(textOf({ ...visa, settings: to('sandbox') })).toEqual([]);
  expect(textOf({ ...visa, threeDs: threeDs([{ k: 'merchantName', v: 'Knigi' }]) })).toEqual([]);
  expect(textOf({ ...visa, threeDs: { ...threeDs(), enabled: false } })).toEqual([]);
  expect(textOf({ ...visa, threeDs: { ...threeDs(), provider: 'sandbox' } })).toEqual([]);
  expect(textOf({ ...visa, enabled: false, threeDs: threeDs() })).toEqual([]);
  expect(nameNotices({ ...merchant, name: 'Café' }, [{ ...visa, threeDs: threeDs() }])).toEqual([]);
});
