/** What was done, for later investigation. Entries are added and read, never changed or removed. */
import { limits } from '../../config/limits.js';
import { type Clock, pause } from '../clock.js';
import { after, msBetween } from '../domain/time.js';
import { newAuditId, newChainId } from '../ids.js';
import type { Log } from '../log.js';
import { AUDIT, type AuditRow } from './audit.model.js';
import { type ChainLink, type ChainReport, type LoggedHead, linkTo, verifyChains } from './audit-chain.js';
import { type Collection, type Database, durable, isDuplicateKey } from './database.js';

export type AuditEntry = Omit<AuditRow, '_id' | 'at' | 'link'>;
export type AuditRecord = Omit<AuditRow, '_id' | 'link'> & { readonly id: string };

/** What entries are looked for by; all of it has to fit. */
export type AuditFilter = Partial<Pick<AuditRow, 'clientId' | 'actor' | 'action' | 'paymentId' | 'outcome'>> & {
  readonly since?: Date | undefined;
};

export interface AuditRepository {
  /** Durable when it returns. Entries of one process are written in the order in which they were appended. */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limits.auditListed`. */
  find(filter: AuditFilter, max?: number): Promise<readonly AuditRecord[]>;
  /** Those that come after an entry in the order of {@link find}; undefined: there is no such entry. */
  findAfter(id: string, filter: AuditFilter, max: number): Promise<readonly AuditRecord[] | undefined>;
  findOf(clientId: string): Promise<readonly AuditRecord[]>;
  /** Whether all that was written is there and as it was. */
  verify(heads: readonly LoggedHead[]): Promise<ChainReport>;
  /** Writes the head of this process's chain to the log, when it has moved, and those of commands, which have no log. */
  logHeads(): Promise<void>;
  /** Waits for what is being written, and logs the head. */
  close(): Promise<void>;
}

interface Waiting {
  readonly row: AuditRow;
  done(): void;
  failed(error: unknown): void;
}

const newChain = () => ({ chain: newChainId(), seq: 0, hash: '' });

/** Several rows as one write; those that a write before this one has stored already are met and passed by. */
async function insertAll(database: Database, rows: readonly AuditRow[]): Promise<void> {
  const collection = database.collection<AuditRow>(AUDIT);
  for (let tries = 1; ; tries += 1) {
    try {
      await collection.insertMany([...rows], { writeConcern: durable, ordered: false });
      return;
    } catch (error) {
      if (isDuplicateKey(error)) return;
      if (tries === limits.auditTriesMax) throw error;
    }
  }
}

/** The newest entry of each chain of the command line that was written since then. */
async function commandHeads(rows: Collection<AuditRow>, since: Date): Promise<readonly ChainLink[]> {
  const found = await rows
    .find({ at: { $gte: since }, actor: /^operator:/ }, { maxTimeMS: limits.mongoQueryMs })
    .sort({ at: 1, 'link.seq': 1 })
    .limit(limits.auditListed)
    .toArray();
  return [...new Map(found.flatMap(({ link }) => (link ? [[link.chain, link] as const] : []))).values()];
}

/** The order of lists: newest first, several of one moment by their numbers, and those of several chains by their ids. */
const newestFirst = (a: AuditRow, b: AuditRow): number =>
  msBetween(a.at, b.at) || (b.link?.seq ?? 0) - (a.link?.seq ?? 0) || b._id.localeCompare(a._id);

/** Finds entries newest first. Indexes know moments only, so that what is of one moment is put in order here. */
function auditPages(rows: Collection<AuditRow>) {
  const read = (where: object, max: number) =>
    rows.find(where, { maxTimeMS: limits.mongoQueryMs }).sort({ at: -1 }).limit(max).toArray();
  const readMoment = async (where: object, at: Date) =>
    (await rows.find({ $and: [where, { at }] }, { maxTimeMS: limits.mongoQueryMs }).toArray()).sort(newestFirst);

  async function newest(where: object, max: number): Promise<readonly AuditRow[]> {
    const found = await read(where, max);
    const last = found.at(-1);
    if (!last || found.length < max) return found.sort(newestFirst);
    // The end may be in the midst of a moment.
    const before = found.filter(({ at }) => at > last.at).sort(newestFirst);
    return [...before, ...(await readMoment(where, last.at))].slice(0, max);
  }

  return {
    newest,
    async after(row: AuditRow, where: object, max: number): Promise<readonly AuditRow[]> {
      const rest = (await readMoment(where, row.at)).filter((other) => newestFirst(row, other) < 0).slice(0, max);
      if (rest.length === max) return rest;
      return [...rest, ...(await newest({ $and: [where, { at: { $lt: row.at } }] }, max - rest.length))];
    },
  };
}

const whereOf = ({ since, ...filter }: AuditFilter): object => ({ ...filter, ...(since && { at: { $gte: since } }) });
const toRecord = ({ _id, link: _link, ...entry }: AuditRow): AuditRecord => ({ id: _id, ...entry });

export function createAuditRepository(database: Database, clock: Clock, log?: Pick<Log, 'info'>): AuditRepository {
  const rows = database.collection<AuditRow>(AUDIT);
  const pages = auditPages(rows);
  let head = newChain();
  let logged = 0;
  let lookedAt = after(clock.now(), -limits.auditHeadMs);
  /** Heads of commands that the last look found. */
  let commandsLogged = new Map<string, number>();
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let beganMs = Number.NEGATIVE_INFINITY;

  const logHead = () => {
    const { chain, seq: count, hash } = head;
    if (count === logged) return;
    logged = count;
    log?.info('audit.head', { chain, count, hash });
  };

  /** One write at a time; what comes meanwhile goes with the next. Calls do not wait for their entry, so that entries gather. */
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const restMs = beganMs + limits.auditGatherMs - performance.now();
      if (restMs > 0 && waiting.length < limits.batchItemsMax) await pause(restMs);
      beganMs = performance.now();
      const batch = waiting.splice(0, limits.batchItemsMax);
      try {
        await insertAll(
          database,
          batch.map(({ row }) => row),
        );
        for (const { done } of batch) done();
      } catch (error) {
        // What is missing from a chain would look like a theft: the entries after it begin a new one.
        const lost = [...batch, ...waiting];
        waiting = [];
        head = newChain();
        logged = 0;
        for (const { failed } of lost) failed(error);
      }
    }
    // Before those who waited go on: what they append next begins a write of its own.
    writing = undefined;
    if (head.seq - logged >= limits.auditHeadEvery) logHead();
  }

  const find = async (filter: AuditFilter, max: number = limits.auditListed): Promise<readonly AuditRecord[]> =>
    (await pages.newest(whereOf(filter), max)).map(toRecord);

  return {
    append(entry) {
      const bare = { _id: newAuditId(), at: clock.now(), ...entry };
      const link = linkTo(head, bare);
      head = link;
      const written = new Promise<void>((done, failed) => waiting.push({ row: { ...bare, link }, done, failed }));
      writing ??= write();
      return written;
    },
    find,
    async findAfter(id, filter, max) {
      const before = await rows.findOne({ _id: id }, { maxTimeMS: limits.mongoQueryMs });
      return before ? (await pages.after(before, whereOf(filter), max)).map(toRecord) : undefined;
    },
    findOf: (clientId) => find({ clientId }),
    verify: (heads) => verifyChains(rows.find({}).sort({ 'link.chain': 1, 'link.seq': 1 }), heads),
    async logHeads() {
      logHead();
      const now = clock.now();
      // The clock of an operator's machine may be behind, and a look that failed is made up for by the next one.
      const found = await commandHeads(rows, after(lookedAt, -limits.clockOffsetMaxMs));
      lookedAt = now;
      for (const { chain, seq: count, hash } of found)
        if (commandsLogged.get(chain) !== count) log?.info('audit.head', { chain, count, hash });
      commandsLogged = new Map(found.map(({ chain, seq }) => [chain, seq]));
    },
    async close() {
      await writing;
      logHead();
    },
  };
}
