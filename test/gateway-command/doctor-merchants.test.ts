/** What the doctor says of very many merchants, on a real MongoDB. */
import { limits } from '../../config/limits.js';
import type { Finding } from '../../scripts/gateway/doctor/finding.js';
import type { MerchantRow } from '../../shared/store/merchant.model.js';
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

async function found() {
  const { out } = await operator.gateway('doctor --json --skip-processors');
  return (JSON.parse(out) as Finding[]).filter(({ check }) => check === 'merchants');
}

test('one that cannot be charged is found behind any number of suspended ones', async () => {
  const more = 2 * limits.doctorMerchantsMax;
  await put(1_000, more, 'suspended');
  await put(9_999, 1, 'active');
  const [first, ...rest] = await found();
  expect(first).toMatchObject({ state: 'missing', found: expect.stringMatching(/^9999 cannot be charged/) });
  expect(rest.map(({ state }) => state)).toEqual(rest.map(() => 'notice'));
  expect(rest.at(-1)?.found).toBe(`${more - limits.doctorMerchantsMax} more notices are left out`);
});

test('a look that ends early says so, and does not say that all can be charged', async () => {
  await put(1_000, limits.doctorMerchantsMax + 1, 'active');
  const all = await found();
  expect(all.filter(({ state }) => state === 'missing')).toHaveLength(limits.doctorMerchantsMax);
  expect(all.at(-1)).toMatchObject({
    state: 'notice',
    found: `only the first ${limits.doctorMerchantsMax} were looked at`,
  });
  expect(all.map(({ state }) => state)).not.toContain('ok');
});
