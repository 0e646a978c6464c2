import type { Config } from '../../config/index.js';
import type { Clock } from '../clock.js';
import { createDataKeyRepository } from '../store/data-key.repository.js';
import type { Database } from '../store/database.js';
import { createKeyReportRepository } from '../store/key-reports.repository.js';
import { DataKeys } from './data-keys.js';
import { createLocalKeyProvider } from './local-key-provider.js';
import { createVault, type Vault } from './vault.js';

/** Opens the vault of a process with the master keys of its configuration. It reads and writes nothing until it is used. */
export function openVault(database: Database, config: Pick<Config, 'vaultMasterKeys'>, clock: Clock): Vault {
  const reports = createKeyReportRepository(database);
  const dataKeys = new DataKeys({
    repository: createDataKeyRepository(database),
    keyProvider: createLocalKeyProvider(config.vaultMasterKeys),
    findHolders: () => reports.findLive(),
  });
  return createVault({ dataKeys, clock });
}
