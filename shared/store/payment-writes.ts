/**
 * The two writes of a payment, batched: insert, and compare-and-set on `version`. When an acknowledgement is lost, or a batch matched
 * fewer documents than it sent, the result is read back: an insert by its id, a save by its token. A guarded write is never repeated to
 * find out.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { batchBounds, coalesce, type Settled } from './coalesce.js';
import { type Collection, durable, isDuplicateKey } from './database.js';
import { isRefused, isUnavailable } from './database-errors.js';
import { type Span, startSpan } from './deadlines.js';
import { type Save, toStatements } from './save-statements.js';
import { refuseNewer } from './schema-version.js';

export type InsertResult = 'inserted' | 'duplicate';
export type SaveResult = Payment | 'conflict' | 'duplicate';

interface BulkError {
  readonly writeErrors?: readonly { readonly index: number; readonly code?: number }[];
}

const writeErrorsOf = (error: unknown): Map<number, unknown> | undefined => {
  const errors = (error as BulkError | null)?.writeErrors;
  if (!errors || errors.length === 0) return undefined;
  return new Map([errors].flat().map((writeError) => [writeError.index, writeError]));
};

/** Makes an `Error` of a write error in a batch, which is none: the log would not say what it was. */
const asError = (writeError: unknown): Error => {
  const { code, errmsg } = writeError as { readonly code?: number; readonly errmsg?: string };
  return Object.assign(new Error(`MongoDB refused a write: ${errmsg}`), { code });
};

/** Whether it is not known if a majority has the writes that were not refused. */
const lacksMajority = (error: unknown): boolean =>
  (error as { result?: { getWriteConcernError?(): unknown } } | null)?.result?.getWriteConcernError?.() !== undefined;

/** Unordered insert of a batch: the index of a write error is exact, so an error reaches only its own caller. */
async function insertBatch(payments: Collection<Payment>, batch: readonly Payment[]): Promise<Settled<InsertResult>[]> {
  const span = startSpan(payments);
  try {
    await payments.insertMany(batch as Payment[], { ordered: false, writeConcern: durable, ...span.options });
    return batch.map(() => ({ ok: 'inserted' }));
  } catch (error) {
    const failed = writeErrorsOf(error);
    if (!failed || lacksMajority(error)) return readBackInserts({ payments, span }, batch, error, failed);
    return batch.map((_payment, index) => {
      const writeError = failed.get(index);
      return writeError ? refusedBy(writeError) : { ok: 'inserted' };
    });
  }
}

/** Looks each payment up by its id: without an answer, or without a majority in time, the result is unknown for all of them. */
async function readBackInserts(
  { payments, span }: { readonly payments: Collection<Payment>; readonly span: Span },
  batch: readonly Payment[],
  cause: unknown,
  failed: ReadonlyMap<number, unknown> | undefined,
): Promise<Settled<InsertResult>[]> {
  const ids = batch.map((payment) => payment._id);
  const stored = await span.lookUp((options) =>
    payments
      .find({ _id: { $in: ids } }, { projection: { _id: 1 }, maxTimeMS: limits.mongoQueryMs, ...options })
      .toArray(),
  );
  const found = new Set(stored.map((payment) => payment._id));
  return batch.map((payment, index) => {
    if (found.has(payment._id)) return { ok: 'inserted' };
    return isDuplicateKey(failed?.get(index)) ? { ok: 'duplicate' } : { error: cause };
  });
}

const refusedBy = (writeError: unknown): Settled<'duplicate'> =>
  isDuplicateKey(writeError) ? { ok: 'duplicate' } : { error: asError(writeError) };

const saved = ({ before, after }: Save): Payment => ({ ...after, version: before.version + 1 });

/** Result of one try of a batch of saves; with `cause` it is not known what was written. */
interface Tried {
  readonly all: boolean;
  readonly cause?: unknown;
  /** Statements that were refused. */
  readonly failed: ReadonlyMap<number, unknown>;
}

async function trySaves(
  payments: Collection<Payment>,
  operations: Parameters<Collection<Payment>['bulkWrite']>[0],
  count: number,
  { options }: Span,
): Promise<Tried> {
  try {
    const result = await payments.bulkWrite(operations, { ordered: false, writeConcern: durable, ...options });
    return { all: result.matchedCount === count, failed: new Map() };
  } catch (cause) {
    return { all: false, cause, failed: writeErrorsOf(cause) ?? new Map() };
  }
}

/**
 * Saves a batch. When MongoDB refuses a statement for many, or the driver cannot send the batch because it is too large, each save that
 * is not written goes alone, so that it fails only for itself.
 */
async function saveBatch(payments: Collection<Payment>, batch: readonly Save[]): Promise<Settled<SaveResult>[]> {
  const span = startSpan(payments);
  const statements = toStatements(batch);
  const operations = statements.map(({ operation }) => operation);
  let tried = await trySaves(payments, operations, batch.length, span);
  if (tried.all) return batch.map((save) => ({ ok: saved(save) }));
  let rest = await readBackSaves(payments, batch, span);
  const isUnchanged = ({ before }: Save) => rest.get(before._id)?.version === before.version;
  // The primary was lost, and the next one has nothing of the batch: the driver does not retry statements for many documents. The first
  // try may still be written, but it has the same tokens and the same version before it, so that only one of the two is written.
  if (isUnavailable(tried.cause) && batch.some(isUnchanged) && !span.over) {
    tried = await trySaves(payments, operations, batch.length, span);
    rest = await readBackSaves(payments, batch, span);
  }
  const cause = tried.cause;
  const mayDivide = batch.length > 1 && isRefused(cause) && !lacksMajority(cause) && !span.over;
  const statementOf = new Map(
    statements.flatMap(({ saves, token }, index) =>
      saves.map((save) => [save, { token, isAlone: saves.length === 1, writeError: tried.failed.get(index) }] as const),
    ),
  );
  return Promise.all(
    batch.map(async (save): Promise<Settled<SaveResult>> => {
      const { token = '', isAlone = true, writeError } = statementOf.get(save) ?? {};
      // Checked first: a statement for many that fails has written those before the failing one.
      if (rest.get(save.before._id)?.writes.includes(token)) return { ok: saved(save) };
      // Another save may be the reason: it is not written, and everything that was sent with it has to be.
      const isSole = isAlone && writeError !== undefined;
      if (mayDivide && !isSole && isUnchanged(save)) return saveAlone(payments, save);
      if (writeError && (isAlone || isUnchanged(save))) return refusedBy(writeError);
      // Not written although the version it was based on is unchanged: only an error of the write itself explains that.
      return cause !== undefined && isUnchanged(save) ? { error: cause } : { ok: 'conflict' };
    }),
  );
}

async function saveAlone(payments: Collection<Payment>, save: Save): Promise<Settled<SaveResult>> {
  try {
    const [result] = await saveBatch(payments, [save]);
    return result ?? { error: new Error('a save had no result') };
  } catch (error) {
    return { error };
  }
}

async function readBackSaves(payments: Collection<Payment>, batch: readonly Save[], span: Span) {
  const ids = batch.map(({ before }) => before._id);
  const found = await span.lookUp((options) =>
    payments
      .find(
        { _id: { $in: ids } },
        { projection: { version: 1, writes: 1 }, maxTimeMS: limits.mongoQueryMs, ...options },
      )
      .toArray(),
  );
  return new Map(found.map((payment) => [payment._id, payment]));
}

export interface PaymentWrites {
  /** Stores a payment. `duplicate`: the payment's reference, or its id, exists already. */
  insert(payment: Payment): Promise<InsertResult>;
  /**
   * Writes `after` if the stored version is still `before.version`; returns the payment as it is now stored. `conflict`: another writer
   * was first. `duplicate`: a reference of `after.refKeys` is used by another payment.
   * @throws {NewerDocumentError} when a newer release wrote the payment.
   */
  save(before: Payment, after: Payment): Promise<SaveResult>;
}

/** Creates the writes of payments ({@link batchBounds}). */
export function createPaymentWrites(payments: Collection<Payment>, batched: boolean): PaymentWrites {
  const bounds = batchBounds(batched);
  const insert = coalesce<Payment, InsertResult>((batch) => insertBatch(payments, batch), bounds);
  const save = coalesce<Save, SaveResult>((batch) => saveBatch(payments, batch), bounds);
  return {
    insert,
    async save(before, after) {
      refuseNewer('payments', before);
      return save({ before, after });
    },
  };
}
