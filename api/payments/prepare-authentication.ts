/** Prepares 3D Secure for a payment that is being accepted. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type Authentication, eciShiftsLiability } from '../../shared/domain/threeds/authentication.js';
import { type AuthenticationFacts, decideAuthentication } from '../../shared/domain/threeds/decide-authentication.js';
import { isWalletSource } from '../../shared/domain/wallet/integration.js';
import { missingBrowserFields } from '../../shared/threeds-providers/browser-fields.js';
import type { ChosenMethod } from './choose-payment-method.js';
import { isSameView } from './first-payment.js';
import type { PaymentChannel, PaymentDraft } from './payment-draft.js';
import type { SealedSource } from './payment-source.js';

/** Fields of the payment: facts for the evaluation, or an authentication that the merchant did. */
export type PlannedAuthentication = Pick<Payment, 'threeDs' | 'threeDsFacts' | 'threeDsSettings'>;

/** Part of a payment request that authentication depends on. */
type Draft = Pick<
  PaymentDraft,
  'amount' | 'browserDetails' | 'recurring' | 'purpose' | 'disableThreeds' | 'cardToAuthenticate'
>;

function refuseWithoutBrowser({ browserDetails }: Draft, provider: string): void {
  const missing = missingBrowserFields(provider, browserDetails);
  if (missing.length === 0) return;
  const params = Object.fromEntries(
    missing.map((field) => [`browserDetails.${field}`, ['is required: the payment is authenticated by 3D Secure']]),
  );
  throw new GatewayError('invalid-browser-details', { params });
}

/** For a wallet, the credential in the token decides, not that it came from a wallet. */
const authenticatedAs = (source: SealedSource['source'], chargedAs: SealedSource['chargedAs']) =>
  chargedAs ?? (isWalletSource(source) ? 'wallet-pan-only' : source);

/** Whether the payer uses the card again that its issuer declined without an authentication. */
const isCardAgain = ({ cardToAuthenticate: declined }: Draft, { view }: SealedSource): boolean =>
  declined !== undefined && isSameView(declined, view);

/**
 * Prepares the fields for 3D Secure. When the merchant uses it, the `threeds` pool evaluates each payment; it gets the facts that
 * the rules look at. The rules are also evaluated here, to refuse at once a payment that could not be authenticated.
 * @throws {GatewayError} `invalid-browser-details` when the payer must be authenticated and the payer's browser is unknown;
 *   `wallet-a-pay-pan-only-cvc-required`
 */
export function prepareAuthentication(
  draft: Draft,
  channel: PaymentChannel,
  source: SealedSource,
  { threeDs: settings }: ChosenMethod,
): PlannedAuthentication {
  const { external } = source;
  const facts: AuthenticationFacts = {
    channel: channel === 'hosted' ? 'checkout' : 'api',
    source: authenticatedAs(source.source, source.chargedAs),
    amountMinor: draft.amount.totalMinor,
    currency: draft.amount.currency,
    purpose: draft.purpose,
    disabledForSession: draft.disableThreeds === true,
    recurring: draft.recurring?.type,
    external: external !== undefined,
    ...(isCardAgain(draft, source) && { issuerRequired: true }),
  };
  const decision = decideAuthentication(facts, settings);
  if (decision?.required) refuseWithoutBrowser(draft, settings?.provider ?? '');
  checkPanOnly(source, draft.recurring, decision?.required === true);
  if (!decision) return {};
  if (!external) return { threeDsFacts: facts, threeDsSettings: settings };
  const { version, eci, dsTransactionId } = external;
  // A proof of the merchant's own does not say whether the payer took part. In the first payment of an agreement the payer does.
  const liabilityShift = eciShiftsLiability(eci, source.brand ?? '', draft.recurring?.type === 'initial');
  const threeDs: Authentication = {
    ...decision,
    status: 'authenticated',
    version,
    eci,
    dsTransactionId,
    liabilityShift,
  };
  return { threeDs };
}

/**
 * Checks that a PAN-only credential is authenticated or comes with its cvc (docs/api.md#wallet-a). A later charge of a saved one needs
 * neither: its payer gave one of them with the first payment, and is not there any more.
 * @throws {GatewayError} `wallet-a-pay-pan-only-cvc-required`
 */
function checkPanOnly(
  { needsCvc, source }: Pick<SealedSource, 'needsCvc' | 'source'>,
  recurring: Draft['recurring'],
  authenticates: boolean,
): void {
  const isWithoutPayer = source === 'token' && recurring?.type === 'subsequent';
  if (needsCvc && !authenticates && !isWithoutPayer) throw new GatewayError('wallet-a-pay-pan-only-cvc-required');
}
