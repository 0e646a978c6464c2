import { limits } from '../../../config/limits.js';
import { holderText, keysNeededToStart, lackingKey } from '../../../shared/domain/master-keys.js';
import { createDataKeyRepository } from '../../../shared/store/data-key.repository.js';
import { acceptKey, keyNamesOf } from '../../../shared/store/key-checks.repository.js';
import { createKeyReportRepository } from '../../../shared/store/key-reports.repository.js';
import { createSealedRecordRepository } from '../../../shared/store/sealed-record.repository.js';
import { openVault } from '../../../shared/vault/open-vault.js';
import { VaultError } from '../../../shared/vault/vault-error.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { reencrypt } from '../../provisioning/reencrypt.js';
import { scanForNumbers } from '../../provisioning/scan-for-numbers.js';
import type { CommandGroup, Tools } from '../command.js';
import { renderResult } from '../render-result.js';

/**
 * Returns when every running process has the key. With `wait` it checks again and again.
 * @throws {ProvisioningError} naming the processes that lack the key, when `wait` is false
 */
async function waitUntilAllProcessesHold(keyId: string, wait: boolean, { database, progress }: Tools): Promise<void> {
  const reports = createKeyReportRepository(database);
  let said = '';
  for (;;) {
    const lacking = lackingKey(keyId, await reports.findLive()).map(holderText);
    if (lacking.length === 0) return;
    const without = `Without master key ${keyId}: ${lacking.join(', ')}.`;
    if (!wait) {
      throw new ProvisioningError(
        `${without} Put it in front of their VAULT_MASTER_KEYS and restart them, or wait for them with --wait. ` +
          `One that was killed is forgotten after ${limits.keyReportMs / 1000} seconds.`,
      );
    }
    if (without !== said) progress(without);
    said = without;
    await new Promise((done) => setTimeout(done, limits.keyReportPollMs));
  }
}

/**
 * Refuses to continue without a key that other processes use: the command would take what that key wraps for lost.
 * @throws {ProvisioningError} naming the key
 */
async function requireKeysInUse({ database, config }: Tools): Promise<void> {
  const own = (config.vaultMasterKeys ?? []).map(({ id }) => id);
  const holders = await createKeyReportRepository(database).findLive();
  const lacking = keysNeededToStart(own, holders, await createDataKeyRepository(database).wrappingKeyIds());
  if (lacking.length === 0) return;
  throw new ProvisioningError(`VAULT_MASTER_KEYS lacks ${lacking.join(', ')}, which running processes hold. Add it.`);
}

export const vault: CommandGroup = {
  name: 'vault',
  summary: 'Keys of the card vault.',
  commands: [
    {
      path: ['vault', 'keys', 'rotate'],
      summary: 'Wraps all data keys with the newest master key, once every process has it.',
      details:
        'Put the new master key in front of VAULT_MASTER_KEYS, restart all processes with it, run this, then remove the old one. It is refused while a running process lacks the new key. No card is read or written.',
      options: { wait: { about: 'Wait until every process has the new key, instead of being refused.' } },
      settings: ['vaultMasterKeys'],
      examples: ['vault keys rotate', 'vault keys rotate --wait'],
      async run(input, tools) {
        const { database, config, provisioning, record } = tools;
        const keys = config.vaultMasterKeys ?? [];
        const [newest] = keys;
        if (!newest) throw new Error('vaultMasterKeys is a setting of this command');
        await requireKeysInUse(tools);
        await waitUntilAllProcessesHold(newest.id, input.flag('wait'), tools);
        const opened = openVault(database, { vaultMasterKeys: keys }, provisioning.clock);
        // Recorded at the start: the keys of several years take long, and what is wrapped before a cut-off stays wrapped.
        await record({ action: 'vault.rewrap-begun', object: newest.id });
        const { rewrapped, left } = await opened.rewrapKeys();
        await record({ action: 'vault.rewrapped', object: newest.id });
        return {
          kind: 'record',
          done: `Wrapped ${rewrapped} data key${rewrapped === 1 ? '' : 's'} with master key ${newest.id}.`,
          record: { masterKeyId: newest.id, rewrapped, ...(left.length > 0 && { left: left.length }) },
          ...(left.length > 0 && { note: `Left as they are:\n${left.map((reason) => `  ${reason}`).join('\n')}` }),
          fine: left.length === 0,
        };
      },
    },
    {
      path: ['vault', 'reencrypt'],
      summary:
        'Seals stored cards and private keys of wallets again and destroys the data keys that nothing needs any more.',
      details:
        'Takes what was sealed before this hour, or by a release that did not bind cards to their merchant and customer. The gateway may run meanwhile; cut off, it is run again. A data key is destroyed by the first run that finds it unneeded for a day: run it again a day later. Exit code 1: something does not open, and was left as it is.',
      options: { 'dry-run': { about: 'Counts and changes nothing.' } },
      settings: ['vaultMasterKeys'],
      examples: ['vault reencrypt --dry-run', 'vault reencrypt'],
      async run(input, tools) {
        const { database, config, provisioning, record, progress } = tools;
        const dryRun = input.flag('dry-run');
        await requireKeysInUse(tools);
        const { clock } = provisioning;
        // Recorded at the start: it takes long, and what is sealed before a cut-off stays sealed.
        if (!dryRun) await record({ action: 'vault.reencrypt-begun', object: 'all records' });
        const counts = await reencrypt({
          vault: openVault(database, { vaultMasterKeys: config.vaultMasterKeys ?? [] }, clock),
          records: createSealedRecordRepository(database),
          dataKeys: createDataKeyRepository(database),
          clock,
          dryRun,
          progress,
        }).catch((error: unknown) => {
          if (error instanceof VaultError) throw new ProvisioningError(`${error.message}. Run it again.`);
          throw error;
        });
        const { sealedAgain, keysRetired, keysUnused, unopened } = counts;
        if (!dryRun)
          await record({ action: 'vault.reencrypted', object: `${sealedAgain} records, ${keysRetired} keys` });
        const notes = [
          unopened > 0 && 'What does not open was left as it is: see "Keys" in docs/operations.md.',
          keysUnused > 0 && 'Run it again in a day to destroy the data keys that are unused now.',
        ];
        const done = dryRun
          ? `Would seal ${sealedAgain} again and destroy ${keysRetired} data keys.`
          : `Sealed ${sealedAgain} again and destroyed ${keysRetired} data keys.`;
        // People have read each of these with its reason. After the loss of a master key they are most of what is stored.
        const { unopenedRecords, ...few } = counts;
        const text = {
          kind: 'record',
          done,
          record: { ...few, dryRun },
          note: notes.filter(Boolean).join('\n'),
        } as const;
        return {
          kind: 'report',
          answer: { ...few, unopenedRecords, dryRun },
          text: renderResult(text, false),
          fine: unopened === 0,
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
          const names = keyNamesOf(config).join(', ');
          throw new ProvisioningError(
            `Not accepted: no check value of ${name} is kept. Those of these settings are ${names}.`,
          );
        }
        await record({ action: 'key-check.accepted', object: name });
        return { kind: 'record', done: `${name} of these settings is the right one from now on.`, record: { name } };
      },
    },
    {
      path: ['vault', 'scan'],
      summary: 'Finds unencrypted card numbers in texts: references, metadata, names, descriptions.',
      details:
        'Numbers of a known BIN (bins import), as PAN_IN_TEXT refuses them. Shows where they are, never the number. It reads every document: run it when little is paid.',
      reads: true,
      examples: ['vault scan'],
      async run(_input, { database, progress }) {
        const found = await scanForNumbers(database, progress);
        const rows = found.map(({ collection, id, field }) => ({ collection, id, field }));
        const cut = rows.length >= limits.scanFoundMax;
        const sentence = `${rows.length} shown, where the scan ended: mend these, and run it again`;
        return {
          kind: 'rows',
          rows,
          empty: 'No text holds a card number of a known BIN.',
          more: cut ? { sentence } : undefined,
        };
      },
    },
  ],
};
