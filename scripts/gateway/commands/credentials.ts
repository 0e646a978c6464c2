import { readFileSync } from 'node:fs';
import { fileProblem } from '../../../config/file-problem.js';
import {
  accountCredentialOf,
  credentialNamesOf,
  isProcessorCode,
  sharesAccount,
} from '../../../shared/processors/capabilities.js';
import { createProcessorCredentialsRepository } from '../../../shared/store/processor-credentials.repository.js';
import { openVault } from '../../../shared/vault/open-vault.js';
import { countOpenPayments } from '../../provisioning/open-payments.js';
import { isOtherAccount, setProcessorCredentials } from '../../provisioning/processor-credentials.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, UsageError } from '../command.js';
import { findMerchant, merchantWord } from './merchants.js';

const processorWord = { name: 'processor', about: 'Code of the processor, as `methods set` takes it.' };

/** Reads a file. Secrets never go on the command line: the shell's history and the list of processes show it. */
function readValues(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ProvisioningError(`Not set: ${path} cannot be read: ${fileProblem(error)}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProvisioningError(`Not set: ${path} is no file with JSON in it.`);
  }
}

function namesOf(processor: string): readonly string[] {
  if (!isProcessorCode(processor)) throw new UsageError(`There is no processor "${processor}".`);
  const names = credentialNamesOf(processor);
  if (names.length === 0) {
    throw new ProvisioningError(`Not set: ${processor} works with the settings of the installation alone.`);
  }
  return names;
}

/** Credentials of an earlier release may still be stored, so the code is checked only when nothing is stored. */
const noneAt = (merchantId: number, processor: string) =>
  isProcessorCode(processor)
    ? new ProvisioningError(`Merchant ${merchantId} has no credentials at ${processor}.`)
    : new UsageError(`There is no processor "${processor}".`);

export const credentials: CommandGroup = {
  name: 'credentials',
  summary: 'Credentials of a merchant at its processors.',
  commands: [
    {
      path: ['credentials', 'list'],
      reads: true,
      summary: 'Shows at which processors a merchant has credentials; values are never shown.',
      words: [merchantWord],
      examples: ['credentials list 10001'],
      async run(input, tools) {
        const { id } = await findMerchant(tools, input.word('merchant'));
        const found = await createProcessorCredentialsRepository(tools.database).list(id);
        return {
          kind: 'rows',
          rows: found.map(({ processor, names, updatedAt }) => ({ processor, names, updatedAt })),
          empty: `Merchant ${id} has no credentials at a processor.`,
        };
      },
    },
    {
      path: ['credentials', 'set'],
      summary: 'Sets the credentials of a merchant at a processor, in the place of those that were set before.',
      details:
        'The file is a JSON object with a text for each name that the processor takes. Keys of Stripe’s test mode are refused in production, and live keys in testing. The values are sealed in the vault; remove the file afterwards. While payments of the merchant there are open it is refused for another account than theirs, where none of them is found: where the merchant had none and used the account of the installation, and where `merchantAccount` changes.',
      words: [merchantWord, processorWord],
      options: {
        file: { value: '<path>', about: 'JSON file with the values.', required: true },
        force: { about: 'Although payments are open: they are of this account.' },
      },
      settings: ['vaultMasterKeys'],
      examples: ['credentials set 10001 stripe --file credentials.json'],
      async run(input, tools) {
        const processor = input.word('processor');
        const names = namesOf(processor);
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        const { database, config, provisioning } = tools;
        const { clock } = provisioning;
        const { environment } = provisioning.config;
        const deps = {
          vault: openVault(database, { vaultMasterKeys: config.vaultMasterKeys ?? [] }, clock),
          credentials: createProcessorCredentialsRepository(database),
        };
        const values = readValues(input.text('file'));
        const before = await deps.credentials.find(merchantId, processor);
        const open = await countOpenPayments(database, merchantId, processor);
        const leavesAccount = () =>
          before
            ? isOtherAccount(deps.vault, before, values, accountCredentialOf(processor))
            : sharesAccount(processor);
        if (open > 0 && !input.flag('force') && (await leavesAccount())) {
          throw new ProvisioningError(
            `Not set: payments of merchant ${merchantId} that are open at ${processor}: ${open}. At another account they are not found: suspend the merchant, wait until they have ended, or say --force where they are of this account.`,
          );
        }
        const now = clock.now();
        await setProcessorCredentials(deps, { clientId, merchantId, processor, names, values, environment, now });
        const object = `${merchantId}/${processor}`;
        await tools.record({ action: 'processor-credentials.set', object, clientId, merchantId });
        return {
          kind: 'record',
          done: `Merchant ${merchantId} has credentials at ${processor}.`,
          record: { merchantId, processor, names },
          note: [
            'Every process knows within a minute. Remove the file.',
            ...(open > 0 ? [`Payments that go on with them: ${open}. They have to be of the same account.`] : []),
          ].join('\n'),
        };
      },
    },
    {
      path: ['credentials', 'remove'],
      summary: 'Removes them: within a minute nothing is sent with them any more.',
      details:
        'They cannot be had back. It is refused while payments of the merchant there are to be captured, released, asked about or taken back: without credentials that is never done. At stripe, where the installation has an account, the merchant uses that one from then on; refunds of earlier payments are not possible there. Webhooks to the address of the merchant (`…/updates/<merchant>`) cannot be checked any more and get `401`: later disputes and returned refunds of earlier payments reach neither the gateway nor the merchant. Wait until none can come, or watch them at the processor.',
      words: [merchantWord, processorWord],
      options: { force: { about: 'Although payments need them.' } },
      examples: ['credentials remove 10001 stripe'],
      async run(input, tools) {
        const processor = input.word('processor');
        const { id: merchantId, clientId } = await findMerchant(tools, input.word('merchant'));
        const stored = createProcessorCredentialsRepository(tools.database);
        if (!(await stored.find(merchantId, processor))) throw noneAt(merchantId, processor);
        const open = await countOpenPayments(tools.database, merchantId, processor);
        if (open > 0 && !input.flag('force')) {
          throw new ProvisioningError(
            `Not removed: payments of merchant ${merchantId} that need them at ${processor}: ${open}. Suspend the merchant, wait until they have ended, or say --force.`,
          );
        }
        if (!(await stored.remove(merchantId, processor))) throw noneAt(merchantId, processor);
        const object = `${merchantId}/${processor}`;
        await tools.record({ action: 'processor-credentials.removed', object, clientId, merchantId });
        return {
          kind: 'record',
          done: `Removed the credentials of merchant ${merchantId} at ${processor}.`,
          record: { merchantId, processor },
          note: [
            'Processes that used them know within a minute, and send with them until then.',
            `Webhooks to /v1/processors/${processor}/updates/${merchantId} get 401 from then on: watch disputes of earlier payments at ${processor}.`,
          ].join('\n'),
        };
      },
    },
  ],
};
