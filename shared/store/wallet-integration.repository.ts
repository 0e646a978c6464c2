import { limits } from '../../config/limits.js';
import type {
  WalletAProfile,
  WalletCertificate,
  WalletIntegration,
  WalletMode,
  WalletType,
} from '../domain/wallet/integration.js';
import { type Database, durable } from './database.js';
import { WALLET_INTEGRATIONS, type WalletIntegrationRow } from './wallet-integration.model.js';

export interface WalletIntegrationRepository {
  find(merchantId: number, walletType: WalletType): Promise<WalletIntegration | undefined>;
  /** Enables with this mode, and replaces the profile when one is given; certificates stay. */
  enable(
    key: { readonly merchantId: number; readonly walletType: WalletType },
    change: { readonly mode: WalletMode; readonly profile?: WalletAProfile },
    now: Date,
  ): Promise<WalletIntegration>;
  /** Enables wallet-a with its stored mode and profile, in which only the terms change. Undefined when there is no profile. */
  enableAgain(
    merchantId: number,
    accepted: Pick<WalletAProfile, 'tosAcceptedAt' | 'tosVersion'>,
    now: Date,
  ): Promise<WalletIntegration | undefined>;
  /** Disables the integration and keeps its configuration. Undefined when it was not enabled: nothing changed. */
  disable(merchantId: number, walletType: WalletType, now: Date): Promise<WalletIntegration | undefined>;
  /**
   * Adds a certificate before the earlier ones, of which the newest are kept (`limits.walletCertificatesKept`).
   * @returns undefined when the integration is not enabled, or has a certificate of this key already.
   */
  addCertificate(merchantId: number, certificate: WalletCertificate): Promise<WalletIntegration | undefined>;
  /**
   * Finds enabled integrations whose newest certificate ends before `endsBefore`, and of which the operator was not warned since
   * `warnedBefore`.
   */
  findEnding(endsBefore: Date, warnedBefore: Date): Promise<readonly WalletIntegration[]>;
  /** Records the warning. True for one of several callers, which then warns the operator. */
  markWarned(merchantId: number, warnedBefore: Date, now: Date): Promise<boolean>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const keyOf = (merchantId: number, walletType: WalletType) => `${merchantId}:${walletType}`;
const after = { returnDocument: 'after', writeConcern: durable } as const;

function toIntegration({ _id, certificateEndsAt, ...integration }: WalletIntegrationRow): WalletIntegration {
  return integration;
}

/** Condition: the operator was not warned yet, or long enough ago. */
const notWarned = (warnedBefore: Date) => ({
  $or: [{ warnedAt: { $exists: false } }, { warnedAt: { $lt: warnedBefore } }],
});

export function createWalletIntegrationRepository(database: Database): WalletIntegrationRepository {
  const rows = database.collection<WalletIntegrationRow>(WALLET_INTEGRATIONS);
  const orNone = (row: WalletIntegrationRow | null) => (row ? toIntegration(row) : undefined);

  return {
    find: async (merchantId, walletType) => orNone(await rows.findOne({ _id: keyOf(merchantId, walletType) }, bounded)),

    async enable({ merchantId, walletType }, { mode, profile }, now) {
      const row = await rows.findOneAndUpdate(
        { _id: keyOf(merchantId, walletType) },
        {
          $set: { enabled: true, mode, lastUpdatedAt: now, ...(profile && { profile }) },
          $setOnInsert: { merchantId, walletType, configuredAt: now },
        },
        { ...after, upsert: true },
      );
      if (!row) throw new Error(`the ${walletType} integration of ${merchantId} was not written`);
      return toIntegration(row);
    },

    // Writes no part of the profile that another request may be replacing.
    enableAgain: async (merchantId, { tosAcceptedAt, tosVersion }, now) =>
      orNone(
        await rows.findOneAndUpdate(
          { _id: keyOf(merchantId, 'wallet-a-pay'), profile: { $exists: true } },
          {
            $set: {
              enabled: true,
              lastUpdatedAt: now,
              'profile.tosAcceptedAt': tosAcceptedAt,
              'profile.tosVersion': tosVersion,
            },
          },
          after,
        ),
      ),

    disable: async (merchantId, walletType, now) =>
      orNone(
        await rows.findOneAndUpdate(
          { _id: keyOf(merchantId, walletType), enabled: true },
          { $set: { enabled: false, lastUpdatedAt: now } },
          after,
        ),
      ),

    addCertificate: async (merchantId, certificate) =>
      orNone(
        await rows.findOneAndUpdate(
          {
            _id: keyOf(merchantId, 'wallet-b-pay'),
            enabled: true,
            'certificates.publicKeyHash': { $ne: certificate.publicKeyHash },
          },
          {
            $push: { certificates: { $each: [certificate], $position: 0, $slice: limits.walletCertificatesKept } },
            $set: { certificateEndsAt: certificate.expiresAt, lastUpdatedAt: certificate.uploadedAt },
            $unset: { warnedAt: '' },
          },
          after,
        ),
      ),

    async findEnding(endsBefore, warnedBefore) {
      const due = { enabled: true, certificateEndsAt: { $lt: endsBefore }, ...notWarned(warnedBefore) };
      return (await rows.find(due, bounded).limit(limits.sweepPageMax).toArray()).map(toIntegration);
    },

    async markWarned(merchantId, warnedBefore, now) {
      const key = { _id: keyOf(merchantId, 'wallet-b-pay'), ...notWarned(warnedBefore) };
      const { modifiedCount } = await rows.updateOne(key, { $set: { warnedAt: now } }, { writeConcern: durable });
      return modifiedCount === 1;
    },
  };
}
