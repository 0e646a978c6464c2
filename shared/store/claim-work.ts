/**
 * Claims of work, many at once: one update sets a random token on work that is due and free by the database's clock, then one majority
 * read finds the payments that carry the token. Only those are claimed (docs/reliability.md, "Claiming"). A single claim is one command,
 * which also returns the document.
 */
import { limits } from '../../config/limits.js';
import { withRoom } from '../domain/payment/empty-outcome.js';
import type { Payment, WorkQueue } from '../domain/payment/payment.js';
import { newToken } from '../ids.js';
import { batchBounds, coalesce, type Settled } from './coalesce.js';
import { type Collection, durable, type Where } from './database.js';
import { isWrongStatement } from './database-errors.js';
import { type Span, startSpan } from './deadlines.js';
import { isKnownVersion } from './schema-version.js';
import { among } from './typed-collection.js';

export interface Claim {
  readonly paymentId: string;
  readonly txId: string;
  /** Token of the stored claim, when the nudge carries it: the lease of that claim need not run out first. */
  readonly storedClaim?: string | undefined;
}

const storedClaimsOf = (batch: readonly Claim[]) =>
  batch.flatMap(({ storedClaim }) => (storedClaim === undefined ? [] : [storedClaim]));

/** Condition of payments that are as their insert left them, with one of these stored claims: no worker has claimed them since. */
const asInserted = (tokens: readonly string[]) => ({
  version: 1,
  'work.attempt.atInsert': true as const,
  'work.leaseToken': { $in: tokens },
});

/** Builds the pipeline update: a lease, and the attempt that later proves that something may have been sent. */
function claimUpdate(token: string) {
  return [
    {
      $set: {
        version: { $add: ['$version', 1] },
        'work.leaseToken': token,
        'work.leaseUntil': { $add: ['$$NOW', limits.leaseMs] },
        'work.attempt': { $ifNull: ['$work.attempt', { token, startedAt: '$$NOW' }] },
      },
    },
  ];
}

/**
 * Claims free payments, and returns those that carry the token once a majority acknowledged the update.
 * @throws when it is not known whether the update was made
 */
async function updateAndRead(
  payments: Collection<Payment>,
  ids: readonly string[],
  free: Where<Payment>,
  token: string,
  { options: bounds }: Span,
): Promise<Payment[]> {
  const [filter, update] = [free, claimUpdate(token)];
  if (ids.length === 1) {
    const options = { writeConcern: durable, returnDocument: 'after', ...bounds } as const;
    const claimed = await payments.findOneAndUpdate(filter, update, options);
    return claimed ? [claimed] : [];
  }
  const { matchedCount } = await payments.updateMany(filter, update, { writeConcern: durable, ...bounds });
  return matchedCount === 0 ? [] : readByToken(payments, ids, token, bounds);
}

const readByToken = (
  payments: Collection<Payment>,
  ids: readonly string[],
  token: string,
  bounds: Span['options'],
): Promise<Payment[]> =>
  payments
    .find({ _id: { $in: ids }, 'work.leaseToken': token }, { maxTimeMS: limits.mongoQueryMs, ...bounds })
    .toArray();

async function claimBatch(
  payments: Collection<Payment>,
  queue: WorkQueue,
  now: () => Date,
  batch: readonly Claim[],
): Promise<Settled<Payment | undefined>[]> {
  const token = newToken();
  const ids = [...new Set(batch.map(({ paymentId }) => paymentId))];
  const storedClaims = storedClaimsOf(batch);
  const isFree = { $expr: { $lt: ['$work.leaseUntil', '$$NOW'] } };
  const free = {
    _id: among(ids),
    ...isKnownVersion('payments'),
    'work.queue': queue,
    // A late nudge for a transaction that is done must not use up the claim of the next one.
    'work.txId': { $in: [...new Set(batch.map(({ txId }) => txId))] },
    'work.dueAt': { $lte: now() },
    ...(storedClaims.length === 0 ? isFree : { $or: [isFree, asInserted(storedClaims)] }),
  };
  // An error leaves the outcome unknown: the token shows whether the claim is ours. If it is not, the sweep offers the work again.
  const span = startSpan(payments);
  const ours = await updateAndRead(payments, ids, free, token, span).catch(async (error: unknown) => {
    const found = await span.lookUp((bounds) => readByToken(payments, ids, token, bounds));
    // The statement would be refused again and again, and nothing would say why the work stays.
    if (found.length === 0 && isWrongStatement(error)) throw error;
    return found;
  });
  return distribute(batch, ours);
}

function distribute(batch: readonly Claim[], ours: readonly Payment[]): Settled<Payment | undefined>[] {
  const byId = new Map(ours.map((payment) => [payment._id, payment]));
  return batch.map(({ paymentId, txId }) => {
    const payment = byId.get(paymentId);
    if (payment?.work?.txId !== txId) return { ok: undefined };
    // Two nudges for one piece of work share the token of the batch: only the first gets the document.
    byId.delete(paymentId);
    return { ok: withRoom(payment) };
  });
}

/**
 * Returns payments with a stored claim that no worker has claimed since. Enough of the lease must be left to send in, and to renew the
 * lease.
 */
async function takeStoredBatch(
  payments: Collection<Payment>,
  queue: WorkQueue,
  batch: readonly Claim[],
): Promise<Settled<Payment | undefined>[]> {
  const ids = [...new Set(batch.map(({ paymentId }) => paymentId))];
  const filter = {
    _id: among(ids),
    ...asInserted(storedClaimsOf(batch)),
    ...isKnownVersion('payments'),
    'work.queue': queue,
    $expr: { $gt: ['$work.leaseUntil', { $add: ['$$NOW', limits.storedClaimSendByMs] }] },
  };
  const ours = await payments.find(filter, { maxTimeMS: limits.mongoQueryMs }).toArray();
  return distribute(batch, ours);
}

/** Batched claims. `undefined`: there is nothing for this process to do. */
export interface Claims {
  /** Claims the payment for `limits.leaseMs` and returns it. */
  claim(claim: Claim): Promise<Payment | undefined>;
  /** Returns the payment of a first nudge, by the stored claim that the nudge carries: a read, no write. */
  takeStored(claim: Claim): Promise<Payment | undefined>;
}

/** Creates the claims of one queue. */
export function createClaims(
  payments: Collection<Payment>,
  queue: WorkQueue,
  now: () => Date,
  batched: boolean,
): Claims {
  const bounds = batchBounds(batched);
  return {
    claim: coalesce<Claim, Payment | undefined>((batch) => claimBatch(payments, queue, now, batch), bounds),
    takeStored: coalesce<Claim, Payment | undefined>((batch) => takeStoredBatch(payments, queue, batch), bounds),
  };
}
