/**
 * The two writes of a payment, batched: insert, and compare-and-set on `version`. Both prove a win by reading a token back
 * when an acknowledgement is lost or a batch matched fewer documents than it sent; a guarded write is never redone to find out.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import { coalesce, type Settled } from './coalesce.js';
import { type Collection, durable, isDuplicateKey } from './database.js';
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

/** What the driver says of one write of many is no `Error`: the log would not say what it was. */
const asError = (writeError: unknown): Error => {
  const { code, errmsg } = writeError as { readonly code?: number; readonly errmsg?: string };
  return Object.assign(new Error(`MongoDB refused a write: ${errmsg}`), { code });
};

/** Some were refused, and of the others it is not known whether a majority has them. */
const lacksMajority = (error: unknown): boolean =>
  (error as { result?: { getWriteConcernError?(): unknown } } | null)?.result?.getWriteConcernError?.() !== undefined;

/** Unordered insert of a batch: the index of a write error is exact, so an error reaches only its own caller. */
async function insertBatch(payments: Collection<Payment>, batch: readonly Payment[]): Promise<Settled<InsertResult>[]> {
  try {
    await payments.insertMany(batch as Payment[], { ordered: false, writeConcern: durable });
    return batch.map(() => ({ ok: 'inserted' }));
  } catch (error) {
    const failed = writeErrorsOf(error);
    if (!failed || lacksMajority(error)) return readBackInserts(payments, batch, error, failed);
    return batch.map((_payment, index) => {
      const writeError = failed.get(index);
      if (!writeError) return { ok: 'inserted' };
      return isDuplicateKey(writeError) ? { ok: 'duplicate' } : { error: asError(writeError) };
    });
  }
}

/** No answer, or no majority in time: unknown for all of them, so each is looked up by its own id. */
async function readBackInserts(
  payments: Collection<Payment>,
  batch: readonly Payment[],
  cause: unknown,
  failed: ReadonlyMap<number, unknown> = new Map(),
): Promise<Settled<InsertResult>[]> {
  const ids = batch.map((payment) => payment._id);
  const stored = await payments
    .find({ _id: { $in: ids } }, { projection: { _id: 1 }, maxTimeMS: limits.mongoQueryMs })
    .toArray();
  const found = new Set(stored.map((payment) => payment._id));
  return batch.map((payment, index) => {
    if (found.has(payment._id)) return { ok: 'inserted' };
    return isDuplicateKey(failed.get(index)) ? { ok: 'duplicate' } : { error: cause };
  });
}

const saved = ({ before, after }: Save): Payment => ({ ...after, version: before.version + 1 });

async function saveBatch(payments: Collection<Payment>, batch: readonly Save[]): Promise<Settled<SaveResult>[]> {
  const statements = toStatements(batch);
  const tokens = new Map(statements.flatMap(({ saves, token }) => saves.map((save) => [save, token] as const)));
  const failed = new Map<Save, unknown>();
  let cause: unknown;
  try {
    const operations = statements.map(({ operation }) => operation);
    const result = await payments.bulkWrite(operations, { ordered: false, writeConcern: durable });
    if (result.matchedCount === batch.length) return batch.map((save) => ({ ok: saved(save) }));
  } catch (error) {
    cause = error;
    for (const [index, writeError] of writeErrorsOf(error) ?? []) {
      for (const save of statements[index]?.saves ?? []) failed.set(save, writeError);
    }
  }
  const rest = await readBackSaves(payments, batch);
  return batch.map((save) => {
    const now = rest.get(save.before._id);
    // Looked at first: a statement for many that fails has written those before the one that made it fail.
    if (now?.writes.includes(tokens.get(save) ?? '')) return { ok: saved(save) };
    const writeError = failed.get(save);
    if (writeError) return isDuplicateKey(writeError) ? { ok: 'duplicate' } : { error: asError(writeError) };
    // Not written, and the version it was based on is unchanged: only an error of the write itself explains that.
    if (cause !== undefined && now?.version === save.before.version) return { error: cause };
    return { ok: 'conflict' };
  });
}

async function readBackSaves(payments: Collection<Payment>, batch: readonly Save[]) {
  const ids = batch.map(({ before }) => before._id);
  const found = await payments
    .find({ _id: { $in: ids } }, { projection: { version: 1, writes: 1 }, maxTimeMS: limits.mongoQueryMs })
    .toArray();
  return new Map(found.map((payment) => [payment._id, payment]));
}

export interface PaymentWrites {
  /** `duplicate`: the payment's reference, or its id, is there already. */
  insert(payment: Payment): Promise<InsertResult>;
  /**
   * Writes `after` where the stored version is still `before.version`; answers the payment as it is now stored.
   * `conflict`: another writer was first. `duplicate`: a reference of `after.refKeys` is used by another payment.
   * @throws {NewerDocumentError} when a newer release wrote the payment.
   */
  save(before: Payment, after: Payment): Promise<SaveResult>;
}

/** The batched writes; with `batched: false` each goes alone, by the same code. */
export function createPaymentWrites(payments: Collection<Payment>, batched: boolean): PaymentWrites {
  const bounds = batched
    ? { itemsMax: limits.batchItemsMax, inFlightMax: limits.batchesInFlightMax }
    : { itemsMax: 1, inFlightMax: Number.POSITIVE_INFINITY };
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
