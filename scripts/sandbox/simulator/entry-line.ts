/**
 * An entry as a line of the ledger file: its public part, a tab, its details. JSON never contains a raw tab, so the public part
 * can be cut off and sent without being parsed.
 */
import type { Personality, WireLedgerEntry } from '../../../shared/processors/sandbox/wire.js';
import type { Entry, EntryDetails } from './books.js';

/** Length of `{"at":"`. */
const AT_START = 7;
const AT_LENGTH = '2026-01-01T00:00:00.000Z'.length;

export function formatEntry({ line, details }: Entry): string {
  // The order of keys is part of the format: `at` and `personality` are found by their position.
  const { at, kind, key, original, amountMinor, currency, result, eci, referenceId, merchantId } = line;
  const written = { at, kind, key, original, amountMinor, currency, result, eci, referenceId, merchantId };
  const { personality, ...rest } = details;
  return `${JSON.stringify(written)}\t${JSON.stringify({ personality, ...rest })}`;
}

export function parseEntry(text: string): Entry {
  const at = text.indexOf('\t');
  return {
    line: JSON.parse(text.slice(0, at)) as WireLedgerEntry,
    details: JSON.parse(text.slice(at + 1)) as EntryDetails,
  };
}

export interface EntryFilter {
  /** Only entries of this personality. */
  readonly personality?: Personality;
  /** Only entries from this moment on: ISO 8601 in UTC with milliseconds, compared as text. */
  readonly since?: string;
  /** Only entries before this moment. */
  readonly until?: string;
}

/** Returns the public part of a line, or `undefined` when the filter leaves it out. */
export function publicPart(text: string, { personality, since, until }: EntryFilter): string | undefined {
  const happened = text.slice(AT_START, AT_START + AT_LENGTH);
  if (since !== undefined && happened < since) return undefined;
  if (until !== undefined && happened >= until) return undefined;
  const at = text.indexOf('\t');
  if (personality !== undefined && !text.startsWith(`{"personality":"${personality}"`, at + 1)) return undefined;
  return text.slice(0, at);
}
