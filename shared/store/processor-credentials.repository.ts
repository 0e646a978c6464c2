/** A merchant's credentials at a processor: one row per merchant and processor, with all values in one envelope. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import type { Envelope } from '../domain/payment/payment.js';
import { type Database, durable } from './database.js';

export const PROCESSOR_CREDENTIALS = 'processor_credentials';

export interface ProcessorCredentialsRow {
  /** `<merchantId>:<processor>` */
  readonly _id: string;
  readonly clientId: string;
  readonly merchantId: number;
  /** Code of the adapter. */
  readonly processor: string;
  /** Names of the values; the values are in the envelope only. */
  readonly names: readonly string[];
  readonly sealed: Envelope;
  readonly updatedAt: Date;
}

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;

export const processorCredentialsSchema = new Schema<ProcessorCredentialsRow>(
  {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    merchantId: { type: Number, required: true },
    processor: { type: String, required: true },
    names: { type: [String], required: true },
    sealed: new Schema(
      { v: Number, alg: String, kid: String, iv: Schema.Types.Buffer, ct: Schema.Types.Buffer },
      plain,
    ),
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: PROCESSOR_CREDENTIALS, autoIndex: false, autoCreate: false },
);

export const credentialsId = (merchantId: number, processor: string) => `${merchantId}:${processor}`;

/** Returns the binding for which alone the envelope opens. */
export const credentialsBinding = ({
  _id: recordId,
  clientId,
  merchantId,
}: Pick<ProcessorCredentialsRow, '_id' | 'clientId' | 'merchantId'>) => ({
  recordId,
  field: 'sealed',
  clientId,
  owner: { merchantId },
});

export interface ProcessorCredentialsRepository {
  find(merchantId: number, processor: string): Promise<ProcessorCredentialsRow | undefined>;
  list(merchantId: number): Promise<readonly Omit<ProcessorCredentialsRow, 'sealed'>[]>;
  /** Lists those of several merchants at these processors, in any order. */
  listOfEach(
    merchantIds: readonly number[],
    processors: readonly string[],
  ): Promise<readonly Omit<ProcessorCredentialsRow, 'sealed'>[]>;
  /** Replaces the stored credentials. */
  save(row: ProcessorCredentialsRow): Promise<void>;
  /** False when there were none. */
  remove(merchantId: number, processor: string): Promise<boolean>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

export function createProcessorCredentialsRepository(database: Database): ProcessorCredentialsRepository {
  const rows = database.collection<ProcessorCredentialsRow>(PROCESSOR_CREDENTIALS);
  return {
    find: async (merchantId, processor) =>
      (await rows.findOne({ _id: credentialsId(merchantId, processor) }, bounded)) ?? undefined,
    list: (merchantId) =>
      rows
        .find({ _id: { $gte: `${merchantId}:`, $lt: `${merchantId};` } }, { ...bounded, projection: { sealed: 0 } })
        .sort({ _id: 1 })
        .toArray(),
    listOfEach(merchantIds, processors) {
      const ids = merchantIds.flatMap((id) => processors.map((processor) => credentialsId(id, processor)));
      return rows.find({ _id: { $in: ids } }, { ...bounded, projection: { sealed: 0 } }).toArray();
    },
    async save({ _id, ...row }) {
      await rows.replaceOne({ _id }, row, { upsert: true, writeConcern: durable });
    },
    async remove(merchantId, processor) {
      const { deletedCount } = await rows.deleteOne(
        { _id: credentialsId(merchantId, processor) },
        { writeConcern: durable },
      );
      return deletedCount === 1;
    },
  };
}
