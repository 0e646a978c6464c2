/** The adapter on a real MongoDB, and its messages by the keys of the gateway. */
import {
  createIso8583Processor,
  type Iso8583Options,
} from '../../../shared/processors/iso8583/create-iso8583-processor.js';
import type { Profile } from '../../../shared/processors/iso8583/profile/profile.js';
import { builtInProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import { type Database, openDatabase } from '../../../shared/store/database.js';
import { ISO8583_EXCHANGES, type IsoExchange } from '../../../shared/store/iso8583-exchange.model.js';
import type { Acquirer } from '../../support/jpos/acquirer.js';
import { readBooks } from '../../support/jpos/read-books.js';
import { testMongoUri } from '../../support/services.js';
import { keepingLog } from '../keeping-log.js';

export const identity = {
  terminal: 'TERM0001',
  acquirerId: '4001005',
  timeZone: 'America/Montevideo',
  merchantId: 'SHOP1',
};

export const defaultProfile = builtInProfile('1987-ascii');

export interface IsoHarness {
  readonly database: Database;
  readonly log: ReturnType<typeof keepingLog>;
  connect(port: number, more?: Partial<Iso8583Options>): ReturnType<typeof createIso8583Processor>;
  exchanges(): Promise<IsoExchange[]>;
  /** The acquirer's books, with our keys in the place of its own. */
  ledger(acquirer: Acquirer): Promise<readonly LedgerEntry[]>;
  close(): Promise<void>;
}

export async function openIsoHarness(
  suite: string,
  profile: Profile = builtInProfile('1987-ascii'),
): Promise<IsoHarness> {
  const database = await openDatabase(testMongoUri(suite));
  await database.connection.dropDatabase();
  const log = keepingLog();
  const exchanges = () => database.collection<IsoExchange>(ISO8583_EXCHANGES).find({}).toArray();
  return {
    database,
    log,
    exchanges,
    connect: (port, more = {}) =>
      createIso8583Processor({
        profile,
        identity,
        address: { host: '127.0.0.1', port },
        connections: 1,
        echoMs: 60_000,
        logMessages: true,
        timeoutMs: 5_000,
        database,
        log,
        ...more,
      }),
    ledger: async (acquirer) =>
      readBooks(await acquirer.books(), await exchanges(), { version: profile.version, timeZone: identity.timeZone }),
    async close() {
      await database.connection.dropDatabase();
      await database.close();
    },
  };
}
