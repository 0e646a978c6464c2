import { parseAmount } from '../../../shared/domain/money/amount.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import { ProvisioningError } from '../../../shared/provisioning/provisioning.js';
import { createWalletIntegrationRepository } from '../../../shared/store/wallet-integration.repository.js';
import { createWalletUseRepository } from '../../../shared/store/wallet-use.repository.js';
import { forgeWalletA } from '../../../shared/wallets/forge/forge-wallet-a.js';
import { forgeWalletB } from '../../../shared/wallets/forge/forge-wallet-b.js';
import { brokenKinds, type WalletOrder } from '../../../shared/wallets/forge/order.js';
import { type CommandGroup, type Input, type Tools, UsageError } from '../command.js';
import { payCode } from './pay-code.js';

const path = ['testing', 'wallet-token'];

function oneOf<T extends string>(option: string, value: string, values: readonly T[]): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw new UsageError(`--${option} is one of ${values.join(', ')}`, path);
  return found;
}

function amountOf(input: Input) {
  const currency = findCurrency(input.text('currency'));
  const parsed = currency && parseAmount(input.text('amount'), currency.code);
  if (!currency || !parsed || parsed.kind === 'problem') {
    throw new UsageError('--amount and --currency are a decimal and a currency that has it: 10.50 USD', path);
  }
  return { totalMinor: parsed.minor, currencyNumber: currency.numeric };
}

/** The newest certificate of the merchant, which the wallet would encrypt for. */
async function certificateOf({ database }: Tools, merchantId: number) {
  const integration = await createWalletIntegrationRepository(database).find(merchantId, 'wallet-b-pay');
  const certificate = integration?.certificates?.[0];
  if (!certificate) throw new ProvisioningError(`Merchant ${merchantId} has uploaded no certificate for wallet-b.`);
  return certificate;
}

export const testing: CommandGroup = {
  name: 'testing',
  summary: 'Tools of the testing environment.',
  commands: [
    payCode,
    {
      path,
      summary: 'Mints a wallet token under the published test keys: a good one, or one that is broken in one way.',
      details:
        'Send what it prints as walletAPayToken.token or walletBPayToken.token. wallet-b needs a certificate that the merchant has uploaded, and the amount that is charged. A replayed token is correct and was used before.',
      settings: ['walletAGatewayName'],
      options: {
        type: { value: '<a|b>', about: 'The wallet.', required: true },
        merchant: { value: '<id>', about: 'The merchant that is paid.', required: true },
        card: { value: '<number>', about: 'A test card.', default: '4111111111111111' },
        auth: { value: '<method>', about: 'CRYPTOGRAM_3DS, or PAN_ONLY (wallet-a).', default: 'CRYPTOGRAM_3DS' },
        amount: { value: '<decimal>', about: 'What the payer approves (wallet-b).', default: '10.50' },
        currency: { value: '<code>', about: 'In which currency (wallet-b).', default: 'USD' },
        broken: { value: '<kind>', about: `${[...brokenKinds, 'replayed'].join(', ')}.` },
      },
      examples: [
        'testing wallet-token --type a --merchant 1001',
        'testing wallet-token --type b --merchant 1001 --broken tampered',
      ],
      async run(input, tools) {
        const { provisioning, database, config } = tools;
        if (provisioning.config.environment !== 'testing') {
          throw new ProvisioningError('Tokens for tests are minted in the testing environment only.');
        }
        const type = oneOf('type', input.text('type'), ['a', 'b']);
        const broken = input.optional('broken');
        const kind = broken === undefined ? undefined : oneOf('broken', broken, [...brokenKinds, 'replayed'] as const);
        const now = provisioning.clock.now();
        const uniqueId = Buffer.from(`${now.getTime()}-${Math.random()}`).toString('hex').padEnd(64, '0').slice(0, 64);
        const merchantId = Number(input.text('merchant'));
        const order: WalletOrder = {
          merchantId,
          card: input.text('card'),
          expMonth: 12,
          expYear: now.getUTCFullYear() + 5,
          auth: oneOf('auth', input.text('auth'), ['CRYPTOGRAM_3DS', 'PAN_ONLY']),
          messageId: uniqueId,
          ...(kind !== undefined && kind !== 'replayed' && { broken: kind }),
        };
        const token =
          type === 'a'
            ? forgeWalletA(order, config.walletAGatewayName ?? '', now)
            : await forgeWalletB(order, { ...(await certificateOf(tools, merchantId)), ...amountOf(input) }, now);
        const walletType = type === 'a' ? 'wallet-a-pay' : 'wallet-b-pay';
        if (kind === 'replayed') {
          await createWalletUseRepository(database).claim({ walletType, uniqueId, owner: 'operator' }, now);
        }
        return { kind: 'record', done: `A token of ${walletType} for merchant ${merchantId}.`, record: { token } };
      },
    },
  ],
};
