/**
 * Each field of a payment request: a value, and where the adapter gets it. A field that lacks one of them fails
 * (`schema-fields.test.ts`, `port-fields.test.ts`).
 */
import { addressOf, moment, own, stops, type Way } from './port-fields.js';

export const address = {
  city: 'Montevideo',
  country: 'UY',
  line1: 'Av. 18 de Julio 1000',
  line2: 'Apto. 3',
  postalCode: '11100',
  state: 'Montevideo',
};

export const browserDetails = {
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  deviceFingerprint: 'fp-1',
  device: 'desktop',
  operativeSystem: 'Linux',
  acceptHeader: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  language: 'es-UY',
  javascriptEnabled: true,
  javaEnabled: false,
  colorDepth: 24,
  screenHeight: 1080,
  screenWidth: 1920,
  timeZoneOffset: 180,
  challengeWindowSize: '05',
};

/** Unlike any other digits of the bodies, so that a leak is found by looking for them. */
export const SECRET_CVC = '937';
export const CARD_NUMBER = '4111111111111111';

export const paymentMethod = {
  source: 'card',
  id: 'visa',
  card: {
    number: CARD_NUMBER,
    expMonth: 11,
    expYear: 2041,
    cvc: SECRET_CVC,
    cardholder: {
      firstName: 'Ana',
      lastName: 'Núñez 🌞',
      email: 'ana@example.com',
      birthdate: '1990-02-28',
      identification: { type: 3, value: '1234567-8' },
      billingAddress: address,
      phoneNumber: '+598 99 123 456',
    },
    tokenizationSettings: { type: 'store', expiration: '2040-01-31T12:00:00-03:00' },
    metadata: { channel: 'web' },
  },
  fields: { terminalMode: 'keyed-by-field-secret' },
};

export const metadata = { order: 'A-1', 'with space': 'ünï 日本 🌞' };

export const createPayment = {
  merchantId: 1001,
  flow: 'direct',
  referenceId: 'maximal-1',
  invoiceNumber: 'INV-MAX-1',
  paymentMethod,
  items: [
    {
      referenceId: 'sku-1',
      name: 'Book',
      description: 'Hard cover',
      quantity: 2,
      price: '45.50',
      discount: 1.5,
      tax: { amount: '3.30', currency: 'USD' },
      metadata: { isbn: '978-3-16-148410-0' },
    },
  ],
  installments: 3,
  installmentPlan: 'PLAN-7',
  allowPartialApproval: true,
  exemption: 'low-value',
  amount: {
    total: '122.05',
    currency: 'USD',
    tip: 2,
    tax: '22.00',
    taxedAmount: 100.05,
    details: {
      tax: { type: 17934, amount: 22, rate: 0.22 },
      taxedAmount: '100.05',
      tip: { amount: '2.00', description: 'Thanks' },
      discount: { amount: 1.5, description: 'Spring' },
      shipping: { amount: 0, description: 'Free' },
      surcharge: { amount: '0.50', description: 'Card' },
    },
  },
  browserDetails,
  statementDescriptor: 'BOOKS*ANA',
  capture: { method: 'automatic', delay: 0 },
  customerId: 'cus_00000000000000000000000000000001',
  redirectUrl: 'https://shop.example.com/return?cart=1',
  callbackUrl: 'https://shop.example.com/callbacks/1',
  recurring: {
    type: 'subsequent',
    initialPaymentId: 'pay_00000000000000000000000000000001',
    frequency: 'monthly',
    reason: 'installment',
    expiresAt: '2031-05-06T07:08:09+02:00',
  },
  metadata,
};

const minor = (sent: unknown) => Math.round(Number(sent) * 100);
const amountAt = (at: string) => ({ at, as: minor });
/** A decimal has one text, however it was sent. */
const decimalAt = (at: string) => ({ at, as: (sent: unknown) => String(Number(sent)) });

const holder = (field: string): Record<string, Way> => ({
  [`${field}.firstName`]: 'payer.firstName',
  [`${field}.lastName`]: 'payer.lastName',
  [`${field}.email`]: 'payer.email',
});

const part = (field: string, at: string): Record<string, Way> => ({
  [`${field}.amount`]: amountAt(`${at}.amountMinor`),
  [`${field}.description`]: `${at}.description`,
});

const opened = stops('the gateway opens it: its card is sent');

export const paymentWays: Readonly<Record<string, Way>> = {
  merchantId: 'merchant.id',
  flow: stops('says what the payment is paid by; the source says it too'),
  referenceId: 'order.referenceId',
  invoiceNumber: 'order.invoiceNumber',
  'paymentMethod.source': 'credential.source',
  'paymentMethod.id': 'credential.card.brand',
  'paymentMethod.card.number': 'credential.card.number',
  'paymentMethod.card.expMonth': 'credential.card.expMonth',
  'paymentMethod.card.expYear': 'credential.card.expYear',
  'paymentMethod.card.cvc': 'credential.card.cvc',
  ...holder('paymentMethod.card.cardholder'),
  'paymentMethod.card.cardholder.birthdate': { at: 'payer.birthdate', as: moment },
  'paymentMethod.card.cardholder.identification.type': 'payer.document.type',
  'paymentMethod.card.cardholder.identification.value': 'payer.document.value',
  ...addressOf('paymentMethod.card.cardholder.billingAddress', 'payer.address'),
  'paymentMethod.card.cardholder.phoneNumber': 'payer.phone',
  'paymentMethod.card.tokenizationSettings.type': stops('credential.stored says that the card is stored'),
  'paymentMethod.card.tokenizationSettings.expiration': stops('when the token ends is a matter of the gateway'),
  'paymentMethod.card.metadata': 'credential.card.metadata',
  'paymentMethod.paymentInstrument.token': opened,
  'paymentMethod.paymentInstrument.cvc': 'credential.card.cvc',
  'paymentMethod.networkToken.number': 'credential.card.number',
  'paymentMethod.networkToken.expMonth': 'credential.card.expMonth',
  'paymentMethod.networkToken.expYear': 'credential.card.expYear',
  'paymentMethod.networkToken.cryptogram': 'credential.card.networkToken.cryptogram',
  'paymentMethod.networkToken.eci': 'credential.card.networkToken.eci',
  'paymentMethod.walletAPayToken.token': opened,
  ...holder('paymentMethod.walletAPayToken.cardholder'),
  'paymentMethod.walletAPayToken.cvc': 'credential.card.cvc',
  'paymentMethod.walletBPayToken.token': opened,
  ...holder('paymentMethod.walletBPayToken.cardholder'),
  'paymentMethod.clickToPayToken.correlationId': 'credential.clickToPay.correlationId',
  'paymentMethod.clickToPayToken.merchantTransactionId': 'credential.clickToPay.merchantTransactionId',
  'paymentMethod.clickToPayToken.scheme': 'credential.clickToPay.scheme',
  'paymentMethod.fields': 'order.fields',
  'items.0.referenceId': 'order.items.0.referenceId',
  'items.0.name': 'order.items.0.name',
  'items.0.description': 'order.items.0.description',
  'items.0.quantity': 'order.items.0.quantity',
  'items.0.price': decimalAt('order.items.0.price'),
  'items.0.discount': decimalAt('order.items.0.discount'),
  'items.0.tax.amount': decimalAt('order.items.0.tax.amount'),
  'items.0.tax.currency': 'order.items.0.tax.currency',
  'items.0.metadata': own,
  installments: 'money.installments',
  installmentPlan: 'money.installmentPlan',
  allowPartialApproval: 'money.partialApprovalAllowed',
  exemption: 'proof.exemption',
  'amount.total': amountAt('amountMinor'),
  'amount.currency': 'currency',
  'amount.tip': amountAt('money.tip.amountMinor'),
  'amount.tax': amountAt('money.taxes.0.amountMinor'),
  'amount.taxedAmount': amountAt('money.taxedAmountMinor'),
  'amount.details.tax.type': decimalAt('money.taxes.0.law'),
  'amount.details.tax.amount': amountAt('money.taxes.0.amountMinor'),
  'amount.details.tax.rate': decimalAt('money.taxes.0.rate'),
  'amount.details.taxedAmount': amountAt('money.taxedAmountMinor'),
  ...part('amount.details.tip', 'money.tip'),
  ...part('amount.details.discount', 'money.discount'),
  ...part('amount.details.shipping', 'money.shipping'),
  ...part('amount.details.surcharge', 'money.surcharge'),
  'browserDetails.ipAddress': 'payer.browser.ipAddress',
  'browserDetails.userAgent': 'payer.browser.userAgent',
  'browserDetails.deviceFingerprint': 'payer.browser.deviceFingerprint',
  'browserDetails.device': 'payer.browser.device',
  'browserDetails.operativeSystem': 'payer.browser.operativeSystem',
  'browserDetails.acceptHeader': 'payer.browser.acceptHeader',
  'browserDetails.language': 'payer.browser.language',
  'browserDetails.javascriptEnabled': 'payer.browser.javascriptEnabled',
  'browserDetails.javaEnabled': 'payer.browser.javaEnabled',
  'browserDetails.colorDepth': 'payer.browser.colorDepth',
  'browserDetails.screenHeight': 'payer.browser.screenHeight',
  'browserDetails.screenWidth': 'payer.browser.screenWidth',
  'browserDetails.timeZoneOffset': 'payer.browser.timeZoneOffset',
  'browserDetails.challengeWindowSize': 'payer.browser.challengeWindowSize',
  statementDescriptor: 'order.statementDescriptor',
  'capture.method': { at: 'capture', as: (method) => method === 'automatic' },
  'capture.delay': stops('the gateway captures when it is due'),
  customerId: 'payer.customerId',
  redirectUrl: stops('the payer comes back to the gateway first'),
  callbackUrl: stops('the gateway sends the callback'),
  'recurring.type': { at: 'credential.stored.use', as: (type) => (type === 'initial' ? 'first' : 'subsequent') },
  'recurring.initialPaymentId': stops('our id: the network transaction id of that payment is sent'),
  'recurring.frequency': 'credential.stored.frequency',
  'recurring.reason': 'credential.stored.reason',
  'recurring.expiresAt': { at: 'credential.stored.expiresAt', as: moment },
  metadata: own,
};
