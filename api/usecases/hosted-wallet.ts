/** wallet-a on the hosted checkout (contract, "Hosted wallet-a"). */
import type { Config } from '../../config/index.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { PaymentMethodBody } from '../../shared/contract/payment/payment-method.schema.js';
import { walletATokenText } from '../../shared/contract/wallet/wallet-token.schema.js';
import type { Session } from '../../shared/domain/session/session.js';
import { isOpenTo } from '../../shared/domain/wallet/integration.js';
import {
  canPrice,
  type PaymentDataRequest,
  paymentDataRequest,
} from '../../shared/domain/wallet/payment-data-request.js';
import { mintSandboxToken } from './mint-wallet-token.js';
import type { SessionDeps } from './session-deps.js';
import { configurationFor, hasMerchantId } from './wallet-configuration.js';

/** The wallet's own script, and what the page asks it for. */
export interface WalletScript {
  readonly url: string;
  /** Path of its client class from the window. */
  readonly client: string;
  /** Origins that it needs beside its own. */
  readonly origins: readonly string[];
  readonly request: PaymentDataRequest;
}

export type WalletButton = 'pretend' | WalletScript;

type ScriptConfig = Pick<Config, 'environment' | 'walletAScriptUrl' | 'walletAScriptClient' | 'walletAScriptOrigins'>;

/** The script of this installation; never one in testing, where a pretend button has its place. */
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

/** What the session itself has against a wallet. */
function allowsWallet({ settings, token, paymentLink }: Session): boolean {
  const { checkout, paymentMethodTypes, tokenization } = settings;
  if (!checkout || token !== undefined || checkout.walletIntegrations?.walletAPay?.enabled === false) return false;
  // The page has to tell the wallet how much is paid before the payer says so.
  if (!paymentMethodTypes.includes('card') || checkout.amountMode === 'flexible') return false;
  // Which card a wallet holds is known too late for what goes by the card: types, methods, installments by method.
  return !tokenization.allowedCardTypes && !paymentLink?.paymentMethods && !paymentLink?.installments;
}

/**
 * Whether the page offers the wallet: the merchant's integration is active for hosted pages, the session does not say no, and
 * there is a button: the wallet's own in production, one that pretends in testing.
 */
export async function offersWalletA(deps: SessionDeps, session: Session): Promise<boolean> {
  const testing = deps.config.environment === 'testing';
  if (!allowsWallet(session) || !(testing || scriptOf(deps.config))) return false;
  if (!testing && !canPrice(session.paymentRequest?.amount.currency ?? '')) return false;
  const integration = await deps.wallets.integrations.find(session.merchantId, 'wallet-a-pay');
  return (
    isOpenTo(integration, 'hosted') && integration?.profile !== undefined && hasMerchantId(deps, integration.profile)
  );
}

/** The button of a page that offers the wallet; undefined where the wallet knows none of the merchant's cards. */
export async function walletButton(deps: SessionDeps, session: Session): Promise<WalletButton | undefined> {
  if (deps.config.environment === 'testing') return 'pretend';
  const script = scriptOf(deps.config);
  const { totalMinor, currency } = session.paymentRequest?.amount ?? {};
  if (!script || totalMinor === undefined || currency === undefined) return undefined;
  const [integration, merchant] = await Promise.all([
    deps.wallets.integrations.find(session.merchantId, 'wallet-a-pay'),
    deps.merchants.findMerchant(session.merchantId),
  ]);
  const { profile } = integration ?? {};
  if (!integration || !profile) return undefined;
  const origin = new URL(deps.config.publicBaseUrl).origin;
  const configuration = await configurationFor({ ...deps, ...deps.walletPage }, { ...integration, profile }, origin);
  if (configuration.allowedPaymentMethods.some(({ parameters }) => parameters.allowedCardNetworks.length === 0)) {
    return undefined;
  }
  const order = { amount: { totalMinor, currency }, countryCode: merchant?.country, payeeName: merchant?.name ?? '' };
  return { ...script, request: paymentDataRequest(configuration, order) };
}

async function checkOffered(deps: SessionDeps, session: Session): Promise<void> {
  if (await offersWalletA(deps, session)) return;
  throw new GatewayError('conflict', { message: 'This session takes no wallet.' });
}

/**
 * What the wallet handed to the page, as any integrator would send it on.
 * @param token in base64, which the page made of it
 * @throws {GatewayError} `conflict` where the page does not offer the wallet; `invalid-card-payment-method-token`.
 */
export async function walletMethod(deps: SessionDeps, session: Session, token: string): Promise<PaymentMethodBody> {
  await checkOffered(deps, session);
  if (walletATokenText().validate(token).error) {
    throw new GatewayError('invalid-card-payment-method-token', { internal: 'the form holds no token of the wallet' });
  }
  return { source: 'wallet-a-pay-token', walletAPayToken: { token } };
}

/**
 * What the pretend button pays with: a token as the wallet would hand it over, for a test card.
 * @throws {GatewayError} `conflict` where the page does not offer the wallet, or its button is a real one.
 */
export async function pretendWalletMethod(deps: SessionDeps, session: Session): Promise<PaymentMethodBody> {
  await checkOffered(deps, session);
  if (deps.config.environment !== 'testing') {
    throw new GatewayError('conflict', { message: 'This page is paid with a token of the wallet.' });
  }
  const integration = await deps.wallets.integrations.find(session.merchantId, 'wallet-a-pay');
  const { allowedAuthMethods = [] } = integration?.profile ?? {};
  const token = await mintSandboxToken(deps, {
    type: 'wallet-a-pay',
    merchantId: session.merchantId,
    authMethod: allowedAuthMethods.includes('CRYPTOGRAM_3DS') ? 'CRYPTOGRAM_3DS' : 'PAN_ONLY',
  });
  return { source: 'wallet-a-pay-token', walletAPayToken: { token } };
}
