/** Presents payment links on the wire: an absent value is null. */

import type { Config } from '../../config/index.js';
import { presentParts } from '../../shared/contract/amount.schema.js';
import { presentItem } from '../../shared/contract/present-payment.js';
import { toDecimal } from '../../shared/domain/money/amount.js';
import type { PaymentAmount } from '../../shared/domain/payment/payment.js';
import {
  type LinkMerchantSettings,
  type LinkSettings,
  linkStatusAt,
  type PaymentLink,
} from '../../shared/domain/payment-link/payment-link.js';
import type { SplitDestination } from '../../shared/domain/payment-link/split.js';
import type { ApiDeps } from '../deps.js';

/** Returns the base address of the pages of links: `https://pay.example/links`, without a slash at the end. */
const linksUrlOf = ({ linksUrl, publicBaseUrl }: Pick<Config, 'linksUrl' | 'publicBaseUrl'>): string =>
  (linksUrl ?? `${publicBaseUrl}/links`).replace(/\/+$/, '');

/** Returns the address of the page of a link. It is shared, and drawn as a QR code. */
export const shareUrlOf = (config: Pick<Config, 'linksUrl' | 'publicBaseUrl'>, externalId: string): string =>
  `${linksUrlOf(config)}/${externalId}`;

const numberOrNull = (decimal: string | undefined) => (decimal === undefined ? null : Number(decimal));
const isoOrNull = (date: Date | undefined) => date?.toISOString() ?? null;

const presentAmount = (amount: PaymentAmount) => ({
  total: toDecimal(amount.totalMinor, amount.currency),
  currency: amount.currency,
  ...presentParts(amount),
});

function presentSettings(settings: LinkSettings): object {
  const { flexibleAmount } = settings;
  return {
    amountMode: settings.amountMode,
    paymentMethodTypes: settings.paymentMethodTypes ?? null,
    paymentMethods: settings.paymentMethods ?? null,
    installments: settings.installments ?? null,
    callbackUrl: settings.callbackUrl ?? null,
    flexibleAmount: flexibleAmount
      ? {
          minAmount: numberOrNull(flexibleAmount.minAmount),
          maxAmount: numberOrNull(flexibleAmount.maxAmount),
          suggestedAmount: numberOrNull(flexibleAmount.suggestedAmount),
          allowedCurrencies: flexibleAmount.allowedCurrencies ?? null,
        }
      : null,
    skipPreCheckout: settings.skipPreCheckout,
  };
}

function presentDestination({ amountRule, vatRule, ...rest }: SplitDestination): object {
  return {
    destinationMerchantId: rest.destinationMerchantId,
    subMerchantReference: rest.subMerchantReference ?? null,
    amountRule: { type: amountRule.type, value: 'value' in amountRule ? Number(amountRule.value) : null },
    vatRule: vatRule ? { type: vatRule.type, rate: numberOrNull(vatRule.rate) } : null,
    routingMetadata: rest.routingMetadata ?? null,
  };
}

/** Returns the public form of a link, with its current status. */
export function presentPaymentLink({ config, clock }: Pick<ApiDeps, 'config' | 'clock'>, link: PaymentLink): object {
  return {
    id: link._id,
    externalId: link.externalId,
    shareUrl: shareUrlOf(config, link.externalId),
    qrCodeUrl: `${config.publicBaseUrl}/v1/public/payment-links/${link.externalId}/qr.svg`,
    merchantId: link.merchantId,
    type: link.type,
    amount: link.amount ? presentAmount(link.amount) : null,
    settings: presentSettings(link.settings),
    validFrom: isoOrNull(link.validFrom),
    validUntil: isoOrNull(link.validUntil),
    displayName: link.displayName ?? null,
    description: link.description ?? null,
    items: link.items?.map(presentItem) ?? null,
    status: linkStatusAt(link, clock.now()),
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
    splitDestinations: link.splitDestinations.map(presentDestination),
  };
}

/** @param settings undefined when the merchant has no settings yet. */
export function presentLinkSettings(merchantId: number, settings: LinkMerchantSettings | undefined): object {
  return {
    merchantId,
    defaultExpirationMinutes: settings?.defaultExpirationMinutes ?? null,
    defaultCurrency: settings?.defaultCurrency ?? null,
    notificationUrl: settings?.notificationUrl ?? null,
    businessUrlName: settings?.businessUrlName ?? null,
    quickPayEnabled: settings?.quickPayEnabled ?? true,
  };
}
