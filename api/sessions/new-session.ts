/** Builds the session to store from a validated request. Pure except for the ids. */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import { parseAmount } from '../../shared/domain/money/amount.js';
import type { Principal } from '../../shared/domain/principal.js';
import {
  type CheckoutSettings,
  type Session,
  type SessionPaymentRequest,
  type SessionSettings,
  sessionFeatures,
  sessionMethodTypes,
  type TokenizationSettings,
} from '../../shared/domain/session/session.js';
import { after, MINUTE_MS } from '../../shared/domain/time.js';
import type { WalletMode } from '../../shared/domain/wallet/integration.js';
import { newInstrumentToken } from '../../shared/ids.js';
import { currencyOf, type SessionBody, type SessionSettingsBody } from './session-request.schema.js';

/** Parses an amount. The schema has already checked that it is valid. */
function minorOf(total: string, currency: string): number {
  const parsed = parseAmount(total, currency);
  if (parsed.kind === 'problem') throw new Error(`an amount of a session does not parse: ${parsed.problem}`);
  return parsed.minor;
}

function toRequest(body: SessionBody): SessionPaymentRequest | undefined {
  const { paymentRequest } = body;
  if (!paymentRequest) return undefined;
  const { referenceId, invoiceNumber, installments, amount, metadata } = paymentRequest;
  const currency = currencyOf(body);
  const total = amount?.total;
  return {
    referenceId,
    invoiceNumber,
    ...(installments !== undefined && { installments }),
    amount: {
      ...(total !== undefined && currency !== undefined && { totalMinor: minorOf(total, currency) }),
      ...(currency !== undefined && { currency }),
    },
    ...(metadata && { metadata: fromMap(metadata) }),
  };
}

function toTokenization(sent: SessionSettingsBody['tokenization']): TokenizationSettings {
  const { verifyFunds, features, ...rest } = sent ?? {};
  return {
    type: 'temporal',
    ...rest,
    features: features ?? sessionFeatures,
    ...(verifyFunds && {
      verifyFunds: {
        amountMinor: minorOf(verifyFunds.amount, verifyFunds.currency),
        currency: verifyFunds.currency,
      },
    }),
  };
}

function toCheckout(sent: SessionSettingsBody['checkout'], mode: WalletMode | undefined): CheckoutSettings {
  const said = sent?.walletIntegrations?.walletAPay;
  // Stored when the request says something about the wallet, or when the integration has a mode to show.
  const wallet = said ?? (mode && {});
  return {
    amountMode: sent?.amountMode ?? 'fixed',
    disableThreeds: sent?.disableThreeds ?? false,
    ...(sent?.flexibleAmount && { flexibleAmount: sent.flexibleAmount }),
    ...(wallet && {
      walletIntegrations: {
        walletAPay: {
          // Only the gateway sets the mode: the request's own value is ignored.
          ...defined({ mode, enabled: said?.enabled, dynamicShipping: said?.dynamicShipping }),
        },
      },
    }),
  };
}

function toSettings({ type, settings }: SessionBody, walletMode: WalletMode | undefined): SessionSettings {
  return {
    paymentMethodTypes: settings?.paymentMethodTypes ?? (type === 'checkout' ? sessionMethodTypes : ['card']),
    tokenization: toTokenization(settings?.tokenization),
    // A tokenization does not use these settings, but shows them when they were sent.
    ...((type === 'checkout' || settings?.checkout) && { checkout: toCheckout(settings?.checkout, walletMode) }),
    ...(settings?.callbacks && { callbacks: settings.callbacks }),
    ...(settings?.redirects && { redirects: settings.redirects }),
  };
}

/** What the session gets besides what was sent. */
interface Made {
  readonly id: string;
  readonly principal: Principal;
  readonly traceId: string;
  readonly requestDigest: string;
  readonly now: Date;
  /** Its settings decide how long the session lives. */
  readonly config: Pick<Config, 'sessionLifetimeMinutes' | 'timeScale'>;
  /** Mode of the merchant's wallet-a integration, while it is active. */
  readonly walletMode?: WalletMode | undefined;
}

export function newSession(body: SessionBody, made: Made): Session {
  const { principal, now, config } = made;
  const paymentRequest = toRequest(body);
  const expiresAt = after(now, (config.sessionLifetimeMinutes * MINUTE_MS) / config.timeScale);
  return {
    _id: made.id,
    clientId: principal.clientId,
    keyId: principal.rootKeyId ?? principal.keyId,
    merchants: principal.merchants,
    merchantId: body.merchantId,
    traceId: made.traceId,
    type: body.type,
    referenceId: body.referenceId,
    requestDigest: made.requestDigest,
    status: 'pending',
    version: 1,
    createdAt: now,
    updatedAt: now,
    expiresAt,
    ...defined({ customerId: body.customerId, paymentRequest, browserDetails: body.browserDetails }),
    ...(body.token !== undefined && { token: body.token.toLowerCase() }),
    settings: toSettings(body, made.walletMode),
    ...(body.type === 'tokenization' && { instrumentToken: newInstrumentToken() }),
    tries: 0,
    checkAt: expiresAt,
    events: [],
    eventSeq: 0,
    removeAt: after(now, limits.sessionRetentionMs),
  };
}
