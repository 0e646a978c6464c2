/** Customers on the real MongoDB: which client finds them, which are listed, and which of two concurrent changes wins. */
import { type Customer, emailKeyOf } from '../../shared/domain/customer.js';
import { type CustomerRepository, createCustomerRepository } from '../../shared/store/customer.repository.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let customers: CustomerRepository;
beforeAll(async () => {
  store = await openStore('customers', ['Customer']);
  customers = createCustomerRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(start + seconds * 1_000);

const customer = (_id: string, more: Partial<Customer> = {}): Customer => ({
  _id,
  clientId: 'shop',
  status: 'active',
  requestDigest: `digest of ${_id}`,
  version: 1,
  createdAt: at(0),
  updatedAt: at(0),
  ...(more.email !== undefined && { emailKey: emailKeyOf(more.email) }),
  ...more,
});
const put = async (...all: Customer[]) => {
  for (const one of all) expect(await customers.insert(one)).toBe('inserted');
};
type Filter = Parameters<CustomerRepository['list']>[1];
const listed = async (filter: Filter, page = { page: 1, size: 10 }) => {
  const found = await customers.list('shop', filter, page);
  return { ids: found.customers.map(({ _id }) => _id), totalItems: found.totalItems };
};

test('an id or a reference that exists already is a duplicate; another client may have the same reference', async () => {
  await put(customer('a', { referenceId: 'r' }));
  expect(await customers.insert(customer('a'))).toBe('duplicate');
  expect(await customers.insert(customer('b', { referenceId: 'r' }))).toBe('duplicate');
  await put(customer('c', { referenceId: 'r', clientId: 'other' }), customer('d'), customer('e'));
});

test('another error of an insert is not taken for a duplicate', async () => {
  await expect(customers.insert(customer('b', { description: 'x'.repeat(17_000_000) }))).rejects.toThrow();
});

test('a customer is found by id and by reference, by its client only', async () => {
  const one = customer('a', { referenceId: 'r' });
  await put(one);
  expect(await customers.find('shop', 'a')).toEqual(one);
  expect(await customers.findByReference('shop', 'r')).toEqual(one);
  expect(await customers.find('other', 'a')).toBeUndefined();
  expect(await customers.findByReference('other', 'r')).toBeUndefined();
  expect(await customers.find('shop', 'b')).toBeUndefined();
});

test('a list is newest first, in pages, with the total number of customers', async () => {
  await put(customer('a'), customer('b', { createdAt: at(1) }), customer('c', { createdAt: at(1) }));
  await put(customer('z', { clientId: 'other' }));
  expect(await listed({})).toEqual({ ids: ['c', 'b', 'a'], totalItems: 3 });
  expect(await listed({}, { page: 1, size: 2 })).toEqual({ ids: ['c', 'b'], totalItems: 3 });
  expect(await listed({}, { page: 2, size: 2 })).toEqual({ ids: ['a'], totalItems: 3 });
  expect(await listed({}, { page: 3, size: 2 })).toEqual({ ids: [], totalItems: 3 });
});

test('a list is filtered by reference, e-mail of any case, and an inclusive range of dates', async () => {
  await put(
    customer('a', { referenceId: 'ra', email: 'Ann@Example.com' }),
    customer('b', { referenceId: 'rb', email: 'bob@example.com', createdAt: at(1) }),
    customer('c', { createdAt: at(2) }),
  );
  expect((await listed({ referenceId: 'ra' })).ids).toEqual(['a']);
  expect((await listed({ email: 'ANN@example.COM' })).ids).toEqual(['a']);
  expect((await listed({ referenceId: 'ra', email: 'bob@example.com' })).ids).toEqual([]);
  expect((await listed({ minDate: at(1) })).ids).toEqual(['c', 'b']);
  expect((await listed({ maxDate: at(1) })).ids).toEqual(['b', 'a']);
  expect((await listed({ minDate: at(1), maxDate: at(1) })).ids).toEqual(['b']);
});

test('of two changes to the same version one wins, and a save returns the stored customer', async () => {
  const before = customer('a', { email: 'a@example.com' });
  await put(before, customer('b', { referenceId: 'rb' }));
  const saved = await customers.save(before, { ...before, description: 'new' });
  expect(saved).toEqual({ ...before, description: 'new', version: 2 });
  expect(await customers.find('shop', 'a')).toEqual(saved);
  expect(await customers.save(before, { ...before, description: 'late' })).toBe('conflict');
  expect(await customers.save(saved as Customer, { ...(saved as Customer), referenceId: 'rb' })).toBe('duplicate');
  const ofOther = { ...(saved as Customer), clientId: 'other' };
  expect(await customers.save(ofOther, ofOther)).toBe('conflict');
  expect(await customers.find('shop', 'a')).toEqual(saved);
  const tooLong = { ...(saved as Customer), description: 'x'.repeat(17_000_000) };
  await expect(customers.save(saved as Customer, tooLong)).rejects.toThrow();
});

test('a customer is removed once, by its client only', async () => {
  await put(customer('a'));
  expect(await customers.remove('other', 'a')).toBe(false);
  expect(await customers.find('shop', 'a')).toBeDefined();
  expect(await customers.remove('shop', 'a')).toBe(true);
  expect(await customers.remove('shop', 'a')).toBe(false);
});
