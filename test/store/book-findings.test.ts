/** How far the books of a processor were compared, on the real MongoDB: one process at a time compares them, when it is due. */
import { limits } from '../../config/limits.js';
import { createFindingRepository, type FindingRepository } from '../../shared/store/book-finding.repository.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let findings: FindingRepository;
beforeAll(async () => {
  store = await openStore('findings', ['BookFinding', 'BookPosition']);
  findings = createFindingRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const start = new Date('2026-01-02T03:04:05.678Z');
const later = (ms: number) => new Date(start.getTime() + ms);

test('the first claim of many only notes from when to compare', async () => {
  const first = await Promise.all(Array.from({ length: 5 }, () => findings.claim('a', start)));
  expect(first.filter((from) => from !== undefined).every((from) => from?.getTime() === start.getTime())).toBe(true);
  await store.clear();
  expect(await findings.claim('a', start)).toBeUndefined();
  expect(await findings.claim('a', later(1))).toEqual(start);
});

test('a comparison is claimed by one process, until its lease ends', async () => {
  await findings.claim('a', start);
  const claims = await Promise.all(Array.from({ length: 5 }, () => findings.claim('a', later(1))));
  expect(claims.filter((from) => from !== undefined)).toEqual([start]);
  expect(await findings.claim('a', later(limits.booksLeaseMs))).toBeUndefined();
  expect(await findings.claim('a', later(1 + limits.booksLeaseMs))).toEqual(start);
});

test('the next comparison begins where the last one ended, when it is due, and never further back', async () => {
  await findings.claim('a', start);
  await findings.claim('b', start);
  await findings.claim('a', later(1));
  await findings.advance('a', later(5_000), later(10_000));
  expect(await findings.claim('a', later(9_999))).toBeUndefined();
  expect(await findings.claim('a', later(10_000))).toEqual(later(5_000));
  // A process that was held up for longer than its lease says what it had compared.
  await findings.advance('a', later(4_000), later(10_001));
  expect(await findings.claim('a', later(10_001))).toEqual(later(5_000));
  expect(await findings.claim('b', later(1))).toEqual(start);
});
