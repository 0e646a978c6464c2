/** The adapter on a real MongoDB, and its messages by the keys of the gateway. */
import { findCurrencyByNumber } from '../../../shared/domain/money/currency.js';
import {
  createIso8583Processor,
  type Iso8583Options,
} from '../../../shared/processors/iso8583/create-iso8583-processor.js';
import { localTimes, transmissionTime } from '../../../shared/processors/iso8583/line/times.js';
import type { Profile } from '../../../shared/processors/iso8583/profile/profile.js';
import { builtInProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import { type Database, openDatabase } from '../../../shared/store/database.js';
import { ISO8583_EXCHANGES, type IsoExchange, type IsoTrace } from '../../../shared/store/iso8583-exchange.model.js';
import type { Acquirer } from '../../support/jpos/acquirer.js';
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
  const timeOf = (at: Date) =>
    profile.version === '1993' ? localTimes(at, identity.timeZone, '1993')[12] : transmissionTime(at);
  const nameOf = (terminal: string, { stan, at }: IsoTrace) => `${terminal}|${stan}|${timeOf(at)}`;
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
    async ledger(acquirer) {
      const keys = new Map<string, string>();
      for (const { _id, terminal, trace, reversal } of await exchanges()) {
        keys.set(nameOf(terminal, trace), _id);
        if (reversal) keys.set(nameOf(terminal, reversal), `${_id}-reverse`);
      }
      return (await acquirer.books()).map(({ key, original, currency, ...line }) => ({
        ...line,
        key: keys.get(key) ?? `no key of ours: ${key}`,
        original: original && (keys.get(original) ?? `no key of ours: ${original}`),
        currency: findCurrencyByNumber(currency)?.code ?? currency,
      }));
    },
    async close() {
      await database.connection.dropDatabase();
      await database.close();
    },
  };
}
