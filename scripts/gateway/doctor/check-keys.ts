/** Compares the keys of the vault and the other keys with those that the database was used with. */
import { processNames } from '../../../config/readers.js';
import { keysNeededToStart } from '../../../shared/domain/master-keys.js';
import { createDataKeyRepository } from '../../../shared/store/data-key.repository.js';
import { compareKeys, keyNamesOf } from '../../../shared/store/key-checks.repository.js';
import {
  createKeyReportRepository,
  createProcessReportRepository,
} from '../../../shared/store/key-reports.repository.js';
import type { Check, ExaminedDatabase } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const keys = findingsOf('keys', 'docs/security.md#keys-in-use');
const vault = findingsOf('vault', 'docs/operations.md#keys');
const running = findingsOf('processes', 'docs/operations.md#processes');

export const checkKeysInUse: Check<ExaminedDatabase> = async ({ database, config }) => {
  if (keyNamesOf(config).length === 0) {
    return [keys.notice('not looked at: only web, wallet, threeds and processor have the keys that are compared')];
  }
  const { wrong, unknown } = await compareKeys(database, config);
  const found: Finding[] = wrong.map((name) =>
    keys.wrong(`${name} is not the key that this database was used with`, 'Put the old key back.'),
  );
  if (unknown.length > 0) found.push(keys.notice(`new to this database: ${unknown.join(', ')}`));
  if (wrong.length === 0 && unknown.length === 0) found.push(keys.ok('those that the database was used with'));
  return found;
};

export const checkVault: Check<ExaminedDatabase> = async ({ database, config }) => {
  const { vaultMasterKeys } = config;
  if (!vaultMasterKeys) return [];
  const own = vaultMasterKeys.map(({ id }) => id);
  const wrapping = await createDataKeyRepository(database).wrappingKeyIds();
  const holders = await createKeyReportRepository(database).findLive();
  const needed = keysNeededToStart(own, holders, wrapping);
  const lost = wrapping.filter((id) => !own.includes(id) && !needed.includes(id));
  const found: Finding[] = [];
  if (needed.length > 0) {
    found.push(vault.missing(`VAULT_MASTER_KEYS lacks ${needed.join(', ')}, which running processes use`, 'Add it.'));
  }
  if (lost.length > 0) {
    const todo = 'What they wrap cannot be opened: find the keys, or restore them from where they are kept.';
    found.push(vault.wrong(`data keys are wrapped with ${lost.join(', ')}, which no process has`, todo));
  }
  if (found.length === 0) found.push(vault.ok(`master keys ${own.join(', ')}; the first wraps`));
  return found;
};

export const checkProcesses: Check<ExaminedDatabase> = async ({ database }) => {
  const reports = [createKeyReportRepository(database), createProcessReportRepository(database)];
  const live = (await Promise.all(reports.map((repository) => repository.findLive()))).flat();
  const roles = new Set(live.flatMap(({ role }) => role.split('+')));
  const absent = processNames.filter((name) => !roles.has(name));
  if (absent.length === 0) return [running.ok(`running: ${processNames.join(', ')}`)];
  return [running.notice(`not running now: ${absent.join(', ')}`, 'Start every line of the Procfile.')];
};
