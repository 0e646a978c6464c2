/** Whether a payment that is being accepted is to be authenticated, and what it carries for that. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type Authentication, eciShiftsLiability } from '../../shared/domain/threeds/authentication.js';
import { decideAuthentication } from '../../shared/domain/threeds/decide-authentication.js';
import { newThreeDsSessionId } from '../../shared/ids.js';
import type { ChosenMethod } from './choose-payment-method.js';
import type { PaymentRequestBody } from './payment-request.schema.js';
import { isWalletSource } from './resolve-source.js';
import type { SealedSource } from './seal-source.js';

/** Fields of the payment. The provider's settings are kept only where a provider is asked. */
export type PlannedAuthentication = Pick<Payment, 'threeDs' | 'threeDsSettings'>;

/** The part of a payment request that counts here. */
type Draft = Pick<PaymentRequestBody, 'amount' | 'browserDetails' | 'recurring'> & {
  readonly purpose: Payment['purpose'];
  readonly disableThreeds?: boolean;
  /** Set where the payer pays through a session: the thresholds of a checkout count. */
  readonly sessionTry?: object;
};

function refuseWithoutBrowser({ browserDetails }: Draft): void {
  const missing = (['ipAddress', 'userAgent'] as const).filter((field) => !browserDetails?.[field]);
  if (missing.length === 0) return;
  const params = Object.fromEntries(
    missing.map((field) => [`browserDetails.${field}`, ['is required: the payment is authenticated by 3D Secure']]),
  );
  throw new GatewayError('invalid-browser-details', { params });
}

/** What a wallet token held counts, not that it came from a wallet. */
const authenticatedAs = (source: SealedSource['source'], chargedAs: SealedSource['chargedAs']) =>
  chargedAs ?? (isWalletSource(source) ? 'wallet-pan-only' : source);

/** @throws {GatewayError} `invalid-browser-details` when the issuer is to be asked and the payer's browser is unknown. */
export function planAuthentication(
  draft: Draft,
  { source, chargedAs, external }: SealedSource,
  { threeDs: settings }: ChosenMethod,
): PlannedAuthentication {
  const facts = {
    channel: draft.sessionTry ? 'checkout' : 'api',
    source: authenticatedAs(source, chargedAs),
    amountMinor: draft.amount.totalMinor,
    currency: draft.amount.currency,
    purpose: draft.purpose,
    disabledForSession: draft.disableThreeds === true,
    recurring: draft.recurring?.type,
    external: external !== undefined,
  } as const;
  const decision = decideAuthentication(facts, settings);
  if (!decision) return {};
  if (external) {
    const { version, eci, dsTransactionId } = external;
    const liabilityShift = eciShiftsLiability(eci);
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
  if (!decision.required || !settings) return { threeDs: decision };
  refuseWithoutBrowser(draft);
  return {
    threeDs: { ...decision, provider: settings.provider, sessionId: newThreeDsSessionId(), status: 'created' },
    threeDsSettings: settings,
  };
}

/**
 * A PAN-only credential is either authenticated or comes with its cvc (docs/api.md#wallet-a).
 * @throws {GatewayError} `wallet-a-pay-pan-only-cvc-required`
 */
export function checkPanOnly(source: Pick<SealedSource, 'needsCvc'>, authenticates: boolean): void {
  if (source.needsCvc && !authenticates) throw new GatewayError('wallet-a-pay-pan-only-cvc-required');
}
