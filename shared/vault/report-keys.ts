import { hostname } from 'node:os';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import { holderText, type KeyHolder, keysNeededToStart } from '../domain/master-keys.js';
import { newToken } from '../ids.js';
import type { Log } from '../log.js';
import { createDataKeyRepository } from '../store/data-key.repository.js';
import type { Database } from '../store/database.js';
import { createKeyReportRepository } from '../store/key-reports.repository.js';

/** The process lacks a master key that the others use: what they seal it could not open. */
export class MasterKeyNeededError extends Error {
  constructor(keyIds: readonly string[], holder: KeyHolder) {
    super(
      `VAULT_MASTER_KEYS lacks ${keyIds.join(', ')}: data keys are wrapped with it, and ${holderText(holder)} holds it. ` +
        'Add it; an old key may go after `./gateway vault keys rotate`.',
    );
    this.name = 'MasterKeyNeededError';
  }
}

interface Reporting {
  readonly database: Database;
  /** A process that is granted none opens no vault and reports nothing. */
  readonly config: Partial<Pick<Config, 'vaultMasterKeys'>>;
  /** `web`, or the names of the pools. */
  readonly role: string;
  /** Of a process with the pool `processor`. */
  readonly processors?: readonly string[] | undefined;
  readonly log: Log;
}

/**
 * Reports which master keys the process holds (and what it can send payments to), at once and every `limits.keyReportRenewMs`: a data key is wrapped only with one
 * that every running process holds. To be called before the vault is used.
 * @returns ends it; to be called when the vault is used no more.
 * @throws {MasterKeyNeededError} when the process lacks one that the others use.
 */
export async function reportKeys({ database, config, role, processors, log }: Reporting): Promise<() => Promise<void>> {
  const masterKeyIds = (config.vaultMasterKeys ?? []).map(({ id }) => id);
  if (masterKeyIds.length === 0) return async () => {};
  const reports = createKeyReportRepository(database);
  const id = newToken();
  const holder = { role, host: hostname(), pid: process.pid, masterKeyIds, ...defined({ processors }) };
  // Before anything is asked: data keys created from now on take this process into account.
  await reports.renew(id, holder);
  const others = await reports.findLive();
  const needed = keysNeededToStart(masterKeyIds, others, await createDataKeyRepository(database).wrappingKeyIds());
  const user = others.find((other) => needed.some((keyId) => other.masterKeyIds.includes(keyId)));
  if (user) {
    await reports.remove(id);
    throw new MasterKeyNeededError(needed, user);
  }
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= reports
      .renew(id, holder)
      .catch((error: unknown) => log.warn('vault.keys-not-reported', { error }))
      .finally(() => {
        running = undefined;
      });
  }, limits.keyReportRenewMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
    // A report that stays ends by itself.
    await reports.remove(id).catch((error: unknown) => log.warn('vault.keys-not-reported', { error }));
  };
}
