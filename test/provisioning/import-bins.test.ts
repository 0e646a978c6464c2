import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCards } from '../../api/testing/test-cards.js';
import { binColumns, importBins, toRange } from '../../scripts/provisioning/import-bins.js';
import { testBins } from '../../scripts/sandbox/seed-test-bins.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { ensureIndexes } from '../../shared/store/collections.js';
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

const head = binColumns.join(',');
const row = (start: string, end: string, type: string, issuer: string, code = 'UY') =>
  `${start},${end},${type},${issuer},"Bank, ${issuer}",B${issuer},Uruguay,${code}`;
async function file(name: string, lines: string[]) {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

test('rows become ranges of eight digits; the narrowest range that holds a BIN wins', async () => {
  const lines = [
    head,
    row('4507', '4507', 'credit', '1'),
    row('450799', '450799', 'debit', '2'),
    row('45079900', '', 'prepaid', '3'),
  ];
  const result = await importBins(database, await file('nested.csv', lines));
  expect(result).toMatchObject({ rows: 3, refused: 0, resumedAt: 0, share: 1 });
  const table = createBinTable(database);
  expect(await table.find('4507990000004905')).toMatchObject({
    cardType: 'prepaid',
    issuer: { id: '3', name: 'Bank, 3' },
  });
  expect(await table.find('4507991200000000')).toMatchObject({ cardType: 'debit' });
  expect(await table.find('4507000000000000')).toMatchObject({ cardType: 'credit', issuer: { countryCode: 'UY' } });
  expect(await table.find('4508000000000000')).toBeUndefined();
});

test('rows that are no ranges are refused and counted; a file without the columns is not imported', async () => {
  const lines = [
    head,
    row('45x7', '4507', 'credit', '1'),
    row('5000', '4000', 'credit', '1'),
    row('5100', '5100', 'gold', '1', ''),
  ];
  expect(await importBins(database, await file('odd.csv', lines))).toMatchObject({ rows: 3, refused: 2 });
  expect(await createBinTable(database).find('5100000000000000')).toEqual(
    expect.not.objectContaining({ issuer: expect.anything() }),
  );
  await expect(importBins(database, await file('other.csv', ['a,b', '1,2']))).rejects.toThrow(/bin_start/);
  await expect(importBins(database, join(folder, 'absent.csv'))).rejects.toThrow(/no file/);
});

test('an interrupted import goes on where it stopped', async () => {
  const lines = [
    head,
    ...Array.from({ length: 2_500 }, (_, index) => row(String(60000000 + index), '', 'credit', String(index))),
  ];
  const path = await file('long.csv', lines);
  await expect(
    importBins(database, path, ({ rows }) => {
      if (rows === 2_000) throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  const seen: number[] = [];
  const result = await importBins(database, path, ({ rows }) => seen.push(rows));
  expect(result).toMatchObject({ rows: 2_500, resumedAt: 2_000 });
  expect(seen).toEqual([2_500]);
  expect(await createBinTable(database).find('6000249900000000')).toMatchObject({ issuer: { id: '2499' } });
  expect(await importBins(database, path)).toMatchObject({ resumedAt: 0 });
});

test('test cards that share a BIN are of the same kind', () => {
  const rows = testBins();
  for (const { number, cardType } of testCards) {
    expect(rows.find(({ from }) => from === Number(number.slice(0, 8)))?.cardType).toBe(cardType);
  }
  expect(toRange({ bin_start: '4111', bin_end: '' } as never)).toEqual({ from: 41110000, to: 41119999 });
});
