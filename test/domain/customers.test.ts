/** How a customer is identified, and the result of changes. */
import {
  type Customer,
  type CustomerChanges,
  type CustomerFields,
  customerName,
  emailKeyOf,
  isIdentified,
  mergeCustomer,
} from '../../shared/domain/customer.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2) + seconds * 1_000);
const customer: Customer = {
  ...{ _id: 'cus_1', clientId: 'shop', status: 'active', requestDigest: 'd', version: 3 },
  ...{ createdAt: at(0), updatedAt: at(0), email: 'Ann@Example.com', emailKey: 'ann@example.com' },
  ...{ firstName: 'Ann', document: { type: 1, value: '7' } },
};
const merged = (changes: CustomerChanges) => mergeCustomer(customer, changes, at(1));

test.each<[CustomerFields, string | null]>([
  [{ firstName: 'Ann', lastName: 'Lee' }, 'Ann Lee'],
  [{ firstName: 'Ann' }, 'Ann'],
  [{ lastName: 'Lee' }, 'Lee'],
  [{}, null],
  [{ firstName: '' }, null],
])('the name of %j is %j', (fields, name) => {
  expect(customerName(fields)).toBe(name);
});

test.each<[CustomerFields, boolean]>([
  [{ referenceId: 'r' }, true],
  [{ email: 'a@example.com' }, true],
  [{ phone: '1' }, true],
  [{ firstName: 'A' }, true],
  [{ lastName: 'A' }, true],
  [{ document: { value: '7' } }, true],
  [{ identification: { value: '7' } }, true],
  [{ document: { type: 1 }, identification: {} }, false],
  [{ firstName: ' ', description: 'a', metadata: [] }, false],
  [{}, false],
])('whether a customer with %j is identified: %s', (fields, known) => {
  expect(isIdentified(fields)).toBe(known);
});

test('an absent field keeps its value, null removes it, and an object is replaced as a whole', () => {
  const after = merged({ firstName: null, lastName: 'Lee', document: { value: '8' } });
  const { firstName: _, ...rest } = customer;
  expect(after).toEqual({ ...rest, lastName: 'Lee', document: { value: '8' }, updatedAt: at(1) });
  expect(after).not.toHaveProperty('firstName');
});

test('the search key of the e-mail follows the e-mail', () => {
  expect(emailKeyOf('Ann@Example.COM')).toBe('ann@example.com');
  expect(merged({ email: 'Bob@Example.com' })).toMatchObject({ email: 'Bob@Example.com', emailKey: 'bob@example.com' });
  expect(merged({ phone: '1' })).toMatchObject({ email: customer.email, emailKey: customer.emailKey });
  const without = merged({ email: null });
  expect(without).not.toHaveProperty('email');
  expect(without).not.toHaveProperty('emailKey');
});
