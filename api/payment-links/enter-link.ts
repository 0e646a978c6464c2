/** Leads a payer from the page of a link to the checkout. */

import { limits } from '../../config/limits.js';
import { conflict } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import type { Merchant } from '../../shared/domain/merchant.js';
import { parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { type FlexibleAmount, type Session, sessionMethodTypes } from '../../shared/domain/session/session.js';
import { after } from '../../shared/domain/time.js';
import { type AvailabilityToPayer, availabilityOf } from '../../shared/flows/settle-link.js';
import { idFrom, newSeed } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { chargeableCurrencies } from '../merchants/check-chargeable.js';
import { type Payee, payeeOf } from '../merchants/payee.js';
import { chosenAmount } from '../sessions/chosen-amount.js';
import { newSession } from '../sessions/new-session.js';
import { storeSession } from '../sessions/store-session.js';
import { divideAmount } from './divide-amount.js';
import { hasSuspendedPart } from './suspended-part.js';

/** A link with everything that its page shows. */
export interface HostedLink {
  readonly link: PaymentLink;
  readonly availability: AvailabilityToPayer;
  /** Currencies in which a payer can pay the link now. None: its merchant or that of a part is suspended, or no method can be charged. */
  readonly payableIn: readonly string[];
  readonly merchant: Payee;
}

export interface ChosenLinkAmount {
  /** Decimal text. */
  readonly total: string;
  readonly currency: string;
}

const EXTERNAL_ID = /^[0-9a-f]{32}$/;

type PayableLink = Pick<HostedLink, 'link' | 'payableIn'>;

/** Returns the bounds of the amount, as a session takes them; undefined when the amount is fixed. */
export function boundsOfLink({ link: { settings }, payableIn }: PayableLink): FlexibleAmount | undefined {
  if (settings.amountMode === 'fixed') return undefined;
  const { minAmount, maxAmount } = settings.flexibleAmount ?? {};
  return {
    allowedCurrencies: payableIn,
    ...defined({ minAmount, maxAmount }),
  };
}

/** Returns the prefilled amount, which the payer may change, and its currency; `{}` when none can be suggested. */
export function suggestionOfLink({ link, payableIn }: PayableLink): Partial<ChosenLinkAmount> {
  const { settings, amount } = link;
  const [currency] = payableIn;
  if (settings.amountMode === 'fixed' || currency === undefined) return {};
  const own = amount?.currency === currency ? toDecimalText(amount.totalMinor, currency) : undefined;
  const total = settings.flexibleAmount?.suggestedAmount ?? own;
  // It was checked in the first currency of the link, which may be one that cannot be paid now.
  return total !== undefined && parseAmount(total, currency).kind === 'amount' ? { total, currency } : {};
}

/** @param merchant merchant of the link */
async function payableCurrencies(
  deps: ApiDeps,
  link: PaymentLink,
  merchant: Merchant | undefined,
): Promise<readonly string[]> {
  if (merchant?.status === 'suspended' || (await hasSuspendedPart(deps, link))) return [];
  const { merchantId, currencies, settings } = link;
  const { paymentMethodTypes: types = sessionMethodTypes, paymentMethods: ids } = settings;
  return chargeableCurrencies(deps, { merchantId, types, ids, currencies });
}

/** Finds the link of a page, in any status; undefined when it does not exist. */
export async function findHostedLink(deps: ApiDeps, externalId: string): Promise<HostedLink | undefined> {
  // No other id can be in the database.
  const link = EXTERNAL_ID.test(externalId) ? await deps.links.findByExternalId(externalId) : undefined;
  if (!link) return undefined;
  const merchant = await deps.merchants.findMerchant(link.merchantId);
  const [availability, payableIn] = await Promise.all([
    availabilityOf(deps, link, deps.clock.now()),
    payableCurrencies(deps, link, merchant),
  ]);
  return { link, availability, payableIn, merchant: payeeOf(merchant) };
}

/**
 * Decides the amount of the session: fixed by the link, chosen on the page, or still to be chosen in the checkout.
 * @throws {GatewayError} `400` naming `amount.total` or `amount.currency`.
 */
function amountFor(hosted: PayableLink, chosen: ChosenLinkAmount | undefined) {
  const { link } = hosted;
  const bounds = boundsOfLink(hosted);
  if (!bounds) {
    const { totalMinor = 0, currency = '' } = link.amount ?? {};
    return { amount: { total: toDecimalText(totalMinor, currency), currency } };
  }
  if (!chosen) {
    return {
      amount: suggestionOfLink(hosted),
      checkout: { amountMode: 'flexible' as const, flexibleAmount: bounds },
    };
  }
  divideAmount(link, chosenAmount(bounds, chosen));
  return { amount: chosen };
}

/**
 * Creates the session of one payer. It claims nothing yet: the payment claims a one-time link.
 * @throws {GatewayError} `conflict` when the link is not open; `400` naming `amount.total` or `amount.currency`.
 */
export async function enterLink(
  deps: ApiDeps,
  hosted: HostedLink,
  chosen: ChosenLinkAmount | undefined,
  traceId: string,
): Promise<{ session: Session; token: string }> {
  const { link, availability } = hosted;
  if (availability !== 'open') throw conflict('The payment link does not accept payments.');
  const { amount, checkout } = amountFor(hosted, chosen);
  const reference = `${link.externalId}-${await deps.links.countEntry(link._id)}`;
  const settings = await deps.linkSettings.find(link.merchantId);
  const paymentCallbackUrl = link.settings.callbackUrl ?? settings?.notificationUrl;
  const { paymentMethods, installments, paymentMethodTypes } = link.settings;
  const body = {
    merchantId: link.merchantId,
    referenceId: reference,
    type: 'checkout' as const,
    paymentRequest: { referenceId: reference, invoiceNumber: reference.slice(0, limits.invoiceLengthMax), amount },
    settings: {
      tokenization: { features: [] },
      ...defined({ paymentMethodTypes, checkout }),
      ...(paymentCallbackUrl !== undefined && { callbacks: { paymentCallbackUrl } }),
    },
  };
  const made = newSession(body, {
    id: idFrom('ses', newSeed()),
    principal: { clientId: link.clientId, keyId: link.keyId, merchants: link.merchants },
    traceId,
    requestDigest: '',
    now: deps.clock.now(),
    config: deps.config,
  });
  const session: Session = {
    ...made,
    // Not in the list of any key: the integrator sees the link and its payments.
    keyId: '',
    // A visitor can create many sessions. An unused one is removed soon, and reserves no reference.
    removeAt: after(made.expiresAt, limits.unusedEntryKeptMs),
    paymentLink: {
      id: link._id,
      externalId: link.externalId,
      ...defined({ displayName: link.displayName, paymentMethods, installments }),
    },
  };
  const stored = await storeSession(deps, session);
  return { session: stored, token: deps.sessionTokens.tokenOf(stored) };
}

/** Finds the merchant's newest quick-pay link by the merchant's business name in URLs. */
export async function findQuickPayLink(
  deps: Pick<ApiDeps, 'linkSettings' | 'links' | 'clock'>,
  businessUrlName: string,
): Promise<PaymentLink | undefined> {
  const settings = await deps.linkSettings.findByName(businessUrlName);
  return settings?.quickPayEnabled ? deps.links.findQuickPay(settings, deps.clock.now()) : undefined;
}
