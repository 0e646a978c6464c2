import { mintToken, NoCertificateError } from '../../../api/testing/forge/mint-token.js';
import { mintedKinds } from '../../../api/testing/forge/order.js';
import { parseAmount } from '../../../shared/domain/money/amount.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import { walletAuthMethods, walletTypes } from '../../../shared/domain/wallet/integration.js';
import { createWalletIntegrationRepository } from '../../../shared/store/wallet-integration.repository.js';
import { createWalletUseRepository, type WalletUse } from '../../../shared/store/wallet-use.repository.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, type Input, UsageError } from '../command.js';
import { readMerchantId, readOneOf } from '../read-values.js';
import { payCode } from './pay-code.js';

const path = ['testing', 'wallet-token'];

function cardOf(input: Input): string {
  const card = input.text('card');
  if (!/^\d{12,19}$/.test(card)) throw new UsageError('--card takes a card number: 12 to 19 digits.', path);
  return card;
}

function amountOf(input: Input) {
  const currency = findCurrency(input.text('amount-currency'));
  const parsed = currency && parseAmount(input.text('amount-total'), currency.code);
  if (!currency || !parsed || parsed.kind === 'problem') {
    throw new UsageError(
      '--amount-total and --amount-currency are a decimal and a currency that has it: 10.50 USD',
      path,
    );
  }
  return { totalMinor: parsed.minor, currencyNumber: currency.numeric };
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
        type: { value: '<type>', about: `The wallet: ${walletTypes.join(' or ')}.`, required: true },
        'merchant-id': { value: '<id>', about: 'The merchant that is paid.', required: true },
        card: { value: '<number>', about: 'A test card.', default: '4111111111111111' },
        'auth-method': {
          value: '<method>',
          about: `${walletAuthMethods.join(' or ')} (wallet-a).`,
          default: 'CRYPTOGRAM_3DS',
        },
        'amount-total': { value: '<decimal>', about: 'What the payer approves (wallet-b).', default: '10.50' },
        'amount-currency': { value: '<code>', about: 'In which currency (wallet-b).', default: 'USD' },
        broken: { value: '<kind>', about: `${mintedKinds.join(', ')}.` },
      },
      examples: [
        'testing wallet-token --type wallet-a-pay --merchant-id 1001',
        'testing wallet-token --type wallet-b-pay --merchant-id 1001 --broken tampered',
      ],
      async run(input, tools) {
        const { provisioning, database, config } = tools;
        if (provisioning.config.environment !== 'testing') {
          throw new ProvisioningError('Tokens for tests are minted in the testing environment only.');
        }
        const walletType = readOneOf(input.text('type'), 'type', walletTypes, path);
        const broken = input.optional('broken');
        const merchantId = readMerchantId(input.text('merchant-id'));
        const order = {
          walletType,
          merchantId,
          card: cardOf(input),
          auth: readOneOf(input.text('auth-method'), 'auth-method', walletAuthMethods, path),
          approved: amountOf(input),
          broken: broken === undefined ? undefined : readOneOf(broken, 'broken', mintedKinds, path),
        } as const;
        const now = provisioning.clock.now();
        const deps = {
          gatewayName: config.walletAGatewayName ?? '',
          findIntegration: createWalletIntegrationRepository(database).find,
          markUsed: (use: WalletUse) => createWalletUseRepository(database).claim(use, now),
        };
        const token = await mintToken(deps, order, now).catch((error: unknown) => {
          if (!(error instanceof NoCertificateError)) throw error;
          throw new ProvisioningError(`Merchant ${merchantId} has uploaded no certificate for wallet-b.`);
        });
        return { kind: 'record', done: `A token of ${walletType} for merchant ${merchantId}.`, record: { token } };
      },
    },
  ],
};
