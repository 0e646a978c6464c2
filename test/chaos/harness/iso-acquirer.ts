/** An acquirer on jPOS that replaces the test processor: its address, a way to break its lines, and its books. */
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import type { Database } from '../../../shared/store/database.js';
import { ISO8583_EXCHANGES, type IsoExchange } from '../../../shared/store/iso8583-exchange.model.js';
import { startAcquirer } from '../../support/jpos/acquirer.js';
import { readBooks } from '../../support/jpos/read-books.js';

const TIME_ZONE = 'America/Montevideo';

export interface IsoAcquirer {
  /** Settings of the processes that call it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ends every connection. The next advices and reversals are booked without an answer. */
  breakLines(): Promise<void>;
  ledger(database: Database): Promise<readonly LedgerEntry[]>;
  close(): Promise<void>;
}

/** Marks reversed entries as approved, which they were before: the audit counts both the entry and its reversal. */
const asBooked = (entry: LedgerEntry): LedgerEntry =>
  entry.kind !== 'reversal' && entry.result === 'reversed' ? { ...entry, result: 'approved' } : entry;

export async function startIsoAcquirer(): Promise<IsoAcquirer> {
  const acquirer = await startAcquirer();
  return {
    settings: {
      ISO8583_HOST: '127.0.0.1',
      ISO8583_PORT: String(acquirer.port),
      ISO8583_TERMINAL: 'CHAOS000',
      ISO8583_ACQUIRER_ID: '4001005',
      ISO8583_TIME_ZONE: TIME_ZONE,
      ISO8583_CONNECTIONS: '2',
      ISO8583_TLS: 'false',
      // Logged messages are masked. The search for leaks reads them.
      ISO8583_MESSAGE_LOG: 'true',
    },
    async breakLines() {
      for (const what of ['silent-advices/2', 'silent-reversals/2', 'drop']) await acquirer.control(what);
    },
    async ledger(database) {
      const exchanges = await database.collection<IsoExchange>(ISO8583_EXCHANGES).find({}).toArray();
      const entries = readBooks(await acquirer.books(), exchanges, { version: '1987', timeZone: TIME_ZONE });
      return entries.map(asBooked);
    },
    close: () => acquirer.close(),
  };
}
