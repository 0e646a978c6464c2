import { hostname } from 'node:os';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import { holderText, type KeyHolder, keysNeededToStart } from '../domain/master-keys.js';
import { newToken } from '../ids.js';
import type { Log } from '../log.js';
import { createDataKeyRepository } from '../store/data-key.repository.js';
import type { Database } from '../store/database.js';
import { createKeyReportRepository, createProcessReportRepository } from '../store/key-reports.repository.js';

/** The process lacks a master key that other processes use: it could not open what they seal. */
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
  /** A process without master keys opens no vault, and reports only that it runs. */
  readonly config: Partial<Pick<Config, 'vaultMasterKeys'>>;
  /** `web`, or the names of the pools. */
  readonly role: string;
  /** Processors that it is configured for; only of a process with the pool `processor`. */
  readonly processors?: readonly string[] | undefined;
  readonly log: Log;
}

/** Renews a report every `limits.keyReportRenewMs`. @returns a function that stops it and removes the report */
function keepReported(reports: { renew(): Promise<void>; remove(): Promise<void> }, failed: (error: unknown) => void) {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= reports
      .renew()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  }, limits.keyReportRenewMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
    // A report that cannot be removed expires.
    await reports.remove().catch(failed);
  };
}

/**
 * Reports that the process runs, which master keys it holds and what it can send payments to, at once and every
 * `limits.keyReportRenewMs`: a data key is wrapped only with a master key that every running process holds. Call it before the vault is
 * used.
 * @returns a function that ends the reports; call it when the vault is not used any more.
 * @throws {MasterKeyNeededError} when the process lacks a master key that the others use.
 */
export async function reportKeys({ database, config, role, processors, log }: Reporting): Promise<() => Promise<void>> {
  const masterKeyIds = (config.vaultMasterKeys ?? []).map(({ id }) => id);
  const id = newToken();
  const running = { role, host: hostname(), pid: process.pid };
  if (masterKeyIds.length === 0) {
    const reports = createProcessReportRepository(database);
    await reports.renew(id, running);
    const own = { renew: () => reports.renew(id, running), remove: () => reports.remove(id) };
    return keepReported(own, (error) => log.warn('process.not-reported', { error }));
  }
  const reports = createKeyReportRepository(database);
  const holder = { ...running, masterKeyIds, ...defined({ processors }) };
  // First of all, so that data keys that are created from now on take this process into account.
  await reports.renew(id, holder);
  const others = await reports.findLive();
  const wrapping = await createDataKeyRepository(database).wrappingKeyIds();
  const needed = keysNeededToStart(masterKeyIds, others, wrapping);
  const user = others.find((other) => needed.some((keyId) => other.masterKeyIds.includes(keyId)));
  if (user) {
    await reports.remove(id);
    throw new MasterKeyNeededError(needed, user);
  }
  const lost = wrapping.filter((keyId) => !masterKeyIds.includes(keyId));
  if (lost.length > 0) {
    const reason = `VAULT_MASTER_KEYS lacks ${lost.join(', ')}, which wraps data keys, and no process holds it: put it back`;
    log.error('vault.master-key-lost', { reason });
  }
  const own = { renew: () => reports.renew(id, holder), remove: () => reports.remove(id) };
  return keepReported(own, (error) => log.warn('vault.keys-not-reported', { error }));
}
