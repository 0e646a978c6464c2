/** wallet-a on the hosted checkout (contract, "Hosted wallet-a"). */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { PaymentMethodBody } from '../../shared/contract/payment/payment-method.schema.js';
import type { Session } from '../../shared/domain/session/session.js';
import { isOpenTo } from '../../shared/domain/wallet/integration.js';
import { mintSandboxToken } from './mint-wallet-token.js';
import type { SessionDeps } from './session-deps.js';

/**
 * Whether the page offers the wallet: the merchant's integration is active for hosted pages, and the session does not say no.
 * The wallet's own script runs with real wallets only: in the sandbox a pretend button has its place.
 */
export async function offersWalletA(deps: SessionDeps, session: Session): Promise<boolean> {
  const { checkout, paymentMethodTypes } = session.settings;
  if (deps.config.environment !== 'testing' || !checkout || session.token !== undefined) return false;
  if (!paymentMethodTypes.includes('card') || checkout.amountMode === 'flexible') return false;
  if (checkout.walletIntegrations?.walletAPay?.enabled === false) return false;
  // Which card a wallet holds is known too late for a link that takes some methods, or offers installments by method.
  if (session.paymentLink?.paymentMethods || session.paymentLink?.installments) return false;
  return isOpenTo(await deps.wallets.integrations.find(session.merchantId, 'wallet-a-pay'), 'hosted');
}

/**
 * What the pretend button pays with: a token as the wallet would hand it over, for a test card.
 * @throws {GatewayError} `conflict` where the page does not offer the wallet.
 */
export async function pretendWalletMethod(deps: SessionDeps, session: Session): Promise<PaymentMethodBody> {
  if (!(await offersWalletA(deps, session))) {
    throw new GatewayError('conflict', { message: 'This session takes no wallet.' });
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
