/**
 * Every place of an envelope that is kept as long as its record: cards, private keys of wallets, and credentials at processors. Envelopes
 * under `cvc` keys are not among them: they and their keys are gone after a day.
 */
import { limits } from '../../config/limits.js';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import type { Envelope, Payment } from '../domain/payment/payment.js';
import { certificateRecordId } from '../domain/wallet/integration.js';
import { type Database, type Document, durable } from './database.js';
import { MERCHANTS, type MerchantRow } from './merchant.model.js';
import { PAYMENT_INSTRUMENTS } from './payment-instrument.model.js';
import {
  credentialsBinding,
  PROCESSOR_CREDENTIALS,
  type ProcessorCredentialsRow,
} from './processor-credentials.repository.js';
import { WALLET_INTEGRATIONS, type WalletIntegrationRow } from './wallet-integration.model.js';

/** An envelope in its place, and what it is bound to. */
export interface SealedRecord {
  readonly envelope: Envelope;
  readonly binding: {
    readonly recordId: string;
    readonly field: string;
    readonly clientId: string;
    readonly owner?: { readonly merchantId: number; readonly customerId?: string | undefined };
  };
  /** Id of the document. */
  readonly id: string;
}

export interface SealedPlace {
  readonly kind: 'card' | 'wallet';
  readonly collection: string;
  /** Path of the envelopes in their documents. */
  readonly path: string;
}

export const sealedPlaces = [
  { kind: 'card', collection: 'payments', path: 'card' },
  { kind: 'card', collection: PAYMENT_INSTRUMENTS, path: 'card' },
  { kind: 'wallet', collection: WALLET_INTEGRATIONS, path: 'certificates.privateKey' },
  { kind: 'wallet', collection: PROCESSOR_CREDENTIALS, path: 'sealed' },
] as const satisfies readonly SealedPlace[];

export interface SealedRecordRepository {
  /** Reads all records of a place in the order of their ids, at most `limits.reencryptBatch` documents at once. */
  batches(place: SealedPlace): AsyncIterable<readonly SealedRecord[]>;
  /**
   * Replaces each envelope that was read by its new one. If the stored envelope is no longer the same (the card was destroyed, or sealed
   * by another writer), nothing is changed. Returns how many were replaced.
   */
  replace(place: SealedPlace, changes: readonly { before: SealedRecord; envelope: Envelope }[]): Promise<number>;
  /** Returns the ids of the data keys that envelopes of any place need. */
  dataKeyIds(): Promise<ReadonlySet<string>>;
}

type CardRow = Pick<Payment | PaymentInstrument, '_id' | 'clientId' | 'merchantId' | 'customerId' | 'card'>;

function ofCard({ _id, clientId, merchantId, customerId, card }: CardRow): SealedRecord[] {
  const binding = { recordId: _id, field: 'card', clientId, owner: { merchantId, customerId } };
  return card ? [{ envelope: card, binding, id: _id }] : [];
}

export function createSealedRecordRepository(database: Database): SealedRecordRepository {
  const merchants = database.collection<MerchantRow>(MERCHANTS);

  async function ofIntegrations(rows: readonly WalletIntegrationRow[]): Promise<SealedRecord[]> {
    const ids = rows.map(({ merchantId }) => merchantId);
    const owners = await merchants.find({ _id: { $in: ids } }, { projection: { clientId: 1 } }).toArray();
    const clientOf = new Map(owners.map(({ _id, clientId }) => [_id, clientId]));
    return rows.flatMap(({ _id, merchantId, certificates = [] }) =>
      certificates.map(({ publicKeyHash, privateKey }) => ({
        envelope: privateKey,
        binding: {
          recordId: certificateRecordId(merchantId, publicKeyHash),
          field: 'privateKey',
          clientId: clientOf.get(merchantId) ?? '',
        },
        id: _id,
      })),
    );
  }

  const ofCredentials = (row: ProcessorCredentialsRow): SealedRecord => ({
    envelope: row.sealed,
    binding: credentialsBinding(row),
    id: row._id,
  });

  async function recordsOf({ kind, collection }: SealedPlace, rows: readonly Document[]): Promise<SealedRecord[]> {
    if (kind === 'card') return (rows as CardRow[]).flatMap(ofCard);
    if (collection === PROCESSOR_CREDENTIALS) return (rows as ProcessorCredentialsRow[]).map(ofCredentials);
    return ofIntegrations(rows as WalletIntegrationRow[]);
  }

  return {
    async *batches(place) {
      const [top = ''] = place.path.split('.');
      const projection = { clientId: 1, merchantId: 1, customerId: 1, [top]: 1 };
      const cursor = database
        .collection<Document>(place.collection)
        .find({ [`${place.path}.kid`]: { $exists: true } }, { projection, batchSize: limits.reencryptBatch })
        .sort({ _id: 1 });
      let rows: Document[] = [];
      for await (const row of cursor) {
        rows.push(row);
        if (rows.length < limits.reencryptBatch) continue;
        yield await recordsOf(place, rows);
        rows = [];
      }
      if (rows.length > 0) yield await recordsOf(place, rows);
    },

    async replace({ collection, path }, changes) {
      if (changes.length === 0) return 0;
      // No two envelopes have the same IV, so it identifies the envelope. The version of a payment stays as it is: its meaning does not
      // change, and no writer stores an envelope that it read.
      const [top = '', inItem] = path.split('.');
      const target = inItem === undefined ? top : `${top}.$.${inItem}`;
      const updates = changes.map(({ before, envelope }) => {
        const at = inItem ?? top;
        const same = { [`${at}.kid`]: before.envelope.kid, [`${at}.iv`]: before.envelope.iv };
        // Both have to match in one item: otherwise the first item with the same key might be written.
        const there = inItem === undefined ? same : { [top]: { $elemMatch: same } };
        return { updateOne: { filter: { _id: before.id, ...there }, update: { $set: { [target]: envelope } } } };
      });
      const rows = database.collection<Document>(collection);
      const written = await rows.bulkWrite(updates, {
        ordered: false,
        writeConcern: durable,
      });
      return written.matchedCount;
    },

    async dataKeyIds() {
      const found = await Promise.all(
        sealedPlaces.map(({ collection, path }) => database.collection(collection).distinct(`${path}.kid`)),
      );
      return new Set(found.flat().map(String));
    },
  };
}
