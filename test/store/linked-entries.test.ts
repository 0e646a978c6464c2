/** Hashes of the audit's chain, without a database: what they cover, and which problem each break is reported as. */
import { type ChainLink, type LoggedHead, linkTo, verifyChains } from '../../shared/store/audit-chain.js';

interface Entry {
  readonly _id: string;
  readonly entries?: readonly unknown[];
  readonly [field: string]: unknown;
}
type Row = Entry & { readonly link?: ChainLink };

const START = { seq: 0, hash: '' };

/** Builds `count` entries on one chain, as a process writes them. */
function chainOf(chain: string, count: number): (Entry & { link: ChainLink })[] {
  let head: Omit<ChainLink, 'previous'> = { chain, ...START };
  return Array.from({ length: count }, (_, at) => {
    const entry = { _id: `aud_${chain}${at + 1}`, at: new Date(at), object: `pay_${at}` };
    const link = linkTo(head, entry);
    head = link;
    return { ...entry, link };
  });
}
const verify = (rows: readonly Row[], heads: readonly LoggedHead[] = []) =>
  verifyChains(
    (async function* () {
      yield* rows;
    })(),
    heads,
  );
const headOf = ({ link: { chain, seq, hash } }: { link: ChainLink }): LoggedHead => ({ chain, seq, hash });
const hashOf = (entry: object, before: Omit<ChainLink, 'previous'> = { chain: 'a', ...START }) =>
  linkTo(before, entry).hash;

const entry = { _id: 'aud_1', at: new Date(0), object: 'pay_1', amount: 5 };

test.each([
  ['its members in another order', { amount: 5, object: 'pay_1', at: new Date(0), _id: 'aud_1' }],
  ['a member that is undefined', { ...entry, code: undefined }],
])('an entry with %s keeps its hash', (_what, other) => {
  expect(hashOf(other)).toBe(hashOf(entry));
});

test.each([
  ['another value', { ...entry, object: 'pay_2' }],
  ['another time', { ...entry, at: new Date(1) }],
  ['null for a value', { ...entry, object: null }],
  ['one member more', { ...entry, code: 'x' }],
  ['one member less', { _id: 'aud_1', at: new Date(0), object: 'pay_1' }],
  ['a number as text', { ...entry, amount: '5' }],
  ['a member within a member', { ...entry, object: { id: 'pay_1' } }],
  ['two members that swapped their values', { ...entry, _id: 'pay_1', object: 'aud_1' }],
])('%s gives another hash', (_what, other) => {
  expect(hashOf(other)).not.toBe(hashOf(entry));
});

test('the hash covers nested members too, in any order', () => {
  expect(hashOf({ of: { a: 1, b: 2 } })).toBe(hashOf({ of: { b: 2, a: 1 } }));
  expect(hashOf({ of: { a: 1, b: 2 } })).not.toBe(hashOf({ of: { a: 2, b: 1 } }));
});

test('the hash covers the place of an entry: chain, number and previous hash', () => {
  const places = [
    { chain: 'a', seq: 0, hash: '' },
    { chain: 'b', seq: 0, hash: '' },
    { chain: 'a', seq: 1, hash: '' },
    { chain: 'a', seq: 0, hash: 'x' },
  ];
  expect(new Set(places.map((before) => hashOf(entry, before))).size).toBe(places.length);
});

test('entries of a release without chains are counted and are not a problem', async () => {
  const rows = [{ _id: 'aud_old1' }, { _id: 'aud_old2' }, ...chainOf('a', 2)];
  expect(await verify(rows)).toEqual({ entries: 4, chains: 1, unchained: 2, beyondHeads: 2, problems: [] });
});

test('each problem names the entry at which the chain breaks', async () => {
  const [first, second, third] = chainOf('a', 3);
  if (!first || !second || !third) throw new Error('three were made');
  const problems = async (...rows: Row[]) => (await verify(rows)).problems;
  expect(await problems(first, third)).toEqual(['a: batch 2 is missing before aud_a3']);
  expect(await problems(first, { ...second, object: 'x' }, third)).toEqual(['a: batch 2 (aud_a2) was changed']);
  const forged = linkTo(headOf(first), { _id: 'aud_a2', object: 'x' });
  expect(await problems(first, { _id: 'aud_a2', object: 'x', link: forged }, third)).toEqual([
    'a: a batch before aud_a3 was changed',
  ]);
});

test('the hash covers the entries of a batch in their order, and they are counted one by one', async () => {
  const batch = { _id: 'aud_1', clientId: ['cli_1'], entries: [{ object: 'a' }, { object: 'b' }] };
  expect(hashOf({ ...batch, entries: [...batch.entries] })).toBe(hashOf(batch));
  for (const entries of [[...batch.entries].reverse(), batch.entries.slice(1), [{ object: 'a' }, { object: 'c' }]])
    expect(hashOf({ ...batch, entries })).not.toBe(hashOf(batch));
  expect(hashOf({ ...batch, clientId: ['cli_2'] })).not.toBe(hashOf(batch));
  const link = linkTo({ chain: 'a', ...START }, batch);
  const old = { _id: 'aud_2', object: 'c' };
  const rows = [
    { ...batch, link },
    { ...old, link: linkTo(link, old) },
  ];
  expect(await verify(rows, [headOf({ link })])).toEqual({
    entries: 3,
    chains: 1,
    unchained: 0,
    beyondHeads: 1,
    problems: [],
  });
  expect(await verify(rows)).toMatchObject({ beyondHeads: 3 });
});

test('logged heads, in any order, show which entries come after them, which differ and which are gone', async () => {
  const a = chainOf('a', 4);
  const b = chainOf('b', 2);
  const [, second, third] = a.map(headOf);
  const [, last] = b.map(headOf);
  if (!second || !third || !last) throw new Error('they were made');
  const report = await verify([...a, ...b], [third, last, second]);
  expect(report).toEqual({ entries: 6, chains: 2, unchained: 0, beyondHeads: 1, problems: [] });
  expect((await verify(a, [{ ...second, hash: 'x' }])).problems).toEqual(['a: batch 2 is not the one in the log']);
  expect((await verify(a.slice(0, 2), [second, third])).problems).toEqual([
    'a: batch 3, whose hash is in the log, is gone',
  ]);
});
