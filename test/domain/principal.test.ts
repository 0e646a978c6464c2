/** Merchants that a key may use. */
import { mayUseMerchant } from '../../shared/domain/principal.js';

const key = { clientId: 'shop', keyId: 'key_a' };
const merchant = (id: number, clientId = 'shop') => ({ id, clientId });

test('a primary key may use every merchant of its client, and none of another client', () => {
  const primary = { ...key, merchants: 'all' } as const;
  expect(mayUseMerchant(primary, merchant(1))).toBe(true);
  expect(mayUseMerchant(primary, merchant(1, 'other'))).toBe(false);
});

test('a secondary key may use only its granted merchants, and none of another client', () => {
  const secondary = { ...key, merchants: [1, 2] };
  expect([1, 2, 3].map((id) => mayUseMerchant(secondary, merchant(id)))).toEqual([true, true, false]);
  expect(mayUseMerchant(secondary, merchant(1, 'other'))).toBe(false);
  expect(mayUseMerchant({ ...key, merchants: [] }, merchant(1))).toBe(false);
});
