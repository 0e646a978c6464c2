/** Stores what was done, for later investigation. Entries are added and read, never changed or removed. */
import { limits } from '../../config/limits.js';
import { type Clock, pause } from '../clock.js';
import { after, latest } from '../domain/time.js';
import { newAuditId, newChainId } from '../ids.js';
import type { Log } from '../log.js';
import { AUDIT, type AuditBatch, type AuditRow, type StoredEntry } from './audit.model.js';
import { type ChainLink, type ChainReport, type LoggedHead, linkTo, verifyChains } from './audit-chain.js';
import { type Collection, type Database, durable, isDuplicateKey } from './database.js';
import { type AuditFilter, type AuditRecord, createAuditLookup } from './find-audit-entries.js';

export type { AuditFilter, AuditRecord };
export type AuditEntry = Omit<StoredEntry, 'at'>;

export interface AuditRepository {
  /**
   * Appends an entry, which is durable when the promise resolves. Entries of one process are written in the order in which they were
   * appended.
   */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. @param max `limits.auditListed` when it is not given. */
  find(filter: AuditFilter, max?: number): Promise<readonly AuditRecord[]>;
  /** Finds the entries behind an entry in the order of {@link find}; undefined when there is no such entry. */
  findAfter(id: string, filter: AuditFilter, max: number): Promise<readonly AuditRecord[] | undefined>;
  /** Checks that everything that was written is still there and unchanged. */
  verify(heads: readonly LoggedHead[]): Promise<ChainReport>;
  /** Writes the head of this process's chain to the log when it has moved, and the heads of commands, which have no log. */
  logHeads(): Promise<void>;
  /** Waits for the write that is under way, and logs the head. */
  close(): Promise<void>;
}

interface Waiting {
  readonly entry: StoredEntry;
  done(): void;
  failed(error: unknown): void;
}

/** Inserts a batch. A batch that is stored already was stored by a try whose answer was lost. */
async function insertOnce(rows: Collection<AuditRow>, batch: AuditBatch): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await rows.insertOne(batch, { writeConcern: durable });
      return;
    } catch (error) {
      if (isDuplicateKey(error)) return;
      if (tries === limits.auditTriesMax) throw error;
    }
  }
}

function batchOf(entries: readonly StoredEntry[], head: Omit<ChainLink, 'previous'>): AuditBatch {
  const paymentIds = new Set(entries.flatMap(({ paymentId }) => (paymentId === undefined ? [] : [paymentId])));
  const bare = {
    _id: newAuditId(),
    at: latest(...entries.map(({ at }) => at)),
    clientId: [...new Set(entries.map(({ clientId }) => clientId))],
    ...(paymentIds.size > 0 && { paymentId: [...paymentIds] }),
    entries,
  };
  return { ...bare, link: linkTo(head, bare) };
}

const BY_COMMAND = /^operator:/;

/** Finds the newest place of each chain of the command line that was written to since then. */
async function commandHeads(rows: Collection<AuditRow>, since: Date): Promise<readonly ChainLink[]> {
  const ofCommand = { $or: [{ 'entries.actor': BY_COMMAND }, { actor: BY_COMMAND }] };
  const found = await rows
    .find({ at: { $gte: since }, ...ofCommand }, { maxTimeMS: limits.mongoQueryMs, projection: { link: 1 } })
    .sort({ at: 1, 'link.seq': 1 })
    .limit(limits.auditListed)
    .toArray();
  return [...new Map(found.flatMap(({ link }) => (link ? [[link.chain, link] as const] : []))).values()];
}

const newChain = () => ({ chain: newChainId(), seq: 0, hash: '' });

export function createAuditRepository(database: Database, clock: Clock, log?: Pick<Log, 'info'>): AuditRepository {
  const rows = database.collection<AuditRow>(AUDIT);
  const lookup = createAuditLookup(rows);
  /** Head of the stored chain, so that a head in the log is never one that a killed process had not written. */
  let head: Omit<ChainLink, 'previous'> = newChain();
  let logged = 0;
  let entriesSinceLogged = 0;
  let lookedAt = after(clock.now(), -limits.auditHeadMs);
  /** Heads of commands that the last look found, by chain. */
  let commandsLogged = new Map<string, number>();
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let beganMs = Number.NEGATIVE_INFINITY;

  const logHead = () => {
    const { chain, seq: count, hash } = head;
    if (count === logged) return;
    logged = count;
    entriesSinceLogged = 0;
    log?.info('audit.head', { chain, count, hash });
  };

  /**
   * Writes one batch at a time; entries that are added meanwhile go with the next one. Calls do not wait for their entry, so that entries
   * gather.
   */
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const restMs = beganMs + limits.auditGatherMs - performance.now();
      if (restMs > 0 && waiting.length < limits.auditBatchMax) await pause(restMs);
      beganMs = performance.now();
      const taken = waiting.splice(0, limits.auditBatchMax);
      const batch = batchOf(
        taken.map(({ entry }) => entry),
        head,
      );
      try {
        await insertOnce(rows, batch);
        head = batch.link;
        entriesSinceLogged += taken.length;
        for (const { done } of taken) done();
      } catch (error) {
        // The batch may be stored all the same. Later entries begin a new chain, so that no chain misses a batch.
        const lost = [...taken, ...waiting];
        waiting = [];
        logHead();
        head = newChain();
        logged = 0;
        for (const { failed } of lost) failed(error);
      }
    }
    // Reset before the waiting callers continue: what they append next begins a new write.
    writing = undefined;
    if (entriesSinceLogged >= limits.auditHeadEvery) logHead();
  }

  return {
    append(entry) {
      const at = clock.now();
      const written = new Promise<void>((done, failed) => waiting.push({ entry: { at, ...entry }, done, failed }));
      writing ??= write();
      return written;
    },
    find: (filter, max = limits.auditListed) => lookup.newest(filter, max),
    findAfter: lookup.after,
    verify: (heads) => verifyChains(rows.find({}).sort({ 'link.chain': 1, 'link.seq': 1 }), heads),
    async logHeads() {
      logHead();
      const now = clock.now();
      // Looks further back, because the clock of an operator's machine may be behind. The next look makes up for one that failed.
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
