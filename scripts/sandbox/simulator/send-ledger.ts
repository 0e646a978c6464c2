/** `GET /ledger`: sends the books as one JSON array, one entry a line, while the file is read. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defined } from '../../../shared/domain/defined.js';
import type { Personality } from '../../../shared/processors/sandbox/wire.js';
import { type EntryFilter, publicPart } from './entry-line.js';
import type { LedgerFile } from './ledger-file.js';

const CHUNK_CHARACTERS = 64 * 1024;

interface LedgerQuery extends EntryFilter {
  /** Number of entries to leave out at the start, after the filter. */
  readonly skip: number;
  /** Maximum number of entries. */
  readonly take: number;
}

/** Returns a moment of the query in a form that can be compared as text; `unusable` when it is not a time. */
function momentOf(url: URL, name: 'since' | 'until'): string | undefined | 'unusable' {
  const text = url.searchParams.get(name);
  if (text === null) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? 'unusable' : at.toISOString();
}

/** Reads `since`, `until`, `skip` and `take`; `undefined` when one of them is unusable. */
export function readLedgerQuery(url: URL, personality: Personality | undefined): LedgerQuery | undefined {
  const since = momentOf(url, 'since');
  const until = momentOf(url, 'until');
  if (since === 'unusable' || until === 'unusable') return undefined;
  const count = (name: string, fallback: number) => Number(url.searchParams.get(name) ?? fallback);
  const skip = count('skip', 0);
  const take = count('take', Number.MAX_SAFE_INTEGER);
  if (!(Number.isSafeInteger(skip) && Number.isSafeInteger(take) && skip >= 0 && take >= 0)) return undefined;
  return { skip, take, ...defined({ since, until, personality }) };
}

async function* pick(ledger: LedgerFile, query: LedgerQuery): AsyncIterable<string> {
  let { skip, take } = query;
  if (take === 0) return;
  for await (const line of ledger.lines()) {
    const text = publicPart(line, query);
    if (text === undefined) continue;
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    yield text;
    take -= 1;
    if (take === 0) return;
  }
}

async function* toChunks(lines: AsyncIterable<string>): AsyncIterable<string> {
  let chunk = '[';
  let separator = '\n';
  for await (const line of lines) {
    chunk += separator + line;
    separator = ',\n';
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}\n]\n`;
}

/** Rejects when the reader disconnects before the end. */
export async function sendLedger(response: ServerResponse, ledger: LedgerFile, query: LedgerQuery): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  await pipeline(Readable.from(toChunks(pick(ledger, query))), response);
}
