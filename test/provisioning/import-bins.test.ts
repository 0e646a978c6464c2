import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCards } from '../../api/testing/test-cards.js';
import { importBins, toRange } from '../../scripts/provisioning/import-bins.js';
import { testBins } from '../../scripts/sandbox/seed-test-bins.js';
import { systemClock } from '../../shared/clock.js';
import { rangeStart } from '../../shared/domain/instrument/bin-range.js';
import { createBinImports } from '../../shared/store/bin-import.repository.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { countMissingIndexes, ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
let folder: string;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('bins'));
  await database.connection.dropDatabase();
  await ensureIndexes(database);
  folder = await mkdtemp(join(tmpdir(), 'bins-'));
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
  await rm(folder, { recursive: true });
});

const head = 'bin_start,bin_end,card_type,issuer_id,issuer_name,issuer_short_name,country,country_code';
const row = (start: string, end: string, type: string, issuer: string, code = 'UY') =>
  `${start},${end},${type},${issuer},"Bank, ${issuer}",B${issuer},Uruguay,${code}`;
async function file(name: string, lines: string[]) {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}
const importFile = (path: string) => importBins({ database, clock: systemClock }, path);
const tables = async () =>
  (await database.connection.listCollections()).map(({ name }) => name).filter((name) => name.startsWith('bin_ranges'));

test('rows become ranges of eleven digits, and the narrowest range of a number wins', async () => {
  const lines = [
    head,
    row('450700', '450799', 'credit', '1'),
    row('450799', '450799', 'debit', '2'),
    row('45079900000', '', 'prepaid', '3'),
  ];
  const result = await importFile(await file('nested.csv', lines));
  expect(result).toEqual({ ranges: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const table = createBinTable(database);
  expect(await table.find('4507990000004905')).toMatchObject({
    cardType: 'prepaid',
    issuer: { id: '3', name: 'Bank, 3' },
  });
  expect(await table.find('4507991200000000')).toMatchObject({ cardType: 'debit' });
  expect(await table.find('4507000000000000')).toMatchObject({ cardType: 'credit', issuer: { countryCode: 'UY' } });
  expect(await table.find('4508000000000000')).toBeUndefined();
  expect(await createBinImports(database).find()).toMatchObject({
    ranges: 3,
    file: 'nested.csv',
    ...{ sha256: result.sha256 },
  });
});

test('a range applies between and after any number of narrower ranges inside it', async () => {
  const narrow = Array.from({ length: 40 }, (_, at) => row(`4507${String(at * 2 + 10)}10`, '', 'debit', `n${at}`));
  const lines = [head, row('450700', '450799', 'credit', '1'), ...narrow];
  await importFile(await file('many.csv', lines));
  const table = createBinTable(database);
  expect(await table.find('4507909900000000')).toMatchObject({ issuer: { id: '1' } });
  expect(await table.find('4507891000000000')).toMatchObject({ issuer: { id: '1' } });
  expect(await table.find('4507881000000000')).toMatchObject({ issuer: { id: 'n39' } });
  expect(await table.find('4508000000000000')).toBeUndefined();
});

test.each([
  ['a bound that is no number', [row('45x700', '450799', 'credit', '1')], /line 2: bin_start must be 6 to 11 digits/],
  ['a bound that is too short', [row('450799', '45079', 'credit', '1')], /line 2: bin_end must be 6 to 11 digits/],
  [
    'bounds the wrong way round',
    [row('450700', '', '', '1'), row('500000', '400000', '', '1')],
    /line 3: bin_end is before/,
  ],
  ['a type that is none', [row('510000', '', 'gold', '1')], /line 2: card_type must be one of credit, debit, prepaid/],
  [
    'an issuer without a country',
    [row('510000', '', 'credit', '1', '')],
    /line 2: issuer_id and country_code go together/,
  ],
  ['a name without an issuer', ['510000,,,,Bank,,,'], /line 2: issuer_name needs issuer_id and country_code/],
  ['a short name without an issuer', ['510000,,,,,B,,'], /line 2: issuer_short_name needs issuer_id and country_code/],
  ['the name of a country alone', ['510000,,,,,,Uruguay,'], /line 2: country needs issuer_id and country_code/],
  ['a country that is none', [row('510000', '', 'credit', '1', 'uy')], /line 2: country_code must be two capital/],
  [
    'a name with a control character',
    ['510000,,,1,"Bank\u001b[31m",,,UY'],
    /line 2: issuer_name has control characters/,
  ],
  ['too few cells', ['510000,510000'], /line 2: it has more or fewer values than the first line has columns/],
  ['a quote in a value', ['51"0000,,,,,,,,'], /line 2: a quote inside of a value/],
  ['a quote without an end', [`510000,,,"${'x'.repeat(50)}`], /line \d: a quote that is not closed/],
  [
    'a line without an end',
    [`510000,,credit,1,${'x'.repeat(5_000)},B,Uruguay,UY`],
    /line \d: it has more than 4096 characters/,
  ],
  ['the same range twice', [row('510000', '', '', '1'), row('510000', '510000', '', '2')], /range is there twice/],
  ['no line at all', [], /the file has no ranges/],
])('nothing is imported, and the error names the line or the file: %s', async (_what, lines, message) => {
  const before = await createBinTable(database).count();
  await expect(importFile(await file('odd.csv', [head, ...lines]))).rejects.toThrow(message);
  expect(await createBinTable(database).count()).toBe(before);
  expect(await tables()).toEqual(['bin_ranges']);
});

test('a name that is not in UTF-8 is refused by its line, and not imported without its letters', async () => {
  const path = await file('latin1.csv', []);
  await writeFile(path, Buffer.from(`${head}\n${row('510000', '', 'credit', 'Itaú')}\n`, 'latin1'));
  await expect(importFile(path)).rejects.toThrow(/line 2: issuer_id is not in UTF-8/);
  expect(toRange({ bin_start: '510000', issuer_id: '1', issuer_name: 'Itaú', country_code: 'UY' })).toMatchObject({
    issuer: { name: 'Itaú' },
  });
});

test('columns must be those of the list, and must be present', async () => {
  await expect(importFile(await file('other.csv', ['a,b', '1,2']))).rejects.toThrow(/line 1: .*bin_start is missing/);
  await expect(importFile(await file('more.csv', ['bin_start,pan', '411111,1']))).rejects.toThrow(/unknown column/);
  await expect(importFile(await file('twice.csv', ['bin_start,bin_start', '1,2']))).rejects.toThrow(
    /bin_start is there twice/,
  );
  await expect(importFile(join(folder, 'absent.csv'))).rejects.toThrow(
    /absent\.csv cannot be read: there is no such file/,
  );
  await expect(importFile(folder)).rejects.toThrow(/is no file/);
});

test('an import replaces the table at once, and an import that ends early changes nothing', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => row(String(60000000 + index), '', 'credit', String(index)));
  const path = await file('long.csv', [head, ...many]);
  const table = createBinTable(database);
  await expect(
    importBins({ database, clock: systemClock }, path, ({ rows }) => {
      if (rows === 2_000) throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  expect(await table.find('6000249900000000')).toBeUndefined();
  expect(await table.find('4507991200000000')).toBeDefined();
  expect(await importFile(path)).toMatchObject({ ranges: 2_500 });
  expect(await table.find('6000249900000000')).toMatchObject({ issuer: { id: '2499' } });
  expect(await table.find('4507991200000000')).toBeUndefined();
  expect(await tables()).toEqual(['bin_ranges']);
  expect(await countMissingIndexes(database)).toBe(0);
});

test('an import drops the table of one killed a day ago, and keeps that of one that may still run', async () => {
  const left = (hours: number) => `bin_ranges_${Date.now() - hours * 3_600_000}_7c1b`;
  const names = [left(25), left(23), 'bin_ranges_4f0d7c1b-0d0c-4d5e-8a11-0b8f6f2f7a11'] as const;
  for (const name of names) await database.connection.createCollection(name);
  await importFile(await file('again.csv', [head, row('450700', '', 'credit', '1')]));
  expect((await tables()).sort()).toEqual(['bin_ranges', names[1], names[2]].sort());
  for (const name of names.slice(1)) await database.connection.dropCollection(name);
});

/** Returns the database of an import that is stopped or killed where 0.1.0 recorded what it had imported. */
const stoppedAt = (stop: () => Promise<unknown>): Database => {
  const collection: Database['collection'] = (name) => {
    const found = database.collection(name);
    const replaceOne = () => stop();
    return (name === 'bin_imports' ? Object.create(found, { replaceOne: { value: replaceOne } }) : found) as never;
  };
  return Object.create(database, { collection: { value: collection } });
};

test('the recorded import matches the table after a killed import and after simultaneous ones', async () => {
  const imports = createBinImports(database);
  const one = await file('one.csv', [head, row('450700', '', 'credit', '1')]);
  const two = await file('two.csv', [head, row('450800', '', 'credit', '2'), row('450900', '', 'credit', '2')]);
  await importFile(two);
  const killed = stoppedAt(() => Promise.reject(new Error('killed')));
  await importBins({ database: killed, clock: systemClock }, one).catch(() => undefined);
  expect(await createBinTable(database).count()).toBe(1);
  expect(await imports.find()).toMatchObject({ file: 'one.csv', ranges: 1 });
  // Another import completes after the first one has swapped its table in.
  const overtaken = stoppedAt(() => importFile(two));
  await importBins({ database: overtaken, clock: systemClock }, one);
  await Promise.all([importFile(one), importFile(two), importFile(one)]);
  const { file: named, ranges } = (await imports.find()) ?? {};
  const found = await createBinTable(database).find('4508000000000000');
  expect([named, ranges]).toEqual(found ? ['two.csv', 2] : ['one.csv', 1]);
  expect(await createBinTable(database).count()).toBe(ranges);
});

test('a table without a record of its own has the record that 0.1.0 stored', async () => {
  await database.connection.dropCollection('bin_ranges');
  const earlier = { ranges: 1, file: 'earlier.csv', sha256: 'ab', importedAt: new Date() };
  await database.collection('bin_imports').replaceOne({ _id: 'current' } as never, earlier, { upsert: true });
  expect(await createBinImports(database).find()).toMatchObject(earlier);
  await importFile(await file('later.csv', [head, row('450700', '', 'credit', '1')]));
  expect(await createBinImports(database).find()).toMatchObject({ file: 'later.csv' });
});

test('a table of an earlier release, of eight digits, is read until the next import', async () => {
  const rows = database.collection('bin_ranges');
  await rows.insertOne({ _id: '45090000-45099999', from: 45_090_000, to: 45_099_999, cardType: 'debit' } as never);
  expect(await createBinTable(database).find('4509123400000000')).toMatchObject({ cardType: 'debit' });
});

test('the sample of the documentation can be imported', async () => {
  expect(await importFile('docs/bins-sample.csv')).toMatchObject({ ranges: 5 });
  expect(await createBinTable(database).find('4111111111111111')).toMatchObject({ brand: 'visa', cardType: 'prepaid' });
});

test('test cards that share a BIN are of the same kind', () => {
  const rows = testBins();
  for (const { number, cardType } of testCards) {
    expect(rows.find(({ from }) => from === rangeStart(number.slice(0, 8)))?.cardType).toBe(cardType);
  }
  expect(toRange({ bin_start: '411111' })).toEqual({ from: 41111100000, to: 41111199999 });
});
