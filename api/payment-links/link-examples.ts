/** Worked examples of payment links. */
import { approvedPayment } from '../payments/payment-examples.js';

const settings = { amountMode: 'fixed', installments: { '*': [1, 3], visa: [1, 3, 6] } };
const items = [{ referenceId: 'sku-1', name: 'Book', quantity: 2, price: 61 }];
const splitDestination = {
  destinationMerchantId: 1002,
  subMerchantReference: 'stall-7',
  amountRule: { type: 'percentage', value: 10 },
};

export const fixedLinkRequest = {
  merchantId: 1001,
  type: 'one-time',
  amount: { total: 122, currency: 'USD' },
  settings,
  displayName: 'Order 731',
  items,
  splitDestinations: [splitDestination],
};

export const quickPayRequest = {
  merchantId: 1001,
  type: 'quick-pay',
  settings: { amountMode: 'flexible', flexibleAmount: { minAmount: 1, maxAmount: 500, allowedCurrencies: ['USD'] } },
  displayName: 'At the counter',
};

export const linkId = { linkId: '5d0c6f2f-1e7a-4b0b-8a3c-1d2e3f405162' };
export const externalId = { externalId: '0a1b2c3d4e5f60718293a4b5c6d7e8f9' };
export const splitDestinations = [splitDestination, { destinationMerchantId: 1003, amountRule: { type: 'residual' } }];

const base = 'https://gateway.example.com';

export const paymentLink = {
  id: linkId.linkId,
  externalId: externalId.externalId,
  shareUrl: `${base}/links/${externalId.externalId}`,
  qrCodeUrl: `${base}/v1/public/payment-links/${externalId.externalId}/qr.svg`,
  merchantId: 1001,
  type: 'one-time',
  amount: { total: 122, currency: 'USD' },
  settings: {
    ...settings,
    paymentMethodTypes: null,
    paymentMethods: null,
    callbackUrl: null,
    flexibleAmount: null,
    skipPreCheckout: false,
  },
  validFrom: null,
  validUntil: null,
  displayName: 'Order 731',
  description: null,
  items,
  status: 'active',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  splitDestinations: [{ ...splitDestination, vatRule: null, routingMetadata: null }],
};

export const dividedLink = {
  ...paymentLink,
  splitDestinations: [
    ...paymentLink.splitDestinations,
    {
      destinationMerchantId: 1003,
      subMerchantReference: null,
      amountRule: { type: 'residual', value: null },
      vatRule: null,
      routingMetadata: null,
    },
  ],
};

const { metadata: _ofTheApi, ...made } = approvedPayment;
const reference = `${externalId.externalId}-1`;

export const linkPayment = {
  ...made,
  referenceId: reference,
  invoiceNumber: reference,
  processingMethod: 'link',
  sessionId: 'ses_2c1d9e3f5a7b4d2a9c1e3f5a7b9d1c3e',
  attempt: 1,
  paymentLinkId: linkId.linkId,
  amount: { ...made.amount, total: 122, captured: 122 },
  transactions: made.transactions.map((purchase) => ({ ...purchase, referenceId: reference, amount: 122 })),
  split: [
    { merchantId: 1002, subMerchantReference: 'stall-7', amount: 12.2, refunded: 0 },
    { merchantId: 1001, amount: 109.8, refunded: 0 },
  ],
};

export const linkSettings = {
  merchantId: 1001,
  defaultExpirationMinutes: 1440,
  defaultCurrency: 'USD',
  notificationUrl: 'https://shop.example.com/callbacks/links',
  businessUrlName: 'casa-lumbre',
  quickPayEnabled: true,
};
