/**
 * Imports a BIN table from CSV: streamed, so that a million rows need no memory; resumable, because the place in the file is
 * stored with each batch and rows are replaced by their bounds, so that a repeated batch changes nothing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { limits } from '../../config/limits.js';
import { type BinRange, rangeEnd, rangeStart } from '../../shared/domain/instrument/bin-range.js';
import type { CardType, Issuer } from '../../shared/domain/instrument/payment-instrument.js';
import { createBinImports } from '../../shared/store/bin-import.repository.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import type { Database } from '../../shared/store/database.js';
import { ProvisioningError } from './provisioning.js';

/** Columns of the file, by name in its first line. The first two are required; the others may be empty. */
export const binColumns = [
  'bin_start',
  'bin_end',
  'card_type',
  'issuer_id',
  'issuer_name',
  'issuer_short_name',
  'country',
  'country_code',
] as const;

type Row = Record<(typeof binColumns)[number], string>;

const DIGITS = /^\d{4,8}$/;
const cardTypes: ReadonlySet<string> = new Set<CardType>(['credit', 'debit', 'prepaid']);

function issuerOf(row: Row): Issuer | undefined {
  if (!row.issuer_id || !/^[A-Z]{2}$/.test(row.country_code)) return undefined;
  const { issuer_id: id, issuer_name: name, issuer_short_name: shortName, country, country_code: countryCode } = row;
  return { id, name, shortName: shortName || name, country, countryCode };
}

/** One row as a range; `undefined` when its bounds are no BINs. */
export function toRange(row: Row): BinRange | undefined {
  const end = row.bin_end || row.bin_start;
  if (!DIGITS.test(row.bin_start ?? '') || !DIGITS.test(end)) return undefined;
  const [from, to] = [rangeStart(row.bin_start), rangeEnd(end)];
  if (to < from) return undefined;
  const issuer = issuerOf(row);
  return {
    from,
    to,
    ...(cardTypes.has(row.card_type) && { cardType: row.card_type as CardType }),
    ...(issuer && { issuer }),
  };
}

export interface BinImportProgress {
  readonly rows: number;
  readonly refused: number;
  /** Part of the file that is done, 0 to 1. */
  readonly share: number;
}

export interface BinImportResult extends BinImportProgress {
  /** Row of the file at which an earlier run had stopped; 0 for a fresh import. */
  readonly resumedAt: number;
}

/** The same file is recognised by its path, size and time of change: another file starts at its beginning. */
async function fileIdentity(path: string) {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) throw new ProvisioningError(`There is no file ${path}.`);
  const text = `${path}\n${info.size}\n${info.mtimeMs}`;
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), bytes: info.size };
}

/**
 * @param onProgress called after each batch.
 * @throws {ProvisioningError} when the file is missing or has not the columns.
 */
export async function importBins(
  database: Database,
  path: string,
  onProgress: (progress: BinImportProgress) => void = () => undefined,
): Promise<BinImportResult> {
  const { id, bytes } = await fileIdentity(path);
  const table = createBinTable(database);
  const imports = createBinImports(database);
  const resumedAt = await imports.rowsDone(id);
  const reader = createReadStream(path);
  const rows = reader.pipe(
    parse({ columns: true, trim: true, skip_empty_lines: true, bom: true, relax_column_count: true }),
  );
  let [row, refused] = [0, 0];
  let batch: BinRange[] = [];
  const progress = (): BinImportProgress => ({ rows: row, refused, share: bytes === 0 ? 1 : reader.bytesRead / bytes });

  const flush = async () => {
    await table.upsertMany(batch);
    await imports.record(id, row);
    batch = [];
    onProgress(progress());
  };
  for await (const record of rows as AsyncIterable<Row>) {
    if (row === 0 && !('bin_start' in record)) {
      throw new ProvisioningError(`The first line must name the columns: ${binColumns.join(', ')}.`);
    }
    row += 1;
    if (row <= resumedAt) continue;
    const range = toRange(record);
    if (range) batch.push(range);
    else refused += 1;
    if (batch.length >= limits.binImportBatch) await flush();
  }
  await flush();
  await imports.forget(id);
  return { ...progress(), share: 1, resumedAt };
}
