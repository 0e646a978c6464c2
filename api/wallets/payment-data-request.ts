/** What the hosted checkout asks the wallet for, in the form that the wallet's own script takes. Pure. */
import { toDecimalText } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { runtimeConfiguration } from './runtime-configuration.js';

type Configuration = ReturnType<typeof runtimeConfiguration>;
type MerchantInfo = Configuration['merchantInfo'] & { readonly merchantName?: string; readonly authJwt?: string };

/** Prices of the wallet have two decimals at most. */
const DECIMALS_MAX = 2;

/** Whether the wallet can show an amount of the currency as it is charged. */
export const canPrice = (currency: string): boolean =>
  (findCurrency(currency)?.exponent ?? DECIMALS_MAX) <= DECIMALS_MAX;

interface Order {
  /** Absent where the payer says how much: then the page fills in `totalPrice` and `currencyCode`. */
  readonly amount: { readonly totalMinor: number; readonly currency: string } | undefined;
  /** Types of cards that are taken; absent: all. */
  readonly cardTypes: readonly string[] | undefined;
  /** ISO 3166 alpha-2, of the merchant. */
  readonly countryCode: string | undefined;
  /** The wallet asks the payer for an address, and the page for what follows from it. */
  readonly dynamicShipping: boolean;
  /** What the payer reads where the integration has no name. */
  readonly payeeName: string;
}

/** The wallet leaves out what would be refused; it knows nothing of debit cards by themselves. */
const typeParameters = (cardTypes: Order['cardTypes']) =>
  cardTypes && { allowPrepaidCards: false, ...(!cardTypes.includes('credit') && { allowCreditCards: false }) };

/** The configuration is used as an integrator gets it; to it comes what is paid. */
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
      // The wallet's own button says "pay", not "continue": its token is charged at once.
      checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE' as const,
    },
    ...(dynamicShipping && { shippingAddressRequired: true, callbackIntents: ['SHIPPING_ADDRESS'] }),
  };
}

export type PaymentDataRequest = ReturnType<typeof paymentDataRequest>;
