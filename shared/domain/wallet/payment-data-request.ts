/** What the hosted checkout asks the wallet for, in the form that the wallet's own script takes. Pure. */
import { toDecimalText } from '../money/amount.js';
import { findCurrency } from '../money/currency.js';
import type { runtimeConfiguration } from './runtime-configuration.js';

type Configuration = ReturnType<typeof runtimeConfiguration>;
type MerchantInfo = Configuration['merchantInfo'] & { readonly merchantName?: string; readonly authJwt?: string };

/** Prices of the wallet have two decimals at most. */
const DECIMALS_MAX = 2;

/** Whether the wallet can show an amount of the currency as it is charged. */
export const canPrice = (currency: string): boolean =>
  (findCurrency(currency)?.exponent ?? DECIMALS_MAX) <= DECIMALS_MAX;

interface Order {
  readonly amount: { readonly totalMinor: number; readonly currency: string };
  /** ISO 3166 alpha-2, of the merchant. */
  readonly countryCode: string | undefined;
  /** What the payer reads where the integration names nobody. */
  readonly payeeName: string;
}

/** The configuration is used exactly as an integrator gets it; to it comes what is paid. */
export function paymentDataRequest(
  { merchantInfo, ...configuration }: Configuration & { readonly merchantInfo: MerchantInfo },
  { amount, countryCode, payeeName }: Order,
) {
  return {
    ...configuration,
    merchantInfo: { ...merchantInfo, merchantName: merchantInfo.merchantName ?? payeeName },
    transactionInfo: {
      totalPriceStatus: 'FINAL' as const,
      totalPrice: toDecimalText(amount.totalMinor, amount.currency),
      currencyCode: amount.currency,
      ...(countryCode !== undefined && { countryCode }),
      // The wallet's own button says "pay", not "continue": its token is charged at once.
      checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE' as const,
    },
  };
}

export type PaymentDataRequest = ReturnType<typeof paymentDataRequest>;
