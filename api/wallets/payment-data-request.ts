/** Builds the hosted checkout's request to the wallet, in the form that the wallet's own script takes. Pure. */
import { toDecimalText } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { runtimeConfiguration } from './runtime-configuration.js';

type Configuration = ReturnType<typeof runtimeConfiguration>;
type MerchantInfo = Configuration['merchantInfo'] & { readonly merchantName?: string; readonly authJwt?: string };

/** The wallet allows at most two decimals in prices. */
const DECIMALS_MAX = 2;

/** Whether the wallet can show an amount in this currency exactly as it is charged. */
export const canPrice = (currency: string): boolean =>
  (findCurrency(currency)?.exponent ?? DECIMALS_MAX) <= DECIMALS_MAX;

interface Order {
  /** Absent when the payer chooses the amount: then the page fills in `totalPrice` and `currencyCode`. */
  readonly amount: { readonly totalMinor: number; readonly currency: string } | undefined;
  /** Accepted types of cards; absent: all. */
  readonly cardTypes: readonly string[] | undefined;
  /** ISO 3166 alpha-2 code of the merchant's country. */
  readonly countryCode: string | undefined;
  /** Whether the wallet asks the payer for an address, and the page for the resulting price. */
  readonly dynamicShipping: boolean;
  /** Name shown to the payer when the integration has none. */
  readonly payeeName: string;
}

/** Lets the wallet leave out cards that would be refused. It has no parameter for debit cards. */
const typeParameters = (cardTypes: Order['cardTypes']) =>
  cardTypes && { allowPrepaidCards: false, ...(!cardTypes.includes('credit') && { allowCreditCards: false }) };

/** Adds the order to the configuration that integrators get too. */
export function paymentDataRequest(
  configuration: Configuration & { readonly merchantInfo: MerchantInfo },
  { amount, cardTypes, countryCode, payeeName, dynamicShipping }: Order,
) {
  const { merchantInfo, allowedPaymentMethods } = configuration;
  return {
    ...configuration,
    merchantInfo: { ...merchantInfo, merchantName: merchantInfo.merchantName ?? payeeName },
    allowedPaymentMethods: allowedPaymentMethods.map((method) => ({
      ...method,
      parameters: { ...method.parameters, ...typeParameters(cardTypes) },
    })),
    transactionInfo: {
      totalPriceStatus: 'FINAL' as const,
      ...(amount && {
        totalPrice: toDecimalText(amount.totalMinor, amount.currency),
        currencyCode: amount.currency,
      }),
      ...(countryCode !== undefined && { countryCode }),
      // The wallet's own button then says "pay", not "continue", because the token is charged at once.
      checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE' as const,
    },
    ...(dynamicShipping && { shippingAddressRequired: true, callbackIntents: ['SHIPPING_ADDRESS'] }),
  };
}

export type PaymentDataRequest = ReturnType<typeof paymentDataRequest>;
