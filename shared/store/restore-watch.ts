/**
 * Notices that the database is older than what was done: it was restored from a backup, or a part of its writes is lost. A mark in the
 * database grows while the gateway works, and witnesses that a backup does not bring back remember it: `<database>_ephemeral`, Redis and
 * this process. When the mark is behind one of them, the gateway enters safe mode, which `./gateway reconcile` ends (docs/operations.md,
 * "After a restore").
 */
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import { newToken } from '../ids.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { INSTALLATION } from './environment.repository.js';

const MARK = 'mark';
const SAFE_MODE = 'safe-mode';
const WITNESSES = 'marks';

/** How far a database has come. Each end of safe mode begins a new line, so that earlier marks mean nothing to it. */
export interface Mark {
  readonly line: string;
  readonly number: number;
}
interface MarkRow extends Mark {
  readonly _id: typeof MARK;
  readonly at: Date;
}

export interface SafeMode {
  readonly reason: string;
  readonly since: Date;
  /** The database may lack what was done at processors from then on. Absent when its age is not known. */
  readonly from?: Date;
}
type SafeModeRow = SafeMode & { readonly _id: typeof SAFE_MODE };

/** The witness in Redis, which a backup of the database does not bring back either. Both calls may fail: then it says nothing. */
export interface RedisWitness {
  read(line: string): Promise<number | undefined>;
  write(mark: Mark): Promise<void>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs };

const rowsOf = (database: Database) => database.collection<MarkRow | SafeModeRow>(INSTALLATION);
const witnessesOf = (database: Database) => database.ephemeral<Mark & { _id: typeof MARK }>(WITNESSES);

async function readRows(database: Database): Promise<{ mark?: MarkRow; safeMode?: SafeModeRow }> {
  const rows = await rowsOf(database)
    .find({ _id: { $in: [MARK, SAFE_MODE] } }, bounded)
    .toArray();
  const byId = new Map(rows.map((row) => [row._id as string, row]));
  return { mark: byId.get(MARK) as MarkRow, safeMode: byId.get(SAFE_MODE) as SafeModeRow };
}

/** Reads safe mode; `undefined` when it is off. */
export async function readSafeMode(database: Database): Promise<SafeMode | undefined> {
  return (await readRows(database)).safeMode;
}

/** Two upserts of one id at once: MongoDB may answer the slower one with 11000, which is ignored. */
async function once(upsert: () => Promise<unknown>): Promise<void> {
  await upsert().catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

/**
 * Begins safe mode: from now on nothing is sent to a processor. If it has begun already it stays as it was, except for an earlier `from`.
 */
export async function beginSafeMode(database: Database, { from, ...safeMode }: SafeMode): Promise<void> {
  const change = { $setOnInsert: safeMode, ...(from && { $min: { from } }) };
  const options = { upsert: true, writeConcern: durable, ...bounded };
  await once(() => rowsOf(database).updateOne({ _id: SAFE_MODE }, change, options));
}

/** Ends safe mode after the books were compared: a new line begins, and the gateway works again. */
export async function endSafeMode(database: Database, now: Date): Promise<void> {
  const mark = { line: newToken(), number: 1 };
  const options = { upsert: true, writeConcern: durable, ...bounded };
  await rowsOf(database).updateOne({ _id: MARK }, { $set: { ...mark, at: now } }, options);
  await witnessesOf(database).updateOne({ _id: MARK }, { $set: mark }, options);
  await rowsOf(database).deleteOne({ _id: SAFE_MODE }, { writeConcern: durable, ...bounded });
}

/**
 * Begins a line at the first start. The witness gets the line before the database does, so a mark that moved always has a witness. A
 * witness that moved belongs to a mark that was lost: then no line is begun, because the time of a new mark would pass for the age of the
 * database.
 */
async function beginLine(database: Database, now: Date): Promise<void> {
  const options = { upsert: true, writeConcern: durable, ...bounded };
  await once(() =>
    witnessesOf(database).updateOne({ _id: MARK }, { $setOnInsert: { line: newToken(), number: 0 } }, options),
  );
  const witness = await witnessesOf(database).findOne({ _id: MARK }, bounded);
  if (!witness || witness.number > 0) return;
  const { line } = witness;
  const insert = { $setOnInsert: { line, number: 0, at: now } };
  await once(() => rowsOf(database).updateOne({ _id: MARK }, insert, options));
}

interface Witnesses {
  /** Mark in `<database>_ephemeral`. */
  readonly beside?: Mark;
  readonly redis?: number;
  /** Mark that this process saw last. */
  readonly seen?: Mark;
}

/** Returns why the database is taken for a restored one; `undefined` when it is not. Pure. */
export function restoredBecause(mark: Mark | undefined, { beside, redis, seen }: Witnesses): string | undefined {
  // The witness is created before the first mark: then it has not moved yet.
  if (!mark) return beside && beside.number > 0 ? 'the database lost its mark' : undefined;
  if (!beside) return mark.number > 0 ? 'the database came here without its ephemeral part' : undefined;
  if (beside.line !== mark.line) return 'the database is older than its ephemeral part';
  if (beside.number > mark.number) return 'the database is older than its ephemeral part';
  if (redis !== undefined && redis > mark.number) return 'the database is older than what Redis remembers';
  const behindSeen = seen?.line === mark.line && seen.number > mark.number;
  return behindSeen ? 'the database went back while the gateway ran' : undefined;
}

/** Returns why safe mode will begin with the first process that looks at this database; `undefined` when it will not. Changes nothing. */
export async function foreseeSafeMode(database: Database): Promise<string | undefined> {
  const beside = (await witnessesOf(database).findOne({ _id: MARK }, bounded)) ?? undefined;
  const { mark } = await readRows(database);
  return restoredBecause(mark, defined({ beside }));
}

export interface RestoreWatch {
  /** Returns why nothing may be sent to a processor; `undefined` when it may. */
  problem(): string | undefined;
  /** Stops the watch; resolves when no look is under way any more. */
  stop(): Promise<void>;
}

export interface RestoreWatchDeps {
  readonly database: Database;
  readonly clock: { now(): Date };
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
  readonly redis?: RedisWitness;
  /** This process sends to processors: it moves the mark. */
  readonly moves: boolean;
}

const quietly = <T>(work: Promise<T> | undefined) => work?.catch(() => undefined);

/** Moves the mark if it is still as it was seen, so that a database that was restored in between is not taken for one that moved. */
async function moveMark({ database, clock, redis }: RestoreWatchDeps, mark: Mark): Promise<void> {
  const next = { line: mark.line, number: mark.number + 1 };
  const change = { $set: { number: next.number, at: clock.now() } };
  const moved = await rowsOf(database).updateOne({ _id: MARK, ...mark }, change, { writeConcern: durable });
  if (moved.modifiedCount === 0) return;
  const beside = { _id: MARK, line: mark.line } as const;
  await witnessesOf(database).updateOne(beside, { $max: { number: next.number } }, { writeConcern: durable });
  await quietly(redis?.write(next));
}

/**
 * Reads the mark as a majority has it now. A primary that was cut off, or frozen, may still answer reads with old data, and would look
 * restored to the witnesses. Such a read fails.
 */
async function confirmMark(database: Database): Promise<MarkRow | undefined> {
  const options = { ...bounded, readConcern: { level: 'linearizable' } } as const;
  return ((await rowsOf(database).findOne({ _id: MARK }, options)) as MarkRow | null) ?? undefined;
}

/** Compares once. The witnesses are read before the mark, which moves before them: so it is never behind them while all is well. */
async function compareOnce(
  { database, redis }: RestoreWatchDeps,
  line: string,
  seen: Mark | undefined,
  confirm = false,
) {
  const beside = (await witnessesOf(database).findOne({ _id: MARK }, bounded)) ?? undefined;
  const remembered = line === '' ? undefined : await quietly(redis?.read(line));
  const { mark: read, safeMode } = await readRows(database);
  const mark = confirm ? await confirmMark(database) : read;
  const ofLine = mark?.line === line ? remembered : undefined;
  const witnesses = defined({ beside, redis: ofLine, seen });
  return { mark, safeMode, reason: restoredBecause(mark, witnesses) };
}

/**
 * Compares, and confirms what looks restored: an old primary may have answered, or safe mode may have ended and a new line begun between
 * two reads. It compares once more, and again while lines begin meanwhile.
 */
async function compare(deps: RestoreWatchDeps, line: string, seen: Mark | undefined) {
  let found = await compareOnce(deps, line, seen);
  for (let tries = 0; tries < limits.restoreConfirmTriesMax; tries += 1) {
    if (found.reason === undefined || found.safeMode) return found;
    const comparedLine = found.mark?.line;
    found = await compareOnce(deps, line, seen, true);
    if (found.mark?.line === comparedLine) return found;
  }
  return found;
}

async function look(deps: RestoreWatchDeps, seen: Mark | undefined) {
  const { database, clock } = deps;
  let line = seen?.line ?? (await readRows(database)).mark?.line;
  if (line === undefined) {
    await beginLine(database, clock.now());
    line = '';
  }
  const { mark, safeMode, reason } = await compare(deps, line, seen);
  if (safeMode) return { mark, reason: safeMode.reason, isNew: false };
  if (reason === undefined) return { mark, reason, isNew: false };
  await beginSafeMode(database, { reason, since: clock.now(), ...(mark && { from: mark.at }) });
  return { mark, reason, isNew: true };
}

/**
 * Looks at once and then every `limits.restoreLookMs`. A failed look changes nothing: without MongoDB nothing is sent anyway.
 * @throws when the first look fails.
 */
export async function openRestoreWatch(deps: RestoreWatchDeps): Promise<RestoreWatch> {
  const { log, metrics } = deps;
  let seen: Mark | undefined;
  let problem: string | undefined;
  const step = async () => {
    const { mark, reason, isNew } = await look(deps, seen);
    if (isNew) metrics.event('safe-mode');
    if (reason !== problem) {
      if (reason === undefined) log.warn('safe-mode.ended');
      else log.error('safe-mode.begun', { reason });
    }
    problem = reason;
    seen = mark && { line: mark.line, number: mark.number };
    if (deps.moves && seen && problem === undefined) await moveMark(deps, seen);
  };
  let running: Promise<void> | undefined;
  const tick = () => {
    running ??= step()
      .catch((error: unknown) => log.warn('safe-mode.not-looked', { error }))
      .finally(() => {
        running = undefined;
      });
  };
  await step();
  const timer = setInterval(tick, limits.restoreLookMs);
  timer.unref();
  return {
    problem: () => problem && `safe mode: ${problem}; run ./gateway reconcile`,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
