import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import type { Merchant, MerchantStatus, PageContact } from '../domain/merchant.js';
import { alsoFromSecondary, type Change, type Database, isDuplicateKey, type Where } from './database.js';
import { COUNTERS, type CounterRow, MERCHANTS, type MerchantRow, merchantSchema } from './merchant.model.js';
import { modelOn } from './model-on.js';
import { createReadCache } from './read-cache.js';

/** Fields of a new merchant; without an id it gets the next free number. */
export type NewMerchant = Omit<Merchant, 'id' | 'status' | 'createdAt' | 'updatedAt'> & { readonly id?: number };

export interface MerchantFilter {
  readonly clientId: string;
  /** Ids of the merchants that may be seen. */
  readonly merchants: 'all' | readonly number[];
  /** Part of the name, whatever the case. */
  readonly name?: string;
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

export type MerchantLogoReference = Required<Pick<Merchant, 'logoUrl' | 'logoContentType' | 'logoUploadedAt'>>;

export interface MerchantRepository {
  /** Up to `limits.merchantCacheMs` old. */
  findMerchant(id: number): Promise<Merchant | undefined>;
  /** Read from the database, not from the cache. */
  readMerchant(id: number): Promise<Merchant | undefined>;
  /** Returns a page of the merchants that match, newest first, and how many match. */
  pageMerchants(filter: MerchantFilter): Promise<{ items: readonly Merchant[]; total: number }>;
  /** Oldest first. */
  findMerchantsOf(clientId: string): Promise<readonly Merchant[]>;
  /** Finds the next merchants after `id` by number, of one client or of all. For an operator's command. */
  findMerchantsAfter(id: number, count: number, clientId?: string): Promise<readonly Merchant[]>;
  /** @throws a duplicate-key error (`isDuplicateKey`) when the given id is taken. */
  insertMerchant(merchant: NewMerchant): Promise<Merchant>;
  /** False when there is no such merchant. */
  setStatus(id: number, status: MerchantStatus): Promise<boolean>;
  /** Replaces all of them; false when there is no such merchant. */
  setEmbedOrigins(id: number, origins: readonly string[]): Promise<boolean>;
  /** @param color undefined: the merchant's pages have the gateway's color again. @returns false when there is no such merchant. */
  setPageColor(id: number, color: string | undefined): Promise<boolean>;
  /** @param contact undefined: the pages show no contact again. @returns false when there is no such merchant. */
  setPageContact(id: number, contact: PageContact | undefined): Promise<boolean>;
  /** Sets the logo, unless a logo that was uploaded later is set already. */
  setLogo(id: number, logo: MerchantLogoReference): Promise<void>;
}

/** Lower numbers are never assigned: they may be chosen (the sandbox does). */
const FIRST_NUMBER = 10_001;

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

/**
 * Returns a pattern that finds exactly this text. Every character that is not a letter, digit or space is escaped, so that a caller
 * writes text and never an expression (docs/security.md#no-operators, docs/security.md#no-patterns-from-input).
 */
const literally = (text: string) => text.replace(/[^\p{L}\p{N} ]/gu, '\\$&');

function toQuery({ clientId, merchants, name }: MerchantFilter): Where<MerchantRow> {
  return {
    clientId,
    ...(merchants !== 'all' && { _id: { $in: [...merchants] } }),
    ...(name !== undefined && { name: { $regex: literally(name), $options: 'i' } }),
  };
}

function toMerchant({ _id, ...rest }: MerchantRow): Merchant {
  return { id: _id, ...rest };
}

export function createMerchantRepository(database: Database, clock: Clock): MerchantRepository {
  const Model = modelOn<MerchantRow>(database.connection, 'Merchant', merchantSchema);
  const merchants = database.collection<MerchantRow>(MERCHANTS);
  const counters = database.collection<CounterRow>(COUNTERS);
  const cache = createReadCache<number, Merchant>({
    max: limits.merchantsCached,
    ttlMs: limits.merchantCacheMs,
    clock,
    async load(id) {
      const row = await merchants.findOne({ _id: id }, { ...bounded, ...alsoFromSecondary });
      return row ? toMerchant(row) : undefined;
    },
  });

  async function nextNumber(): Promise<number> {
    const counter = await counters.findOneAndUpdate(
      { _id: MERCHANTS },
      [{ $set: { last: { $add: [{ $ifNull: ['$last', FIRST_NUMBER - 1] }, 1] } } }],
      { upsert: true, returnDocument: 'after', ...bounded },
    );
    if (!counter) throw new Error('The counter of merchants gave no number');
    return counter.last;
  }

  async function insertAs(id: number, { id: _chosen, ...fields }: NewMerchant): Promise<Merchant> {
    const now = clock.now();
    const row: MerchantRow = { _id: id, ...fields, status: 'active', createdAt: now, updatedAt: now };
    await Model.create(row);
    cache.forget(id);
    return toMerchant(row);
  }

  /** @returns false when there is no such merchant. */
  async function change(id: number, update: Change<MerchantRow>): Promise<boolean> {
    const { matchedCount } = await merchants.updateOne({ _id: id }, update, bounded);
    cache.forget(id);
    return matchedCount === 1;
  }

  return {
    findMerchant: (id) => cache.get(id),
    readMerchant: (id) => {
      cache.forget(id);
      return cache.get(id);
    },
    async pageMerchants(filter) {
      const query = toQuery(filter);
      const [rows, total] = await Promise.all([
        merchants
          .find(query, bounded)
          .sort({ createdAt: -1, _id: -1 })
          .skip((filter.page - 1) * filter.size)
          .limit(filter.size)
          .toArray(),
        merchants.countDocuments(query, bounded),
      ]);
      return { items: rows.map(toMerchant), total };
    },
    async findMerchantsOf(clientId) {
      const rows = await merchants.find({ clientId }, bounded).sort({ _id: 1 }).toArray();
      return rows.map(toMerchant);
    },
    async findMerchantsAfter(id, count, clientId) {
      const rows = await merchants
        .find({ _id: { $gt: id }, ...(clientId !== undefined && { clientId }) }, bounded)
        .sort({ _id: 1 })
        .limit(count)
        .toArray();
      return rows.map(toMerchant);
    },
    async insertMerchant(merchant) {
      if (merchant.id !== undefined) return insertAs(merchant.id, merchant);
      for (let tries = 1; ; tries++) {
        try {
          return await insertAs(await nextNumber(), merchant);
        } catch (error) {
          // The number was chosen by hand before: the next number is tried.
          if (!isDuplicateKey(error) || tries === limits.merchantNumberTriesMax) throw error;
        }
      }
    },
    async setLogo(id, logo) {
      await merchants.updateOne(
        // Of several uploads at the same time, the one that is kept longest wins: old logos are removed in this order too.
        {
          _id: id,
          $or: [
            { logoUploadedAt: { $not: { $gte: logo.logoUploadedAt } } },
            { logoUploadedAt: logo.logoUploadedAt, logoUrl: { $lt: logo.logoUrl } },
          ],
        },
        { $set: { ...logo, updatedAt: clock.now() } },
        bounded,
      );
      cache.forget(id);
    },
    setStatus: (id, status) => change(id, { $set: { status, updatedAt: clock.now() } }),
    setEmbedOrigins: (id, origins) => change(id, { $set: { embedOrigins: [...origins], updatedAt: clock.now() } }),
    setPageColor(id, pageColor) {
      const updatedAt = clock.now();
      if (pageColor === undefined) return change(id, { $set: { updatedAt }, $unset: { pageColor: 1 } });
      return change(id, { $set: { updatedAt, pageColor } });
    },
    setPageContact(id, pageContact) {
      const updatedAt = clock.now();
      if (pageContact === undefined) return change(id, { $set: { updatedAt }, $unset: { pageContact: 1 } });
      return change(id, { $set: { updatedAt, pageContact } });
    },
  };
}
