import { ProvisioningError } from '../../../shared/provisioning/provisioning.js';
import { scanForNumbers } from '../../../shared/provisioning/scan-for-numbers.js';
import { acceptKey } from '../../../shared/store/key-checks.repository.js';
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
    {
      path: ['vault', 'keys', 'accept'],
      summary: 'Says that a key was changed on purpose: the one of the settings is the right one from now on.',
      details:
        'Every process refuses to start with another key than the database was used with. What was made with the old key is lost: see "Keys" in docs/operations.md. It needs all keys in its settings, as the gateway does.',
      words: [{ name: 'name', about: 'The setting, as the refusal names it: DIGEST_KEY, VAULT_MASTER_KEYS:k1, ...' }],
      settings: ['vaultMasterKeys', 'accessTokenKey', 'fingerprintKey', 'digestKey'],
      acceptsKeys: true,
      examples: ['vault keys accept DIGEST_KEY'],
      async run(input, { database, config, record }) {
        const name = input.word('name');
        if (!(await acceptKey(database, config, name))) {
          throw new ProvisioningError(`The settings have no key ${name}.`);
        }
        await record({ action: 'key-check.accepted', object: name });
        return { kind: 'record', done: `${name} of these settings is the right one from now on.`, record: { name } };
      },
    },
    {
      path: ['vault', 'scan'],
      summary: 'Finds card numbers that lie open in texts: references, metadata, names, descriptions.',
      details:
        'Numbers of a known BIN (bins import), as PAN_IN_TEXT refuses them. Shows where they stand, never the number. It reads every document: run it when little is paid.',
      reads: true,
      examples: ['vault scan'],
      async run(_input, { database, progress }) {
        const found = await scanForNumbers(database, progress);
        const rows = found.map(({ collection, id, field }) => ({ collection, id, field }));
        return { kind: 'rows', rows, empty: 'No text holds a card number of a known BIN.' };
      },
    },
  ],
};
