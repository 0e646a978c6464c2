/**
 * Rows of `Idempotency-Key` (docs/reliability.md, "Idempotency-Key rows"): one per client, path and key. All times are the
 * database's own, so that API processes whose clocks differ agree on who works on a request.
 */
import { createHash } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { longAgo, noLease } from '../domain/time.js';
import { newSeed, newToken } from '../ids.js';
import { coalesce, type Settled } from './coalesce.js';
import { type Collection, type Database, durable, isDuplicateKey } from './database.js';
import { IDEMPOTENCY_ROWS, type IdempotencyRow } from './idempotency.model.js';

export interface IdempotencyScope {
  readonly clientId: string;
  /** Method and path with its ids, without a query. */
  readonly path: string;
  readonly key: string;
}

/** The right to work on a request. */
export interface IdempotencyClaim {
  readonly rowId: string;
  readonly token: string;
  readonly seed: string;
  /** An earlier call did not finish: the object with the seed's id may exist. */
  readonly resumed: boolean;
}

export type IdempotencyStart =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'answered'; readonly status: number; readonly body: string | undefined; readonly seed: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'other-body' };

export interface IdempotencyRepository {
  /** Claims the request for `leaseMs`, or says why not. Of many calls at once, one gets `claimed`. */
  start(scope: IdempotencyScope, bodyDigest: string, leaseMs: number): Promise<IdempotencyStart>;
  /** Stores the answer. Does nothing when another call took the request over. */
  finish(claim: IdempotencyClaim, answer: { readonly status: number; readonly body?: string }): Promise<void>;
  /** Gives the claim up when the result of the request is not known: the next call may take over at once, under the same seed. */
  abandon(claim: IdempotencyClaim): Promise<void>;
  /** Removes the row when nothing was done: the key is free, for another body too. */
  forget(claim: IdempotencyClaim): Promise<void>;
}

const rowIdOf = ({ clientId, path, key }: IdempotencyScope) =>
  createHash('sha256').update(`${clientId}\n${path}\n${key}`).digest('base64url');

/**
 * Write concern for the end of a call. It does not wait for a majority, because the result of the request is durable already. If this
 * write is lost with the primary, the next call with the key finds the created object.
 */
const noted = { w: 1 } as const;

const after = (ms: number) => ({ $add: ['$$NOW', ms] });

/**
 * Builds the update that decides who works on a request. A row that does not exist or has expired is new; a row whose worker is gone and
 * whose body is the same keeps its seed and gets a new owner; any other row stays as it is.
 */
function startUpdate(bodyDigest: string, seed: string, token: string, leaseMs: number) {
  const own = { token: { $literal: token }, leaseUntil: after(leaseMs) };
  const fresh = {
    _id: '$_id',
    bodyDigest: { $literal: bodyDigest },
    seed: { $literal: seed },
    ...own,
    expireAt: after(limits.idempotencyKeptMs),
  };
  const isGone = { $lte: [{ $ifNull: ['$expireAt', longAgo] }, '$$NOW'] };
  const isLeft = {
    $and: [
      { $eq: [{ $type: '$answer' }, 'missing'] },
      { $lt: ['$leaseUntil', '$$NOW'] },
      { $eq: ['$bodyDigest', { $literal: bodyDigest }] },
    ],
  };
  return [
    {
      $replaceWith: {
        $cond: [isGone, fresh, { $cond: [isLeft, { $mergeObjects: ['$$ROOT', own] }, '$$ROOT'] }],
      },
    },
  ];
}

/** A call that begins: the values that it would write to the row. */
interface Starting {
  readonly rowId: string;
  readonly bodyDigest: string;
  readonly seed: string;
  readonly token: string;
  readonly leaseMs: number;
}

type Rows = Collection<IdempotencyRow>;

const updateOf = ({ bodyDigest, seed, token, leaseMs }: Starting) => startUpdate(bodyDigest, seed, token, leaseMs);

/** Decides from the stored row how the call continues. */
function judge({ rowId, bodyDigest, seed, token }: Starting, row: IdempotencyRow): IdempotencyStart {
  if (row.token === token) {
    return { kind: 'claimed', claim: { rowId, token, seed: row.seed, resumed: row.seed !== seed } };
  }
  if (row.bodyDigest !== bodyDigest) return { kind: 'other-body' };
  if (!row.answer) return { kind: 'running' };
  return { kind: 'answered', status: row.answer.status, body: row.answer.body, seed: row.seed };
}

async function startOne(rows: Rows, starting: Starting): Promise<IdempotencyStart> {
  const claim = () =>
    rows.findOneAndUpdate({ _id: starting.rowId }, updateOf(starting), {
      upsert: true,
      returnDocument: 'after',
      // No `maxTimeMS`: it would also bound the wait for a majority, and leave a row that holds the key.
      writeConcern: durable,
    });
  // Two upserts of one id at once: MongoDB may answer the slower one with 11000 instead of the row.
  const row = await claim().catch((error: unknown) => (isDuplicateKey(error) ? claim() : Promise.reject(error)));
  if (!row) throw new Error('an upsert answered no row');
  return judge(starting, row);
}

/**
 * Starts many calls at once: one write, and one read of the rows after it.
 * @throws when it is not known which of them were written
 */
async function startMany(rows: Rows, batch: readonly Starting[]): Promise<Settled<IdempotencyStart>[]> {
  const operations = batch.map((starting) => ({
    updateOne: { filter: { _id: starting.rowId }, update: updateOf(starting), upsert: true },
  }));
  await rows.bulkWrite(operations, { ordered: false, writeConcern: durable }).catch((error: unknown) => {
    // An upsert that lost against another call has changed nothing: the row shows which call has it.
    if (!isOvertaken(error)) throw error;
  });
  const stored = await rows
    .find({ _id: { $in: batch.map(({ rowId }) => rowId) } }, { maxTimeMS: limits.mongoQueryMs })
    .toArray();
  const byId = new Map(stored.map((row) => [row._id, row]));
  return Promise.all(
    batch.map(async (starting) => {
      const row = byId.get(starting.rowId);
      try {
        // Between the write and the read another call may have freed its key.
        return { ok: row ? judge(starting, row) : await startOne(rows, starting) };
      } catch (error) {
        return { error };
      }
    }),
  );
}

/** Whether MongoDB refused nothing but duplicates, and a majority has the rest. */
function isOvertaken(error: unknown): boolean {
  const { writeErrors, result } = (error ?? {}) as {
    readonly writeErrors?: unknown;
    readonly result?: { getWriteConcernError?(): unknown };
  };
  const refused = [writeErrors ?? []].flat();
  return refused.length > 0 && refused.every(isDuplicateKey) && result?.getWriteConcernError?.() === undefined;
}

export function createIdempotencyRepository(database: Database): IdempotencyRepository {
  const rows = database.collection<IdempotencyRow>(IDEMPOTENCY_ROWS);
  const mine = ({ rowId, token }: Pick<IdempotencyClaim, 'rowId' | 'token'>) => ({
    _id: rowId,
    token,
    answer: { $exists: false },
  });
  const abandon = async (held: Pick<IdempotencyClaim, 'rowId' | 'token'>) => {
    await rows.updateOne(mine(held), { $set: { leaseUntil: noLease } }, { writeConcern: noted });
  };
  const begin = coalesce<Starting, IdempotencyStart>(
    async (batch) => {
      const [first] = batch;
      return first && batch.length === 1 ? [{ ok: await startOne(rows, first) }] : startMany(rows, batch);
    },
    { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax },
  );

  return {
    async start(scope, bodyDigest, leaseMs) {
      const starting = { rowId: rowIdOf(scope), bodyDigest, seed: newSeed(), token: newToken(), leaseMs };
      try {
        return await begin(starting);
      } catch (error) {
        // The row may be stored: the same request must not wait for the lease of a call that is over.
        abandon(starting).catch(() => undefined);
        throw error;
      }
    },

    async finish(held, answer) {
      await rows.updateOne(mine(held), { $set: { answer } }, { writeConcern: noted });
    },
    abandon,
    async forget(held) {
      await rows.deleteOne(mine(held), { writeConcern: noted });
    },
  };
}
