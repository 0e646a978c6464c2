/**
 * Imports a BIN table from CSV, which replaces the former table (docs/bins.md). The import is streamed, so that a million rows need
 * no memory; strict, so that a file with one wrong line changes nothing; and swapped in at once, so that no payment sees half of it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CsvError, type Info, parse } from 'csv-parse';
import { fileProblem } from '../../config/file-problem.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { PLAIN_TEXT } from '../../shared/contract/joi-types.js';
import { type BinRange, rangeEnd, rangeStart } from '../../shared/domain/instrument/bin-range.js';
import type { CardType, Issuer } from '../../shared/domain/instrument/payment-instrument.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';
import { openNextBinTable, RangeTwiceError } from '../../shared/store/bin-range.repository.js';
import type { Database } from '../../shared/store/database.js';
import { ProvisioningError } from './provisioning.js';

/** Columns of the file, by their names in its first line. The first is required. The others may be empty or absent. */
export const binColumns = [
  'bin_start',
  'bin_end',
  'brand',
  'card_type',
  'issuer_id',
  'issuer_name',
  'issuer_short_name',
  'country',
  'country_code',
] as const;
type Column = (typeof binColumns)[number];
export type BinRow = Readonly<Partial<Record<Column, string>>>;

const DIGITS = /^\d{6,11}$/;
const cardTypes: readonly CardType[] = ['credit', 'debit', 'prepaid'];
const names: readonly Column[] = ['issuer_id', 'issuer_name', 'issuer_short_name', 'country'];

/** Columns that say more about an issuer, and nothing without one. */
const needingIssuer = ['issuer_name', 'issuer_short_name', 'country'] as const satisfies readonly Column[];

/** Character that the parser writes for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

function textProblem(row: BinRow): string | undefined {
  for (const column of names) {
    const text = row[column] ?? '';
    if (text.length > limits.binNameLengthMax) return `${column} has more than ${limits.binNameLengthMax} characters`;
    if (text.includes(REPLACEMENT)) return `${column} is not in UTF-8: save the file in UTF-8`;
    if (!PLAIN_TEXT.test(text)) return `${column} has control characters`;
  }
  return undefined;
}

function issuerOf(row: BinRow): Issuer | undefined | { readonly problem: string } {
  const {
    issuer_id: id = '',
    issuer_name: name = '',
    issuer_short_name: short,
    country = '',
    country_code: code = '',
  } = row;
  if (id === '' && code === '') {
    const alone = needingIssuer.find((column) => (row[column] ?? '') !== '');
    return alone && { problem: `${alone} needs issuer_id and country_code` };
  }
  if (id === '' || code === '') return { problem: 'issuer_id and country_code go together' };
  if (!/^[A-Z]{2}$/.test(code)) return { problem: 'country_code must be two capital letters (ISO 3166-1)' };
  const problem = textProblem(row);
  if (problem !== undefined) return { problem };
  return { id, name, shortName: short || name, country, countryCode: code };
}

/** Converts one row to a range, or says what is wrong with the row. */
export function toRange(row: BinRow): BinRange | { readonly problem: string } {
  const { bin_start: start = '', bin_end: end = '', brand = '', card_type: type = '' } = row;
  if (!DIGITS.test(start)) return { problem: 'bin_start must be 6 to 11 digits' };
  if (end !== '' && !DIGITS.test(end)) return { problem: 'bin_end must be 6 to 11 digits' };
  const [from, to] = [rangeStart(start), rangeEnd(end || start)];
  if (to < from) return { problem: 'bin_end is before bin_start' };
  if (brand !== '' && !(cardBrands as readonly string[]).includes(brand)) {
    return { problem: `brand must be one of ${cardBrands.join(', ')}` };
  }
  if (type !== '' && !(cardTypes as readonly string[]).includes(type)) {
    return { problem: `card_type must be one of ${cardTypes.join(', ')}` };
  }
  const issuer = issuerOf(row);
  if (issuer && 'problem' in issuer) return issuer;
  return { from, to, ...(brand && { brand }), ...(type && { cardType: type as CardType }), ...(issuer && { issuer }) };
}

export interface BinImportProgress {
  readonly rows: number;
  /** Part of the file that is processed, 0 to 1. */
  readonly share: number;
}

export interface BinImportResult {
  readonly ranges: number;
  readonly sha256: string;
}

const refuse = (line: number, problem: string) =>
  new ProvisioningError(`Nothing was imported: line ${line}: ${problem}.`);

function checkColumns(columns: readonly string[]): string[] {
  const unknown = columns.find((name) => !(binColumns as readonly string[]).includes(name));
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  const problem =
    (!columns.includes('bin_start') && 'bin_start is missing') ||
    (unknown !== undefined && 'it names an unknown column') ||
    (twice !== undefined && `${twice} is there twice`);
  if (problem) throw refuse(1, `the first line names the columns, of ${binColumns.join(', ')}: ${problem}`);
  return [...columns];
}

const csvProblems: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a quote inside of a value that has none at its start',
  CSV_INVALID_CLOSING_QUOTE: 'a quote inside of a quoted value: write it twice',
  CSV_QUOTE_NOT_CLOSED: 'a quote that is not closed',
  CSV_RECORD_INCONSISTENT_COLUMNS: 'it has more or fewer values than the first line has columns',
  CSV_MAX_RECORD_SIZE: `it has more than ${limits.binLineLengthMax} characters`,
};

/** Replaces an error of the parser by one that names the line. The content of the line is not repeated. */
const explain = (error: unknown): unknown =>
  error instanceof CsvError ? refuse(Number(error.lines ?? 0), csvProblems[error.code] ?? 'it is no CSV') : error;

const unreadable = (path: string, error: unknown) =>
  new ProvisioningError(`Nothing was imported: ${path} cannot be read: ${fileProblem(error)}.`);

/** @throws {ProvisioningError} naming the line, or saying why the file cannot be read */
async function* readRanges(path: string, onBytes: (bytes: Buffer, read: number) => void) {
  const reader = createReadStream(path);
  reader.on('data', (chunk) => onBytes(chunk as Buffer, reader.bytesRead));
  const rows = reader.pipe(
    parse({
      columns: checkColumns,
      trim: true,
      skip_empty_lines: true,
      bom: true,
      info: true,
      max_record_size: limits.binLineLengthMax,
    }),
  );
  reader.on('error', (error) => rows.destroy(unreadable(path, error)));
  let count = 0;
  try {
    for await (const { record, info } of rows as AsyncIterable<{ record: BinRow; info: Info }>) {
      const range = toRange(record);
      if ('problem' in range) throw refuse(info.lines, range.problem);
      count += 1;
      if (count > limits.binRowsMax) throw refuse(info.lines, `a table has at most ${limits.binRowsMax} ranges`);
      yield { range, line: info.lines };
    }
  } catch (error) {
    throw explain(error);
  } finally {
    reader.destroy();
  }
}

/**
 * @param onProgress called after each batch
 * @throws {ProvisioningError} when the file is missing, empty, or has a wrong line: the table is then unchanged
 */
export async function importBins(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  path: string,
  onProgress: (progress: BinImportProgress) => void = () => undefined,
): Promise<BinImportResult> {
  const info = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!info.isFile()) throw new ProvisioningError(`Nothing was imported: ${path} is no file.`);
  const hash = createHash('sha256');
  let share = 0;
  const ranges = readRanges(path, (bytes, read) => {
    hash.update(bytes);
    share = info.size === 0 ? 1 : read / info.size;
  });
  const next = await openNextBinTable(database, clock.now());
  let [count, line] = [0, 1];
  let batch: BinRange[] = [];
  let sha256 = '';
  const flush = async () => {
    await next.insertMany(batch);
    count += batch.length;
    batch = [];
    onProgress({ rows: count, share });
  };
  try {
    for await (const read of ranges) {
      batch.push(read.range);
      line = read.line;
      if (batch.length >= limits.binImportBatch) await flush();
    }
    await flush();
    if (count === 0) throw new ProvisioningError('Nothing was imported: the file has no ranges.');
    sha256 = hash.digest('hex');
    await next.swap({ ranges: count, file: basename(path), sha256, importedAt: clock.now() });
  } catch (error) {
    await next.drop().catch(() => undefined);
    if (error instanceof RangeTwiceError) throw refuse(line, 'at or before it a range is there twice');
    throw error;
  }
  return { ranges: count, sha256 };
}
