/**
 * For each operation with a body those that together set every field of its schema, the fullest one first. A field or an
 * operation that is missing here fails. The fullest body of a payment is in payment-fields.ts.
 */
import { cardOnlyFields } from '../../api/payments/payment-request.schema.js';
import { paymentMethodIds } from '../../shared/domain/payment-method-catalog.js';
import { facilitatorSettings, gatewaySettings } from '../support/merchant-settings.js';
import {
  address,
  browserDetails,
  CARD_NUMBER,
  createPayment,
  metadata,
  paymentMethod,
  SECRET_CVC,
} from './payment-fields.js';

/** A bank transfer has no card, and nothing that is only allowed with cards. */
const transferOnly = { source: 'bank-transfer', id: 'instant-transfer' };

const verifyPayment = {
  merchantId: 1001,
  referenceId: 'maximal-verify-1',
  invoiceNumber: 'INV-MAX-2',
  amount: { currency: 'USD' },
  paymentMethod,
  browserDetails,
  metadata,
};

/** The other sources, each with its own member in the place of the card. */
const token = { token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90', cvc: SECRET_CVC };
const networkToken = {
  number: CARD_NUMBER,
  expMonth: 11,
  expYear: 2041,
  cryptogram: 'AAAAAAAAAAAAAAAAAAAAAA==',
  eci: '05',
};
const clickToPayToken = { correlationId: 'c2p-1', merchantTransactionId: 'mtx-1', scheme: 'visa' };

const paidBy = <B extends object>(body: B, method: Record<string, unknown>) => ({ ...body, paymentMethod: method });
const byToken = { source: 'token', paymentInstrument: token };
const byNetworkToken = { source: 'network-token', id: 'visa', networkToken };
const walletHolder = { firstName: 'Ana', lastName: 'Núñez 🌞', email: 'ana@example.com' };
const walletAText = Buffer.from('{"protocolVersion":"ECv2"}').toString('base64');
const byWalletA = {
  source: 'wallet-a-pay-token',
  walletAPayToken: { token: walletAText, cardholder: walletHolder, cvc: SECRET_CVC },
};
const byWalletB = {
  source: 'wallet-b-pay-token',
  walletBPayToken: { token: '{"version":"EC_v1"}', cardholder: walletHolder },
};
const tokenization = {
  merchantId: 1001,
  customerId: 'cus_00000000000000000000000000000001',
  type: 'store',
  paymentMethod: {
    source: 'wallet-a-pay-token',
    walletAPayToken: { token: walletAText, cardholder: { name: 'Ana Núñez 🌞' }, cvc: SECRET_CVC },
  },
};
const walletBToken = { token: '{"version":"EC_v1"}', cardholder: { name: 'Ana Núñez 🌞' } };
const tokenizedB = { source: 'wallet-b-pay-token', walletBPayToken: walletBToken };

const byClickToPay = { source: 'click-to-pay-token', clickToPayToken };

const customer = {
  referenceId: 'maximal-customer-1',
  metadata,
  description: 'Likes books',
  email: 'ana@example.com',
  phone: '+598 99 123 456',
  firstName: 'Ana',
  lastName: 'Núñez 🌞',
  document: { type: 3, value: '1234567-8' },
  identification: { type: 2, value: '219999830019' },
  birthdate: '1990-02-28',
  address,
  shipping: { address: { ...address }, name: 'Ana Núñez', phone: '099 123 456' },
  status: 'active',
};

/** What a GET answered, sent back. */
const readCustomer = {
  ...customer,
  id: 'cus_00000000000000000000000000000001',
  name: 'Ana Núñez 🌞',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};

const readMethod = {
  name: 'Cabal',
  type: 'card',
  mode: 'gateway',
  threeDS: { enabled: false, provider: null },
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};
const byRoutes = {
  routes: [
    {
      paymentProcessor: { id: 'sandbox', acquirer: 'acquirer-1' },
      merchantIdentificationNumber: '77',
      terminalNumber: '8',
      conditions: {
        currencies: ['USD', 'UYU'],
        brands: ['cabal'],
        amount: { from: '10', to: 500.5 },
        origins: ['uruguay', 'international'],
      },
      share: 30,
    },
    { paymentProcessor: { id: 'sandbox-lagging', acquirer: 'acquirer-2' } },
  ],
  retrySoftDeclines: true,
};
const byGateway = { id: 'cabal', enabled: true, settings: gatewaySettings(byRoutes) };
const byFacilitator = { id: 'visa', enabled: true, settings: facilitatorSettings() };

const threeDsSettings = {
  provider: 'sandbox',
  metadata: { acquirerBin: '400000', acquirerMerchantId: '123456789' },
  enabled: true,
  rules: {
    enabled: true,
    tier: 'basic',
    basic: { amount: { checkout: { USD: 30, UYU: '1200.50' }, api: { USD: '50' } } },
  },
};

const threeDsCheck = {
  referenceId: 'maximal-check-1',
  token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90',
  paymentMethodId: 'visa',
  bin: '424242',
  amount: '120.50',
  currency: 'USD',
  indicator: 'payment',
  processingMethod: 'api',
  browserDetails,
  merchantId: 9,
  clientId: 'ignored',
};

const readIntegration = {
  walletType: 'wallet-a-pay',
  enabled: true,
  status: 'active',
  errorMessage: 'none',
  configuredAt: '2026-11-20T12:00:00.000Z',
  lastUpdatedAt: '2026-11-20T12:00:00.000Z',
};
const walletProfile = {
  profileMode: 'service',
  walletMerchantId: 'ignored-here',
  walletMerchantName: 'Sandbox Books',
  walletMerchantOrigin: 'shop.example.com',
  allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
  allowedOrigins: ['https://shop.example.com'],
  tosAcceptedAt: '2026-11-20T12:00:00.000Z',
  tosVersion: '2026-11',
};
const enableWalletA = { mode: 'both', tosAccepted: true, walletAPayProfile: walletProfile, ...readIntegration };
const ownProfile = { ...walletProfile, profileMode: 'merchant', walletMerchantId: 'BCR2DN4T7ABCDEFG' };

const pemOf = (label: string) => [`-----BEGIN ${label}-----`, 'AAAA', `-----END ${label}-----`].join('\n');

const sessionSettings = {
  paymentMethodTypes: ['card', 'bank-transfer'],
  tokenization: {
    type: 'store',
    allowedCardTypes: ['credit', 'debit'],
    features: ['create', 'list', 'select', 'delete'],
    verifyFunds: { amount: '1.00', currency: 'USD' },
    fields: { cvc: 'required', cardholder: 'optional' },
    cardholder: paymentMethod.card.cardholder,
  },
  checkout: {
    amountMode: 'flexible',
    disableThreeds: true,
    flexibleAmount: { allowedCurrencies: ['USD', 'UYU'], minAmount: '10', maxAmount: 500.5 },
    walletIntegrations: { walletAPay: { enabled: true, mode: 'hosted', dynamicShipping: true } },
  },
  callbacks: {
    paymentCallbackUrl: 'https://shop.example.com/callbacks/1',
    tokenizationCallbackUrl: 'https://shop.example.com/callbacks/2',
  },
  redirects: {
    defaultUrl: 'https://shop.example.com/thanks',
    cancelUrl: 'https://shop.example.com/cart',
    receipt: true,
  },
};

const checkoutSession = {
  merchantId: 1001,
  referenceId: 'maximal-session-1',
  type: 'checkout',
  customerId: 'cus_00000000000000000000000000000001',
  paymentRequest: {
    referenceId: 'maximal-session-payment-1',
    invoiceNumber: 'INV-MAX-3',
    installments: 3,
    amount: { total: '122.05', currency: 'USD' },
    metadata,
  },
  token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90',
  browserDetails,
  settings: sessionSettings,
};

const [item] = createPayment.items;
const splitDestination = {
  destinationMerchantId: 1001,
  subMerchantReference: 'stall-7',
  amountRule: { type: 'percentage', value: '12.5' },
  vatRule: { type: 'excluded', rate: 0.22 },
  routingMetadata: { ...metadata, route: { bank: 17, open: true, list: ['a', 1] } },
};

const paymentLink = {
  merchantId: 1001,
  type: 'regular',
  amount: createPayment.amount,
  settings: {
    amountMode: 'flexible',
    paymentMethodTypes: ['card', 'bank-transfer'],
    paymentMethods: ['visa', 'mastercard'],
    installments: Object.fromEntries([...paymentMethodIds, '*'].map((id) => [id, [1, '3']])),
    callbackUrl: 'https://shop.example.com/callbacks',
    flexibleAmount: { minAmount: 1, maxAmount: '500', suggestedAmount: '20.50', allowedCurrencies: ['USD', 'UYU'] },
    skipPreCheckout: true,
  },
  validFrom: '2026-11-20T12:00:00-03:00',
  validUntil: '2040-01-31T12:00:00Z',
  displayName: 'Order 731 🌞',
  description: 'Two books',
  items: [item],
  splitDestinations: [splitDestination],
};

const linkSettings = {
  merchantId: 1001,
  defaultExpirationMinutes: '1440',
  defaultCurrency: 'UYU',
  notificationUrl: 'https://shop.example.com/callbacks',
  businessUrlName: 'casa-lumbre',
  quickPayEnabled: true,
};

type Body = Record<string, unknown>;
/** Of `installments` and `capture` a transfer takes only what it does anyway. */
const notOfTransfers: readonly string[] = [...cardOnlyFields, 'installments', 'capture'];
const createTransfer: Body = {
  ...Object.fromEntries(Object.entries(createPayment).filter(([name]) => !notOfTransfers.includes(name))),
  flow: 'pos',
  referenceId: 'maximal-transfer-1',
  paymentMethod: transferOnly,
};
const payments: readonly [Body, ...Body[]] = [
  createPayment,
  paidBy(createPayment, byToken),
  paidBy(createPayment, byNetworkToken),
  paidBy(createPayment, byClickToPay),
  paidBy(createPayment, byWalletA),
  paidBy(createPayment, byWalletB),
  createTransfer,
];
export const maximalBodies: Readonly<Record<string, readonly [Body, ...Body[]]>> = {
  createPayment: payments,
  dryRunPayment: payments,
  verifyPayment: [verifyPayment, paidBy(verifyPayment, byToken), paidBy(verifyPayment, byNetworkToken)],
  capturePayment: [{ referenceId: 'maximal-capture-1', amount: '7.25' }],
  cancelPayment: [{ referenceId: 'maximal-cancel-1', reason: 'customer-request', description: 'Ordered twice' }],
  createSession: [checkoutSession],
  mintWalletToken: [
    {
      type: 'wallet-a-pay',
      merchantId: 1001,
      card: CARD_NUMBER,
      authMethod: 'PAN_ONLY',
      amount: { total: '10.50', currency: 'USD' },
      broken: 'expired',
    },
  ],
  createPaymentLink: [paymentLink],
  replacePaymentLinkSettings: [linkSettings],
  // A list is the body itself.
  replaceSplitDestinations: [[splitDestination] as unknown as Body],
  createCustomer: [customer],
  updateCustomer: [readCustomer],
  createPaymentMethod: [byGateway, byFacilitator],
  replacePaymentMethod: [
    { ...byGateway, ...readMethod },
    { ...byFacilitator, ...readMethod },
  ],
  createThreeDsSettings: [threeDsSettings],
  replaceThreeDsSettings: [threeDsSettings],
  checkThreeDs: [threeDsCheck],
  createTokenization: [tokenization, { ...tokenization, type: 'temporal', paymentMethod: tokenizedB }],
  enableWalletAPay: [enableWalletA, { ...enableWalletA, walletAPayProfile: ownProfile }],
  enableWalletBPay: [{ mode: 'api', certificateType: 'self-managed', certificate: null, ...readIntegration }],
  uploadWalletBCertificate: [
    {
      certificate: pemOf('CERTIFICATE'),
      privateKey: pemOf('PRIVATE KEY'),
      merchantIdentifier: 'merchant.com.example.shop',
    },
  ],
  createAccessToken: [{ grant_type: 'client_credentials' }],
  refundPayment: [{ referenceId: 'maximal-refund-1', amount: 4, reason: 'return', description: 'Too small', metadata }],
};

/** Fields that a schema shares with another operation and that this one refuses. */
export const refusedFields: Readonly<Record<string, RegExp>> = {
  verifyPayment: /^paymentMethod\.(clickToPayToken|walletAPayToken|walletBPayToken)/,
};

/** The fullest body of an operation. @throws {Error} when there is none. */
export function maximalBody(operationId: string): Body {
  const [first] = maximalBodies[operationId] ?? [];
  if (!first) throw new Error(`${operationId}: there is no body in maximal-bodies.ts`);
  return first;
}
