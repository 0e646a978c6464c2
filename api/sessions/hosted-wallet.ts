/** wallet-a on the hosted checkout (docs/api.md#wallet-a). */

import type { Config } from '../../config/index.js';
import { conflict, GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { agreedAmountOf } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { isOpenTo } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentMethodBody } from '../payments/payment-method.schema.js';
import { mintSandboxToken } from '../testing/mint-sandbox-token.js';
import { canPrice, type PaymentDataRequest, paymentDataRequest } from '../wallets/payment-data-request.js';
import { configurationFor, hasMerchantId } from '../wallets/wallet-configuration.js';
import { walletATokenText } from '../wallets/wallet-token.schema.js';
import type { SessionBody } from './session-request.schema.js';

/** The wallet's own script, and the request that the page makes to it. */
export interface WalletScript {
  readonly url: string;
  /** Path of the script's client class, starting at `window`. */
  readonly client: string;
  /** Origins that the script needs in addition to its own. */
  readonly origins: readonly string[];
  readonly request: PaymentDataRequest;
}

export type WalletButton = 'mock' | WalletScript;

type ScriptConfig = Pick<Config, 'environment' | 'walletAScriptUrl' | 'walletAScriptClient' | 'walletAScriptOrigins'>;

/** Returns the script of this installation; undefined in testing, where the page shows a mock button instead. */
function scriptOf(config: ScriptConfig): Omit<WalletScript, 'request'> | undefined {
  const {
    environment,
    walletAScriptUrl: url,
    walletAScriptClient: client,
    walletAScriptOrigins: origins = [],
  } = config;
  return environment === 'production' && url !== undefined && client !== undefined
    ? { url, client, origins }
    : undefined;
}

const SHIPPING = 'settings.checkout.walletIntegrations.walletAPay.dynamicShipping';

/**
 * Refuses `dynamicShipping` without a configured script: only the wallet's own script asks for addresses.
 * @throws {GatewayError} `request-validation-errors` naming `dynamicShipping` when no script is configured.
 */
export function checkDynamicShipping({ config }: Pick<ApiDeps, 'config'>, { settings }: SessionBody): void {
  if (!settings?.checkout?.walletIntegrations?.walletAPay?.dynamicShipping) return;
  if (config.walletAScriptUrl !== undefined && config.walletAScriptClient !== undefined) return;
  const reason = 'needs the script of the wallet, which is not configured here: leave it out, or ask the operator';
  throw invalidField(SHIPPING, `"${SHIPPING}" ${reason} (WALLET_A_SCRIPT_URL)`);
}

/** Whether the session itself allows the wallet. */
function allowsWallet({ settings, token }: Session): boolean {
  const { checkout, paymentMethodTypes } = settings;
  if (!checkout || token !== undefined || !paymentMethodTypes.includes('card')) return false;
  return checkout.walletIntegrations?.walletAPay?.enabled !== false;
}

/** Whether the wallet can show every amount that may be paid. */
function canPriceSession(session: Session): boolean {
  const { currency } = agreedAmountOf(session) ?? {};
  const flexible = session.settings.checkout?.flexibleAmount?.allowedCurrencies ?? [];
  return (currency === undefined ? flexible : [currency]).every(canPrice);
}

/**
 * Whether the page offers the wallet: the merchant's integration is active for hosted pages, the session does not forbid it, and there
 * is a button: the wallet's own in production, a mock button in testing.
 */
export async function offersWalletA(deps: ApiDeps, session: Session): Promise<boolean> {
  const testing = deps.config.environment === 'testing';
  if (!allowsWallet(session)) return false;
  if (!testing && !(scriptOf(deps.config) && canPriceSession(session))) return false;
  const integration = await deps.walletIntegrations.find(session.merchantId, 'wallet-a-pay');
  return (
    isOpenTo(integration, 'hosted') && integration?.profile !== undefined && hasMerchantId(deps, integration.profile)
  );
}

/** Returns the button for a page that offers the wallet; undefined when the wallet supports none of the accepted card brands. */
export async function walletButton(deps: ApiDeps, session: Session): Promise<WalletButton | undefined> {
  if (deps.config.environment === 'testing') return 'mock';
  const script = scriptOf(deps.config);
  const [integration, merchant] = await Promise.all([
    deps.walletIntegrations.find(session.merchantId, 'wallet-a-pay'),
    deps.merchants.findMerchant(session.merchantId),
  ]);
  const { profile } = integration ?? {};
  if (!script || !integration || !profile) return undefined;
  const page = {
    origin: new URL(deps.config.publicBaseUrl).origin,
    onlyMethods: session.paymentLink?.paymentMethods,
  };
  const configuration = await configurationFor(deps, { ...integration, profile }, page);
  if (configuration.allowedPaymentMethods.some(({ parameters }) => parameters.allowedCardNetworks.length === 0)) {
    return undefined;
  }
  const request = paymentDataRequest(configuration, {
    amount: agreedAmountOf(session),
    cardTypes: session.settings.tokenization.allowedCardTypes,
    countryCode: merchant?.country,
    payeeName: merchant?.name ?? '',
    dynamicShipping: session.settings.checkout?.walletIntegrations?.walletAPay?.dynamicShipping ?? false,
  });
  return { ...script, request };
}

/** The wallet was switched off after its button was shown. The payer pressed it, and no payment was created. */
export class WalletNotOfferedError extends GatewayError {
  constructor() {
    super('conflict', { message: 'This session does not accept wallets.' });
  }
}

async function checkOffered(deps: ApiDeps, session: Session): Promise<void> {
  if (await offersWalletA(deps, session)) return;
  throw new WalletNotOfferedError();
}

/**
 * Builds the payment method from the wallet's token, in the form that any integrator would send.
 * @param token of the wallet, encoded in base64 by the page
 * @throws {GatewayError} `conflict` when the page does not offer the wallet; `invalid-card-payment-method-token`.
 */
export async function walletMethod(deps: ApiDeps, session: Session, token: string): Promise<PaymentMethodBody> {
  await checkOffered(deps, session);
  if (walletATokenText().validate(token).error) {
    throw new GatewayError('invalid-card-payment-method-token', { internal: 'the form holds no token of the wallet' });
  }
  return { source: 'wallet-a-pay-token', walletAPayToken: { token } };
}

/**
 * Builds the payment method of the mock button: a token for a test card, in the form that the wallet would give.
 * @throws {GatewayError} `conflict` when the page does not offer the wallet, or has the wallet's real button.
 */
export async function mockWalletMethod(deps: ApiDeps, session: Session): Promise<PaymentMethodBody> {
  await checkOffered(deps, session);
  if (deps.config.environment !== 'testing') {
    throw conflict('This form requires a wallet token.');
  }
  const integration = await deps.walletIntegrations.find(session.merchantId, 'wallet-a-pay');
  const { allowedAuthMethods = [] } = integration?.profile ?? {};
  const token = await mintSandboxToken(deps, {
    type: 'wallet-a-pay',
    merchantId: session.merchantId,
    authMethod: allowedAuthMethods.includes('CRYPTOGRAM_3DS') ? 'CRYPTOGRAM_3DS' : 'PAN_ONLY',
  });
  return { source: 'wallet-a-pay-token', walletAPayToken: { token } };
}
