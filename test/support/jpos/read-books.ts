/** Reads the acquirer's books by the keys of the gateway: the journal knows under which numbers each key was sent. */
import { findCurrencyByNumber } from '../../../shared/domain/money/currency.js';
import { localTimes, transmissionTime } from '../../../shared/processors/iso8583/line/times.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import type { IsoExchange, IsoTrace } from '../../../shared/store/iso8583-exchange.model.js';
import type { AcquirerLine } from './acquirer.js';

interface Dialect {
  readonly version: '1987' | '1993';
  readonly timeZone: string;
}

/** A message without a known exchange keeps its own name, so that tests notice it. */
export function readBooks(
  books: readonly AcquirerLine[],
  exchanges: readonly IsoExchange[],
  { version, timeZone }: Dialect,
): readonly LedgerEntry[] {
  const timeOf = (at: Date) => (version === '1993' ? localTimes(at, timeZone, '1993')[12] : transmissionTime(at));
  const nameOf = (terminal: string, { stan, at }: IsoTrace) => `${terminal}|${stan}|${timeOf(at)}`;
  const keys = new Map<string, string>();
  for (const { _id, terminal, trace, reversal } of exchanges) {
    keys.set(nameOf(terminal, trace), _id);
    if (reversal) keys.set(nameOf(terminal, reversal), `${_id}-reverse`);
  }
  return books.map(({ key, original, currency, ...line }) => ({
    ...line,
    key: keys.get(key) ?? `no key of ours: ${key}`,
    original: original && (keys.get(original) ?? `no key of ours: ${original}`),
    currency: findCurrencyByNumber(currency)?.code ?? currency,
  }));
}
