/**
 * The vault: seals what must never be readable in a database. Each record has its own random IV, and its envelope opens only for the same
 * record, field and client (docs/security.md#sealing). AES-256-GCM of node:crypto.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Envelope } from '../domain/payment/payment.js';
import { randomBytesOf } from '../random.js';
import { cardFingerprint } from './card-fingerprint.js';
import type { DataKeys, SealedKind } from './data-keys.js';
import { VaultError } from './vault-error.js';

/** What an envelope belongs to. It is authenticated, but not stored in the envelope. */
export interface SealBinding {
  readonly recordId: string;
  readonly field: string;
  readonly clientId: string;
  /** Owner of the card. An envelope that is moved to another merchant or customer does not open (docs/security.md#owner-of-an-envelope). */
  readonly owner?: { readonly merchantId: number; readonly customerId?: string | undefined };
}

export interface Vault {
  /**
   * Seals `plaintext` (text is taken as UTF-8).
   * @throws {VaultError} when the key of this hour is not in memory: `keys-unavailable` when MongoDB does not answer, `master-key-missing`
   * when the key does not open or no master key is held by all processes.
   */
  seal(kind: SealedKind, plaintext: Uint8Array | string, binding: SealBinding): Promise<Envelope>;
  /**
   * Opens an envelope as it was sealed or as MongoDB's driver gives it back.
   * @throws {VaultError} naming the record, never data.
   */
  open(envelope: Envelope, binding: SealBinding): Promise<Buffer>;
  /**
   * Returns the fingerprints by which declines of a card are counted: one under the key of each day, that of today first. The key of a
   * day is destroyed after `limits.velocityKeyDestroyMs`; from then on its fingerprints can no longer be linked to cards.
   */
  fingerprintsOf(number: string): Promise<readonly [string, ...string[]]>;
  /** Destroys data keys that are due (of cvc envelopes and of daily fingerprints); returns how many. */
  destroyExpiredKeys(now: Date): Promise<number>;
  /**
   * Wraps all data keys with the newest master key, which every process has to hold. Records are not touched. `left`: why some keys do
   * not open and were left as they are.
   */
  rewrapKeys(): Promise<{ readonly rewrapped: number; readonly left: readonly string[] }>;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Returns what an envelope authenticates. A JSON array keeps its members apart: no two bindings have the same text. Version 1 (earlier
 * releases, and records without an owner) names no owner.
 */
function additionalData({ recordId, field, clientId, owner }: SealBinding, version: Envelope['v']): Buffer {
  const whose = version === 2 ? [owner?.merchantId ?? null, owner?.customerId ?? null] : [];
  return Buffer.from(JSON.stringify([recordId, field, clientId, ...whose]), 'utf8');
}

/** Returns the bytes of a stored value, which the driver gives back as an object around the bytes. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const { buffer, position } = (value ?? {}) as { buffer?: unknown; position?: unknown };
  return buffer instanceof Uint8Array && typeof position === 'number' ? buffer.subarray(0, position) : undefined;
}

/** The place of the envelope, for error messages: ids only. */
const placeOf = ({ recordId, field }: SealBinding) => `${field} of ${recordId}`;

function invalid(binding: SealBinding, cause?: unknown): VaultError {
  return new VaultError(
    'envelope-invalid',
    `The sealed ${placeOf(binding)} does not open: it was changed or belongs elsewhere`,
    {
      cause,
    },
  );
}

export function createVault({ dataKeys, clock }: { dataKeys: DataKeys; clock: Clock }): Vault {
  /** Finds the key of an envelope. The error names the record that does not open. */
  async function keyFor(envelope: Envelope, binding: SealBinding) {
    try {
      return await dataKeys.find(String(envelope.kid), clock.now());
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      throw new VaultError(error.code, `The sealed ${placeOf(binding)} does not open: ${error.message}`, {
        cause: error,
      });
    }
  }

  return {
    async seal(kind, plaintext, binding) {
      const key = await dataKeys.current(kind, clock.now());
      const iv = randomBytesOf(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key.key, iv, { authTagLength: TAG_BYTES });
      const v = binding.owner ? 2 : 1;
      cipher.setAAD(additionalData(binding, v));
      const sealed = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
      const ct = Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]);
      return { v, alg: 'A256GCM', kid: key.id, iv, ct };
    },

    async open(envelope, binding) {
      const iv = bytesOf(envelope.iv);
      const ct = bytesOf(envelope.ct);
      const wellFormed =
        (envelope.v === 1 || envelope.v === 2) && envelope.alg === 'A256GCM' && iv?.length === IV_BYTES;
      if (!wellFormed || !ct || ct.length < TAG_BYTES) throw invalid(binding);
      const { key } = await keyFor(envelope, binding);
      try {
        const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
        decipher.setAAD(additionalData(binding, envelope.v));
        decipher.setAuthTag(ct.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(ct.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch (error) {
        throw invalid(binding, error);
      }
    },

    async fingerprintsOf(number) {
      const now = clock.now();
      const today = await dataKeys.current('velocity', now);
      const before = (await dataKeys.living('velocity', now)).filter(({ id }) => id !== today.id);
      return [cardFingerprint(today.key, number), ...before.map(({ key }) => cardFingerprint(key, number))];
    },

    destroyExpiredKeys: (now) => dataKeys.destroyExpired(now),
    rewrapKeys: () => dataKeys.rewrap(),
  };
}
