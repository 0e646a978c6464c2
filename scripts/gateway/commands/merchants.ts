import { taxIdProblem } from '../../../api/merchants/tax-id.js';
import { isCountryCode } from '../../../shared/domain/country.js';
import { defined } from '../../../shared/domain/defined.js';
import { type Merchant, type MerchantStatus, merchantIdOf } from '../../../shared/domain/merchant.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import { hasPlainName, merchantByNumber } from '../../../shared/domain/plain-text.js';
import { createMerchant } from '../../provisioning/create-merchant.js';
import { checkClient, ProvisioningError } from '../../provisioning/provisioning.js';
import { type Command, type CommandGroup, type Tools, UsageError } from '../command.js';
import { pageOptions, readPage } from '../list-page.js';
import { readMerchantId } from '../read-values.js';

/** @throws {ProvisioningError} when there is no such merchant */
export async function findMerchant({ provisioning }: Pick<Tools, 'provisioning'>, text: string): Promise<Merchant> {
  const id = readMerchantId(text);
  const merchant = await provisioning.merchants.findMerchant(id);
  if (!merchant) throw new ProvisioningError(`There is no merchant ${id}.`);
  return merchant;
}

export const merchantWord = { name: 'merchant', about: 'Id of the merchant, a number.' };

const view = ({ id, clientId, name, legalName, status, country, defaultCurrency, taxId, createdAt }: Merchant) => ({
  merchantId: id,
  clientId,
  name,
  legalName: legalName ?? null,
  status,
  country: country ?? null,
  defaultCurrency: defaultCurrency ?? null,
  taxId: taxId ?? null,
  createdAt,
});

/** Printed when the merchant is created, while the name can still be chosen. */
const nameNote = (merchant: Merchant): string =>
  hasPlainName(merchant.name)
    ? ''
    : `The name has no Latin letters: issuers and acquirers that read no others get "${merchantByNumber(merchant.id)}" in its place.\n`;

const isCurrency = (text: string) => findCurrency(text) !== undefined;
const isTaxId = (text: string) => taxIdProblem(text) === undefined;

function requireForm(
  text: string | undefined,
  isRight: (text: string) => boolean,
  option: string,
  expected: string,
): void {
  if (text !== undefined && !isRight(text)) throw new UsageError(`--${option} takes ${expected}.`);
}

function changing(verb: string, status: MerchantStatus, summary: string): Command {
  return {
    path: ['merchants', verb],
    summary,
    words: [merchantWord],
    examples: [`merchants ${verb} 10001`],
    async run(input, tools) {
      const { id, clientId } = await findMerchant(tools, input.word('merchant'));
      await tools.provisioning.merchants.setStatus(id, status);
      const action = status === 'active' ? 'merchant.activated' : 'merchant.suspended';
      await tools.record({ action, object: String(id), clientId, merchantId: id });
      return {
        kind: 'record',
        done: `Merchant ${id} is ${status}.`,
        record: { merchantId: id, status },
        note: 'Every process knows within five seconds.',
      };
    },
  };
}

export const merchants: CommandGroup = {
  name: 'merchants',
  summary: 'Merchants of a client.',
  commands: [
    {
      path: ['merchants', 'create'],
      summary: 'Makes a merchant. It takes payments once it has payment methods.',
      options: {
        'client-id': { value: '<id>', about: 'Id of the client: cli_…', required: true },
        name: { value: '<name>', about: 'What payers read.', required: true },
        id: { value: '<number>', about: 'Its number; the next free one when it is not given.' },
        'legal-name': { value: '<name>', about: 'Name of the company.' },
        country: { value: '<code>', about: 'ISO 3166-1 alpha-2: UY.' },
        'default-currency': { value: '<code>', about: 'Currency it usually sells in, ISO 4217: USD.' },
        'tax-id': { value: '<digits>', about: 'Tax id of the company: 12 digits (RUT) or 14 (CNPJ).' },
      },
      examples: ['merchants create --client-id cli_… --name "Example Shop" --country UY --default-currency USD'],
      async run(input, { provisioning, record }) {
        const [id, country, currency] = [
          input.optional('id'),
          input.optional('country'),
          input.optional('default-currency'),
        ];
        const [legalName, taxId] = [input.optional('legal-name'), input.optional('tax-id')];
        requireForm(country, isCountryCode, 'country', 'a code of ISO 3166-1 alpha-2, for example UY');
        requireForm(currency, isCurrency, 'default-currency', 'a code of ISO 4217, for example USD');
        requireForm(taxId, isTaxId, 'tax-id', '12 digits (RUT) or 14 digits (CNPJ) with their check digits');
        const merchant = await createMerchant(provisioning, {
          clientId: input.text('client-id'),
          name: input.text('name'),
          ...(id !== undefined && { id: readMerchantId(id) }),
          ...defined({ legalName, country, defaultCurrency: currency, taxId }),
        });
        const { clientId } = merchant;
        await record({ action: 'merchant.created', object: String(merchant.id), clientId, merchantId: merchant.id });
        return {
          kind: 'record',
          done: `Made merchant ${merchant.id}.`,
          record: view(merchant),
          note: `${nameNote(merchant)}Next: ./gateway methods set ${merchant.id} visa --help`,
        };
      },
    },
    {
      path: ['merchants', 'list'],
      reads: true,
      summary: 'Shows merchants, by their numbers.',
      options: { 'client-id': { value: '<id>', about: 'Of this client only.' }, ...pageOptions },
      examples: ['merchants list', 'merchants list --client-id cli_… --json'],
      async run(input, { provisioning }) {
        const client = input.optional('client-id');
        if (client !== undefined) await checkClient(provisioning, client);
        const { merchants: stored } = provisioning;
        const { found, more } = await readPage<Merchant>(
          input,
          ({ id }) => String(id),
          async (limit, after) => {
            if (after === undefined) return stored.findMerchantsAfter(0, limit, client);
            const id = merchantIdOf(after);
            const known = id === undefined ? undefined : await stored.readMerchant(id);
            return known && stored.findMerchantsAfter(known.id, limit, client);
          },
        );
        const empty = 'There is no merchant yet: ./gateway merchants create --help';
        return { kind: 'rows', rows: found.map(view), more, empty };
      },
    },
    changing('suspend', 'suspended', 'Refuses new money for a merchant; reads, captures and refunds go on.'),
    changing('activate', 'active', 'Ends a suspension.'),
  ],
};
