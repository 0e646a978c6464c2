import { openVault } from '../../../shared/vault/open-vault.js';
import type { CommandGroup } from '../command.js';

export const vault: CommandGroup = {
  name: 'vault',
  summary: 'Keys of the card vault.',
  commands: [
    {
      path: ['vault', 'keys', 'rotate'],
      summary: 'Wraps all data keys with the newest master key.',
      details:
        'Put the new master key in front of VAULT_MASTER_KEYS, restart all processes with it, run this, then remove the old one. No card is read or written.',
      settings: ['vaultMasterKeys'],
      examples: ['vault keys rotate'],
      async run(_input, { database, config, provisioning, record }) {
        const [newest] = config.vaultMasterKeys ?? [];
        if (!newest) throw new Error('vaultMasterKeys is a setting of this command');
        const keys = config.vaultMasterKeys ?? [];
        const rewrapped = await openVault(database, { vaultMasterKeys: keys }, provisioning.clock).rewrapKeys();
        await record({ action: 'vault.rewrapped', object: newest.id });
        return {
          kind: 'record',
          done: `Wrapped ${rewrapped} data key${rewrapped === 1 ? '' : 's'} with master key ${newest.id}.`,
          record: { masterKeyId: newest.id, rewrapped },
        };
      },
    },
  ],
};
