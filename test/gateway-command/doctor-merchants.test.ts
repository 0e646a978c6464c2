/** What the doctor reports about very many merchants, on a real MongoDB. */
import { limits } from '../../config/limits.js';
import type { Finding } from '../../scripts/gateway/doctor/finding.js';
import type { MerchantRow } from '../../shared/store/merchant.model.js';
import type { PaymentMethodRow } from '../../shared/store/payment-method.model.js';
import { soundSettings } from '../config/spawn-entry.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('doctor_merchants', soundSettings());
  await operator.json('clients create --name Many');
});
beforeEach(async () => {
  await operator.database.collection('merchants').deleteMany({});
});
afterAll(() => operator.close());

const put = (first: number, count: number, status: MerchantRow['status']) =>
  operator.database.collection<MerchantRow>('merchants').insertMany(
    Array.from({ length: count }, (_, at) => ({
      ...{ _id: first + at, clientId: 'cli_1', name: 'Shop', status },
      ...{ createdAt: new Date(0), updatedAt: new Date(0) },
    })),
  );

async function found(more: Record<string, string> = {}) {
  const { out } = await operator.gateway('doctor --json --skip-processors', more);
  return (JSON.parse(out) as Finding[]).filter(({ check }) => check === 'merchants');
}

test('a merchant that cannot be charged is found after any number of suspended ones', async () => {
  const more = 2 * limits.doctorMerchantsMax;
  await put(1_000, more, 'suspended');
  await put(9_999, 1, 'active');
  const [first, ...rest] = await found();
  expect(first).toMatchObject({ state: 'missing', found: expect.stringMatching(/^9999 cannot be charged/) });
  expect(rest.map(({ state }) => state)).toEqual(rest.map(() => 'notice'));
  expect(rest.at(-1)?.found).toBe(`${more - limits.doctorMerchantsMax} more notices are left out`);
});

test('a check that ends early says so, and does not say that all merchants can be charged', async () => {
  await put(1_000, limits.doctorMerchantsMax + 1, 'active');
  const all = await found();
  expect(all.filter(({ state }) => state === 'missing')).toHaveLength(limits.doctorMerchantsMax);
  expect(all.at(-1)).toMatchObject({
    state: 'notice',
    found: `only the first ${limits.doctorMerchantsMax} were looked at`,
  });
  expect(all.map(({ state }) => state)).not.toContain('ok');
});

test('configurations are read for many merchants at once, so that thousands are checked in time', async () => {
  const more = 150;
  await put(1_000, more, 'active');
  const set = 'visa --payment-processor-id stripe --payment-processor-acquirer a --merchant-identification-number 1';
  await operator.json(`methods set 1000 ${set}`);
  const methods = operator.database.collection<PaymentMethodRow>('paymentMethods');
  const one = await methods.findOne({ merchantId: 1_000 });
  if (!one) throw new Error('nothing was configured');
  const others = Array.from({ length: more - 1 }, (_, at) => 1_001 + at);
  await methods.insertMany(others.map((merchantId) => ({ ...one, _id: `${merchantId}:visa`, merchantId })));
  const db = operator.database.connection.db;
  await db?.command({ profile: 2 });
  const all = await found({ STRIPE_SECRET_KEY: 'sk_test_1' });
  await db?.command({ profile: 0 });
  expect(all).toMatchObject([{ state: 'ok', found: `all ${more} can be charged` }]);
  const reads = { op: 'query', ns: /\.(paymentMethods|processor_credentials)$/ };
  const pages = Math.ceil(more / limits.pageSizeMax);
  expect(await db?.collection('system.profile').countDocuments(reads)).toBeLessThanOrEqual(2 * pages);
});
