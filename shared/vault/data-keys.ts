/**
 * Data keys: one per epoch (`limits.dataKeyEpochMs`) and kind, made by the first process that needs it, stored wrapped, held
 * unwrapped in memory. An epoch also bounds how often one key seals: far fewer than the 2^32 times that random 96-bit
 * IVs allow (NIST SP 800-38D, 8.3).
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import { chooseWrappingKey, holderText, type KeyHolder, lackingKey } from '../domain/master-keys.js';
import { after, msBetween } from '../domain/time.js';
import type { DataKeyRow } from '../store/data-key.model.js';
import type { DataKeyRepository, DataKeyStore } from '../store/data-key.repository.js';
import type { KeyProvider } from './key-provider.js';
import { VaultError } from './vault-error.js';

/** Kind of sealed data. It decides how long its key lives, and in which database. */
export type SealedKind = 'card' | 'cvc' | 'wallet';
/** `velocity` keys seal nothing: declined cards are counted by fingerprints under them, until they are destroyed (docs/security.md#destroyed-numbers). */
export type DataKeyKind = SealedKind | 'velocity';

export interface DataKey {
  /** `<kind>:<epoch>` */
  readonly id: string;
  readonly kind: DataKeyKind;
  readonly epoch: number;
  readonly key: KeyObject;
  readonly createdAt: Date;
}

const stores = { card: 'main', cvc: 'ephemeral', wallet: 'main', velocity: 'ephemeral' } as const satisfies Record<
  DataKeyKind,
  DataKeyStore
>;

/** How long keys of a kind are used (ms). */
const epochs = {
  card: limits.dataKeyEpochMs,
  cvc: limits.dataKeyEpochMs,
  wallet: limits.dataKeyEpochMs,
  velocity: limits.velocityKeyEpochMs,
} as const;

/** Kinds that payments seal at every moment. The key of the next epoch is made in advance, so that no payment waits for it. */
const madeAhead: readonly DataKeyKind[] = ['card', 'cvc'];

/** Age at which keys of a kind are destroyed (ms); keys of the other kinds are kept as long as what they sealed. */
const lifetimes: Partial<Record<DataKeyKind, number>> = {
  cvc: limits.cvcDataKeyDestroyMs,
  velocity: limits.velocityKeyDestroyMs,
};

const DATA_KEY_BYTES = 32;

/** Returns the kind of a data key. An id is safe as a key of records and in a message, because only our own form of ids passes. */
function kindOf(id: string): DataKeyKind | undefined {
  const kind = /^(card|cvc|wallet|velocity):\d{1,12}$/.exec(id)?.[1];
  return kind as DataKeyKind | undefined;
}

const epochAt = (kind: DataKeyKind, now: Date) => Math.floor(now.getTime() / epochs[kind]);

/** Whether the key no longer seals at `now`. */
export function isOfEarlierEpoch(id: string, now: Date): boolean {
  const kind = kindOf(id);
  return kind !== undefined && Number(id.slice(kind.length + 1)) < epochAt(kind, now);
}

/** Whether no record has needed the key for so long that no process can still be opening something with it. */
export const mayBeRetired = ({ unusedSince }: Pick<DataKeyRow, 'unusedSince'>, now: Date): boolean =>
  unusedSince !== undefined && msBetween(unusedSince, now) >= limits.dataKeyUnusedMs;

const isDestroyed = ({ kind, createdAt }: { kind: DataKeyKind; createdAt: Date }, now: Date) =>
  msBetween(createdAt, now) >= (lifetimes[kind] ?? Infinity);

/** Destroys the stored keys of every kind whose life is over; returns how many. */
export async function destroyExpiredKeys(repository: DataKeyRepository, now: Date): Promise<number> {
  const counts = Object.entries(lifetimes).map(([kind, ms]) =>
    repository.deleteCreatedUntil(stores[kind as DataKeyKind], kind, after(now, -ms)),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const destroyedError = (id: string) =>
  new VaultError('key-unknown', `There is no data key ${id}: it was destroyed or never existed`);

/**
 * Whether the error says that a data key is lost: its master key is gone, or another key has its name. Only putting the master key back
 * helps.
 */
const isLost = (error: unknown): error is VaultError =>
  error instanceof VaultError && (error.code === 'master-key-missing' || error.code === 'envelope-invalid');

/** Returns our own errors unchanged. Any other error comes from MongoDB and means that it did not answer. */
function unavailable(id: string, error: unknown): VaultError {
  if (error instanceof VaultError) return error;
  return new VaultError('keys-unavailable', `Data key ${id} can be neither read nor made: MongoDB does not answer`, {
    cause: error,
  });
}

export interface DataKeysOptions {
  readonly repository: DataKeyRepository;
  readonly keyProvider: KeyProvider;
  /** Finds what running processes report of their master keys. */
  readonly findHolders: () => Promise<readonly KeyHolder[]>;
}

export class DataKeys {
  readonly #cache = new LRUCache<string, DataKey>({ max: limits.dataKeysCached });
  readonly #sealing = new Map<DataKeyKind, DataKey>();
  readonly #loading = new Map<string, Promise<DataKey>>();
  readonly #listed = new Map<DataKeyKind, { readonly at: Date; readonly keys: readonly DataKey[] }>();

  constructor(private readonly options: DataKeysOptions) {}

  /** Returns the key that seals at `now`: from memory, or read, or made. Synchronous once the key is in memory. */
  current(kind: DataKeyKind, now: Date): DataKey | Promise<DataKey> {
    const epoch = epochAt(kind, now);
    const key = this.#sealing.get(kind);
    if (key?.epoch !== epoch) return this.#begin(kind, `${kind}:${epoch}`, now);
    if (madeAhead.includes(kind)) this.#prepareNext(key, now);
    return key;
  }

  /** Returns the key with this id, to open what it sealed. */
  find(id: string, now: Date): DataKey | Promise<DataKey> {
    const kind = kindOf(id);
    if (!kind) throw new VaultError('key-unknown', 'The id of the data key is not one of ours');
    const cached = this.#cache.get(id);
    if (!cached) {
      return this.#load(id, async () => {
        const row = await this.options.repository.find(stores[kind], id);
        if (!row || isDestroyed({ kind, createdAt: row.createdAt }, now)) throw destroyedError(id);
        return this.#unwrap(kind, row);
      });
    }
    if (isDestroyed(cached, now)) throw destroyedError(id);
    return cached;
  }

  /**
   * Returns the keys of this kind that exist, open and are not due to be destroyed; the list is at most `limits.dataKeysListedMs` old. A
   * lost key is left out, so that what is counted under the other keys is still found.
   */
  async living(kind: DataKeyKind, now: Date): Promise<readonly DataKey[]> {
    const known = this.#listed.get(kind);
    if (known && msBetween(known.at, now) < limits.dataKeysListedMs) {
      return known.keys.filter((key) => !isDestroyed(key, now));
    }
    const rows = await this.options.repository.list(stores[kind], kind).catch((error: unknown) => {
      throw unavailable(kind, error);
    });
    const open = async (row: DataKeyRow) =>
      this.#cache.get(row._id) ?? (await this.#load(row._id, () => this.#unwrap(kind, row)));
    const found = await Promise.all(
      rows
        .filter(({ createdAt }) => !isDestroyed({ kind, createdAt }, now))
        .map((row) => open(row).catch((error: unknown) => (isLost(error) ? undefined : Promise.reject(error)))),
    );
    const keys = found.filter((key) => key !== undefined);
    this.#listed.set(kind, { at: now, keys });
    return keys;
  }

  /** Destroys the keys whose time is over (`lifetimes`); returns how many. What was made with them is of no use from then on. */
  async destroyExpired(now: Date): Promise<number> {
    this.#forgetDestroyed(now);
    this.#listed.clear();
    return destroyExpiredKeys(this.options.repository, now);
  }

  /**
   * Wraps every data key with the newest master key of this process, so that older ones can be taken away. The caller has checked that
   * all processes hold that key.
   * @returns how many keys were changed, and why others are left: a lost key must not keep the rest from a new master key
   */
  async rewrap(): Promise<{ readonly rewrapped: number; readonly left: readonly string[] }> {
    const { repository, keyProvider } = this.options;
    const [newest] = keyProvider.keyIds;
    const left: string[] = [];
    let rewrapped = 0;
    for (const store of new Set(Object.values(stores))) {
      for await (const row of repository.findWrappedByOthers(store, newest)) {
        try {
          const bytes = await keyProvider.unwrap(row._id, row);
          const next = { ...row, ...(await keyProvider.wrap(row._id, bytes, newest)) };
          bytes.fill(0);
          if (await repository.replace(store, row, next)) rewrapped++;
        } catch (error) {
          if (!isLost(error)) throw error;
          left.push(error.message);
        }
      }
    }
    return { rewrapped, left };
  }

  async #begin(kind: DataKeyKind, id: string, now: Date): Promise<DataKey> {
    const key = this.#cache.get(id) ?? (await this.#loadOrMake(kind, id, now));
    this.#sealing.set(kind, key);
    this.#forgetDestroyed(now);
    return key;
  }

  /**
   * Puts the key of the next epoch into memory shortly before this one ends, so that no call waits for MongoDB when the next one begins.
   * A failure is ignored: the next call tries again, and the first call of the new epoch says what is wrong.
   */
  #prepareNext({ kind, epoch }: DataKey, now: Date): void {
    const beginsMs = (epoch + 1) * epochs[kind];
    if (beginsMs - now.getTime() > limits.dataKeyAheadMs) return;
    const id = `${kind}:${epoch + 1}`;
    if (this.#cache.has(id) || this.#loading.has(id)) return;
    this.#loadOrMake(kind, id, new Date(beginsMs)).catch(() => undefined);
  }

  #loadOrMake(kind: DataKeyKind, id: string, createdAt: Date): Promise<DataKey> {
    const { repository } = this.options;
    return this.#load(id, async () => {
      const row = (await repository.find(stores[kind], id)) ?? (await this.#make(kind, id, createdAt));
      return kind === 'velocity' ? this.#unwrapOrReplace(kind, row) : this.#unwrapToSeal(kind, row);
    });
  }

  /** Reads or makes a key once at a time, however many records wait for it. */
  #load(id: string, source: () => Promise<DataKey>): Promise<DataKey> {
    const running = this.#loading.get(id);
    if (running) return running;
    const started = source()
      .then((key) => {
        this.#cache.set(id, key);
        return key;
      })
      .catch((error: unknown) => {
        throw unavailable(id, error);
      })
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, started);
    return started;
  }

  async #unwrap(kind: DataKeyKind, row: DataKeyRow): Promise<DataKey> {
    const bytes = await this.options.keyProvider.unwrap(row._id, row);
    const key = createSecretKey(bytes);
    bytes.fill(0);
    return { id: row._id, kind, epoch: Number(row._id.slice(kind.length + 1)), key, createdAt: row.createdAt };
  }

  /** Reports a lost key as `master-key-missing`: no record is wrong, there is only no key to seal with. */
  async #unwrapToSeal(kind: SealedKind, row: DataKeyRow): Promise<DataKey> {
    try {
      return await this.#unwrap(kind, row);
    } catch (error) {
      throw isLost(error) ? new VaultError('master-key-missing', error.message, { cause: error }) : error;
    }
  }

  /** Replaces a lost key. It sealed nothing, and the declines of its day are counted from zero. */
  async #unwrapOrReplace(kind: 'velocity', row: DataKeyRow): Promise<DataKey> {
    const { repository } = this.options;
    try {
      return await this.#unwrap(kind, row);
    } catch (error) {
      if (!isLost(error)) throw error;
      await repository.replace(stores[kind], row, await this.#newRow(row._id, row.createdAt));
      // Another process may have been first.
      return this.#unwrap(kind, (await repository.find(stores[kind], row._id)) ?? row);
    }
  }

  async #make(kind: DataKeyKind, id: string, createdAt: Date): Promise<DataKeyRow> {
    // The loser of the race gets the winner's row back; our own bytes are forgotten either way and unwrapped again.
    return this.options.repository.insertOrRead(stores[kind], await this.#newRow(id, createdAt));
  }

  async #newRow(id: string, createdAt: Date): Promise<DataKeyRow> {
    const masterKeyId = await this.#wrappingKey();
    const bytes = randomBytes(DATA_KEY_BYTES);
    const wrapped = await this.options.keyProvider.wrap(id, bytes, masterKeyId);
    bytes.fill(0);
    return { _id: id, ...wrapped, createdAt };
  }

  /** Returns the newest master key that every running process holds, so that all of them can open the data key. */
  async #wrappingKey(): Promise<string> {
    const { keyProvider, findHolders } = this.options;
    const holders = await findHolders();
    const [newest] = keyProvider.keyIds;
    const chosen = chooseWrappingKey(keyProvider.keyIds, holders);
    if (chosen !== undefined) return chosen;
    const without = lackingKey(newest, holders).map(holderText).join(', ');
    throw new VaultError('master-key-missing', `No master key is held by all: ${without} lacks ${newest}`);
  }

  #forgetDestroyed(now: Date): void {
    for (const [id, key] of this.#cache.entries()) if (isDestroyed(key, now)) this.#cache.delete(id);
    for (const [kind, key] of this.#sealing) if (isDestroyed(key, now)) this.#sealing.delete(kind);
  }
}
