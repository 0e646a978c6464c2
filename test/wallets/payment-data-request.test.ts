/** The request of the checkout page to the wallet's script. */

import { canPrice, paymentDataRequest } from '../../api/wallets/payment-data-request.js';
import { runtimeConfiguration } from '../../api/wallets/runtime-configuration.js';
import type { PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import type { WalletIntegration } from '../../shared/domain/wallet/integration.js';

const now = new Date('2026-11-21T12:00:00Z');
const profile = {
  profileMode: 'service' as const,
  allowedAuthMethods: ['CRYPTOGRAM_3DS' as const],
  allowedOrigins: [],
  tosAcceptedAt: now,
  tosVersion: '1',
};
const integration: WalletIntegration & { profile: typeof profile } = {
  merchantId: 1001,
  walletType: 'wallet-a-pay',
  enabled: true,
  mode: 'hosted',
  configuredAt: now,
  lastUpdatedAt: now,
  profile,
};
const given = {
  environment: 'production' as const,
  gatewayName: 'gw',
  serviceMerchantId: 'service-id',
  methods: ['visa', 'oca', 'amex'] as PaymentMethodId[],
  origin: undefined,
};
const order = {
  amount: { totalMinor: 12_250, currency: 'USD' },
  cardTypes: undefined as readonly string[] | undefined,
  countryCode: 'UY',
  payeeName: 'Books',
  dynamicShipping: false,
};
const request = (more: object = {}, change: object = {}) =>
  paymentDataRequest(runtimeConfiguration({ ...integration, profile: { ...profile, ...change } }, given), {
    ...order,
    ...more,
  });

test('the request has the configuration and the amount', () => {
  expect(request()).toEqual({
    apiVersion: 2,
    apiVersionMinor: 0,
    environment: 'PRODUCTION',
    merchantInfo: { merchantId: 'service-id', merchantName: 'Books' },
    allowedPaymentMethods: [
      {
        type: 'CARD',
        parameters: { allowedAuthMethods: ['CRYPTOGRAM_3DS'], allowedCardNetworks: ['VISA', 'AMEX'] },
        tokenizationSpecification: {
          type: 'PAYMENT_GATEWAY',
          parameters: { gateway: 'gw', gatewayMerchantId: '1001' },
        },
      },
    ],
    transactionInfo: {
      totalPriceStatus: 'FINAL',
      totalPrice: '122.50',
      currencyCode: 'USD',
      countryCode: 'UY',
      checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE',
    },
  });
});

test('the names of the integration take precedence over those of the merchant', () => {
  const own = { profileMode: 'merchant', walletMerchantId: 'OWN', walletMerchantName: 'The Shop' };
  expect(request({}, { ...own, walletMerchantOrigin: 'shop.example.com' }).merchantInfo).toEqual({
    merchantId: 'OWN',
    merchantName: 'The Shop',
    merchantOrigin: 'shop.example.com',
  });
});

test('a request without an amount has no price: the page adds the price', () => {
  expect(request({ amount: undefined }).transactionInfo).toEqual({
    totalPriceStatus: 'FINAL',
    countryCode: 'UY',
    checkoutOption: 'COMPLETE_IMMEDIATE_PURCHASE',
  });
});

test.each([
  [['credit'], { allowPrepaidCards: false }],
  [['credit', 'debit'], { allowPrepaidCards: false }],
  [['debit'], { allowPrepaidCards: false, allowCreditCards: false }],
])('a session that accepts %j restricts the wallet, as far as the wallet can express it', (cardTypes, parameters) => {
  const { allowedCardNetworks, allowedAuthMethods, ...said } =
    request({ cardTypes }).allowedPaymentMethods[0]?.parameters ?? {};
  expect([allowedCardNetworks?.length, allowedAuthMethods?.length, said]).toEqual([2, 1, parameters]);
});

test('a merchant without a country sends none', () => {
  expect(request({ countryCode: undefined }).transactionInfo).not.toHaveProperty('countryCode');
});

test.each([
  [1, 'USD', '0.01'],
  [100, 'USD', '1.00'],
  [122_000, 'UYU', '1220.00'],
  [1_500, 'JPY', '1500'],
  [90_071_992_547_409, 'USD', '900719925474.09'],
])('%i of %s is the price %s', (totalMinor, currency, text) => {
  expect(request({ amount: { totalMinor, currency } }).transactionInfo).toMatchObject({
    totalPrice: text,
    currencyCode: currency,
  });
});

test.each([
  ['USD', true],
  ['JPY', true],
  ['KWD', false],
])('%s can be priced: %s', (currency, can) => expect(canPrice(currency)).toBe(can));

test('with dynamic shipping the wallet asks for an address and notifies the page', () => {
  expect(request({ dynamicShipping: true })).toEqual({
    ...request(),
    shippingAddressRequired: true,
    callbackIntents: ['SHIPPING_ADDRESS'],
  });
});
