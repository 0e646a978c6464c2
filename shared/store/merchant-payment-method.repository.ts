import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import type { MerchantPaymentMethod } from '../domain/merchant.js';
import type { ThreeDsSettings } from '../domain/threeds/settings.js';
import { alsoFromSecondary, type Database } from './database.js';
import { modelOn } from './model-on.js';
import { PAYMENT_METHODS, type PaymentMethodRow, paymentMethodSchema } from './payment-method.model.js';
import { createReadCache } from './read-cache.js';

export type PaymentMethodConfiguration = Omit<MerchantPaymentMethod, 'createdAt' | 'updatedAt' | 'threeDs'>;

export type PaymentMethodReplacement = Omit<PaymentMethodConfiguration, 'enabled'> & { readonly enabled?: boolean };

export interface MerchantPaymentMethodRepository {
  /** Finds the configuration of the merchant under this code, enabled or not. Up to `limits.merchantCacheMs` old. */
  findPaymentMethod(merchantId: number, code: string): Promise<MerchantPaymentMethod | undefined>;
  /** Reads the current configuration from the database, not from the cache. */
  readPaymentMethod(merchantId: number, code: string): Promise<MerchantPaymentMethod | undefined>;
  /** Oldest first. */
  findPaymentMethodsOf(merchantId: number): Promise<readonly MerchantPaymentMethod[]>;
  /** Finds those of several merchants, oldest first. */
  findPaymentMethodsOfEach(merchantIds: readonly number[]): Promise<readonly MerchantPaymentMethod[]>;
  /** @throws a duplicate-key error (`isDuplicateKey`) when it is configured already. */
  insertPaymentMethod(configuration: PaymentMethodConfiguration): Promise<MerchantPaymentMethod>;
  /** Replaces everything except `createdAt`, and `enabled` when it is not given. Undefined when the method is not configured. */
  replacePaymentMethod(configuration: PaymentMethodReplacement): Promise<MerchantPaymentMethod | undefined>;
  /** Creates the configuration or replaces everything except `createdAt`, and `enabled` when it is not given. A new one is then enabled. */
  savePaymentMethod(configuration: PaymentMethodReplacement): Promise<void>;
  /** False when there was none. */
  deletePaymentMethod(merchantId: number, code: string): Promise<boolean>;
  /**
   * Stores 3DS settings in the method, which is read with every payment anyway. They are deleted with the method.
   * @param expected `none`: only when there are none yet. `some`: only when there are some.
   * @returns undefined when the method is not configured, or `expected` does not hold.
   */
  saveThreeDs(
    merchantId: number,
    code: string,
    settings: ThreeDsSettings,
    expected: 'none' | 'some',
  ): Promise<MerchantPaymentMethod | undefined>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const keyOf = (merchantId: number, code: string) => `${merchantId}:${code}`;

function toPaymentMethod({ _id, code, ...rest }: PaymentMethodRow): MerchantPaymentMethod {
  return { id: code, ...rest };
}

export function createMerchantPaymentMethodRepository(
  database: Database,
  clock: Clock,
): MerchantPaymentMethodRepository {
  const Model = modelOn<PaymentMethodRow>(database.connection, 'PaymentMethod', paymentMethodSchema);
  const methods = database.collection<PaymentMethodRow>(PAYMENT_METHODS);
  const cache = createReadCache<string, MerchantPaymentMethod>({
    max: limits.merchantPaymentMethodsCached,
    ttlMs: limits.merchantCacheMs,
    clock,
    async load(key) {
      const row = await methods.findOne({ _id: key }, { ...bounded, ...alsoFromSecondary });
      return row ? toPaymentMethod(row) : undefined;
    },
  });

  return {
    findPaymentMethod: (merchantId, code) => cache.get(keyOf(merchantId, code)),
    readPaymentMethod: (merchantId, code) => {
      cache.forget(keyOf(merchantId, code));
      return cache.get(keyOf(merchantId, code));
    },
    async findPaymentMethodsOf(merchantId) {
      const rows = await methods.find({ merchantId }, bounded).sort({ createdAt: 1, _id: 1 }).toArray();
      return rows.map(toPaymentMethod);
    },
    async findPaymentMethodsOfEach(merchantIds) {
      const ofEach = { merchantId: { $in: [...merchantIds] } };
      const rows = await methods.find(ofEach, bounded).sort({ createdAt: 1, _id: 1 }).toArray();
      return rows.map(toPaymentMethod);
    },
    async insertPaymentMethod({ id, ...fields }) {
      const key = keyOf(fields.merchantId, id);
      const now = clock.now();
      const row: PaymentMethodRow = { _id: key, code: id, ...fields, createdAt: now, updatedAt: now };
      await Model.create(row);
      cache.forget(key);
      return toPaymentMethod(row);
    },
    async replacePaymentMethod({ id, ...fields }) {
      const key = keyOf(fields.merchantId, id);
      const row = await Model.findOneAndUpdate(
        { _id: key },
        { $set: { ...fields, updatedAt: clock.now() } },
        { returnDocument: 'after', runValidators: true, ...bounded },
      ).lean<PaymentMethodRow>();
      cache.forget(key);
      return row ? toPaymentMethod(row) : undefined;
    },
    async savePaymentMethod({ id, ...fields }) {
      const key = keyOf(fields.merchantId, id);
      const now = clock.now();
      await Model.updateOne(
        { _id: key },
        {
          $set: { ...fields, code: id, updatedAt: now },
          $setOnInsert: { createdAt: now, ...(fields.enabled === undefined && { enabled: true }) },
        },
        { upsert: true, runValidators: true, ...bounded },
      );
      cache.forget(key);
    },
    async saveThreeDs(merchantId, code, threeDs, expected) {
      const key = keyOf(merchantId, code);
      const row = await Model.findOneAndUpdate(
        { _id: key, threeDs: { $exists: expected === 'some' } },
        { $set: { threeDs } },
        { returnDocument: 'after', runValidators: true, ...bounded },
      ).lean<PaymentMethodRow>();
      cache.forget(key);
      return row ? toPaymentMethod(row) : undefined;
    },
    async deletePaymentMethod(merchantId, code) {
      const key = keyOf(merchantId, code);
      const { deletedCount } = await methods.deleteOne({ _id: key }, bounded);
      cache.forget(key);
      return deletedCount === 1;
    },
  };
}

/** Returns the codes of processors that merchants are configured for, in any of their routes. */
export async function findProcessorsInUse(database: Database): Promise<readonly string[]> {
  const methods = database.collection<PaymentMethodRow>(PAYMENT_METHODS);
  const fields = ['settings.paymentProcessor.id', 'settings.routes.paymentProcessor.id'] as const;
  const found = await Promise.all(
    fields.map((field) => methods.distinct(field, {}, { maxTimeMS: limits.mongoQueryMs })),
  );
  return [...new Set(found.flat())].sort();
}
