/** Sessions as the API shows them (docs/api.md#sessions). */

import { toMap } from '../../shared/contract/present-payment.js';
import { toDecimal } from '../../shared/domain/money/amount.js';
import { sessionStatusAt } from '../../shared/domain/session/rules.js';
import type {
  CheckoutSettings,
  Session,
  SessionPaymentRequest,
  TokenizationSettings,
} from '../../shared/domain/session/session.js';
import type { SessionStatus } from '../../shared/domain/session/statuses.js';
import { readNewestTry } from '../../shared/flows/settle-session.js';
import type { ApiDeps } from '../deps.js';

type Deps = Pick<ApiDeps, 'config' | 'clock' | 'sessionTokens' | 'payments' | 'instruments'>;

function presentActions({ config, sessionTokens }: Pick<Deps, 'config' | 'sessionTokens'>, session: Session): object[] {
  const { _id, type } = session;
  const token = sessionTokens.tokenOf(session);
  const url = (path: string) => `${config.publicBaseUrl}/${path}/${_id}?token=${token}`;
  if (type === 'checkout') return [{ rel: 'self', href: url('checkout'), method: 'REDIRECT' }];
  return [
    { rel: 'REDIRECT', href: url('tokenization') },
    { rel: 'EMBEDDED', href: url('tokenization/embedded') },
  ];
}

function presentTokenization({ verifyFunds, cardholder, ...rest }: TokenizationSettings): object {
  return {
    ...rest,
    ...(verifyFunds && {
      verifyFunds: {
        amount: toDecimal(verifyFunds.amountMinor, verifyFunds.currency),
        currency: verifyFunds.currency,
      },
    }),
    ...(cardholder && {
      cardholder: { ...cardholder, ...(cardholder.birthdate && { birthdate: cardholder.birthdate.toISOString() }) },
    }),
  };
}

function presentCheckout({ flexibleAmount, walletIntegrations, ...rest }: CheckoutSettings): object {
  const wallet = walletIntegrations?.walletAPay;
  return {
    ...rest,
    ...(flexibleAmount && {
      flexibleAmount: {
        allowedCurrencies: flexibleAmount.allowedCurrencies,
        ...(flexibleAmount.minAmount !== undefined && { minAmount: Number(flexibleAmount.minAmount) }),
        ...(flexibleAmount.maxAmount !== undefined && { maxAmount: Number(flexibleAmount.maxAmount) }),
      },
    }),
    ...(wallet && {
      walletIntegrations: {
        walletAPay: {
          enabled: wallet.enabled ?? true,
          mode: wallet.mode ?? null,
          dynamicShipping: wallet.dynamicShipping ?? false,
        },
      },
    }),
  };
}

function presentSettings({ settings }: Session): object {
  const { tokenization, checkout, ...rest } = settings;
  return {
    ...rest,
    tokenization: presentTokenization(tokenization),
    ...(checkout && { checkout: presentCheckout(checkout) }),
  };
}

function presentRequest({ amount, metadata, ...rest }: SessionPaymentRequest): object {
  const { totalMinor, currency } = amount;
  return {
    ...rest,
    amount: {
      ...(totalMinor !== undefined && currency !== undefined && { total: toDecimal(totalMinor, currency) }),
      ...(currency !== undefined && { currency }),
    },
    ...(metadata && { metadata: toMap(metadata) }),
  };
}

/**
 * Returns the status of a session at this moment. The newest try is read only where it decides: at the end of a session that no sweep
 * has stored yet, because a payment in flight may still complete it.
 */
export async function statusOfSession(
  deps: Pick<ApiDeps, 'clock' | 'payments' | 'instruments'>,
  session: Session,
): Promise<SessionStatus> {
  const now = deps.clock.now();
  const shown = sessionStatusAt(session, now);
  if (shown === session.status || session.tries === 0) return shown;
  return sessionStatusAt(session, now, (await readNewestTry(deps, session)).state);
}

/** Returns the public form of a session, with its status at this moment. */
export async function presentSession(deps: Deps, session: Session): Promise<object> {
  return {
    id: session._id,
    merchantId: session.merchantId,
    referenceId: session.referenceId,
    type: session.type,
    status: await statusOfSession(deps, session),
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    ...(session.customerId !== undefined && { customerId: session.customerId }),
    ...(session.paymentRequest && { paymentRequest: presentRequest(session.paymentRequest) }),
    actions: presentActions(deps, session),
    settings: presentSettings(session),
  };
}
