/**
 * Rows of `Idempotency-Key` (docs/reliability.md, "Idempotency-Key rows"): one per client, path and key. All times are the
 * database's own, so that API processes whose clocks differ agree on who works on a request.
 */
import { createHash } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { longAgo, noLease } from '../domain/time.js';
import { newSeed, newToken } from '../ids.js';
import { type Database, durable, isDuplicateKey } from './database.js';
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
  /** An earlier call did not finish: what has the seed's id may exist. */
  readonly resumed: boolean;
}

export type IdempotencyStart =
  | { readonly kind: 'claimed'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'answered'; readonly status: number; readonly body: string | undefined; readonly seed: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'other-body' };

export interface IdempotencyRepository {
  /** Claims the request for `leaseMs`, or says why not. Of many at once, one gets `claimed`. */
  start(scope: IdempotencyScope, bodyDigest: string, leaseMs: number): Promise<IdempotencyStart>;
  /** Keeps the answer. Does nothing when another took the request over. */
  finish(claim: IdempotencyClaim, answer: { readonly status: number; readonly body?: string }): Promise<void>;
  /** What became of it is not known: the next one may take over at once, under the same seed. */
  abandon(claim: IdempotencyClaim): Promise<void>;
  /** Nothing was done: the key is free, for another body too. */
  forget(claim: IdempotencyClaim): Promise<void>;
}

const rowIdOf = ({ clientId, path, key }: IdempotencyScope) =>
  createHash('sha256').update(`${clientId}\n${path}\n${key}`).digest('base64url');

const after = (ms: number) => ({ $add: ['$$NOW', ms] });

/**
 * One update decides: a row that is not there or has run out is made anew; one whose worker is gone and whose body is the same
 * keeps its seed and changes hands; any other stays as it is.
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

export function createIdempotencyRepository(database: Database): IdempotencyRepository {
  const rows = database.collection<IdempotencyRow>(IDEMPOTENCY_ROWS);
  const mine = ({ rowId, token }: Pick<IdempotencyClaim, 'rowId' | 'token'>) => ({
    _id: rowId,
    token,
    answer: { $exists: false },
  });

  const claim = (rowId: string, update: object[]) =>
    rows.findOneAndUpdate({ _id: rowId }, update, {
      upsert: true,
      returnDocument: 'after',
      // No `maxTimeMS`: it would bound the wait for a majority, too, and leave a row that holds the key.
      writeConcern: durable,
    });
  const abandon = async (held: Pick<IdempotencyClaim, 'rowId' | 'token'>) => {
    await rows.updateOne(mine(held), { $set: { leaseUntil: noLease } }, { writeConcern: durable });
  };

  return {
    async start(scope, bodyDigest, leaseMs) {
      const [rowId, seed, token] = [rowIdOf(scope), newSeed(), newToken()];
      const update = startUpdate(bodyDigest, seed, token, leaseMs);
      const row = await claim(rowId, update).catch((error: unknown) => {
        // Two upserts of one id at once: the slower one may be answered 11000 instead of the row.
        if (isDuplicateKey(error)) return claim(rowId, update);
        // It may be stored: the same request must not wait for the lease of a call that is over.
        abandon({ rowId, token }).catch(() => undefined);
        throw error;
      });
      if (!row) throw new Error('an upsert answered no row');
      if (row.token === token) {
        return { kind: 'claimed', claim: { rowId, token, seed: row.seed, resumed: row.seed !== seed } };
      }
      if (row.bodyDigest !== bodyDigest) return { kind: 'other-body' };
      if (!row.answer) return { kind: 'running' };
      return { kind: 'answered', status: row.answer.status, body: row.answer.body, seed: row.seed };
    },

    async finish(held, answer) {
      await rows.updateOne(mine(held), { $set: { answer } }, { writeConcern: durable });
    },
    abandon,
    async forget(held) {
      await rows.deleteOne(mine(held), { writeConcern: durable });
    },
  };
}
