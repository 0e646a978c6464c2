/** Worked examples of the payment endpoints: shown in the reference, and checked by a test against Joi and the schema. */
import { responseCodes } from '../../shared/domain/response-codes.js';
export const paymentRequest = {
  merchantId: 1001,
  referenceId: 'order-1001-1',
  invoiceNumber: 'INV-1001',
  amount: { total: 10.5, currency: 'USD' },
  paymentMethod: {
    source: 'card',
    card: { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' },
  },
  metadata: { order: '1001' },
};

export const approvedPayment = {
  id: 'pay_5f0c2b1d3e4f5a6b7c8d9e0f1a2b3c4d',
  merchantId: 1001,
  referenceId: 'order-1001-1',
  invoiceNumber: 'INV-1001',
  status: 'approved',
  flow: 'direct',
  processingMethod: 'api',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.120Z',
  processedAt: '2026-11-20T12:00:00.120Z',
  amount: { total: 10.5, currency: 'USD', captured: 10.5, refunded: 0 },
  paymentMethod: {
    id: 'visa',
    name: 'Visa',
    type: 'card',
    source: 'card',
    card: { brand: 'visa', last4: '4242', expirationMonth: 12, expirationYear: 2034 },
  },
  capture: { method: 'automatic' },
  metadata: { order: '1001' },
  transactions: [
    {
      id: 'txn_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
      referenceId: 'order-1001-1',
      type: 'purchase',
      status: 'approved',
      amount: 10.5,
      currency: 'USD',
      resultCode: responseCodes.approved,
      resultMessage: 'Approved',
      authorization: '123456',
      ticket: '000000000042',
      retrievalReference: '000100000042',
      networkTransactionId: 'NTI000100000042',
      checks: { cvc: { code: 'M', result: 'match' } },
      processedAt: '2026-11-20T12:00:00.120Z',
      createdAt: '2026-11-20T12:00:00.000Z',
    },
  ],
  actions: [],
};

const authorizationOf = (amount: number, referenceId: string) =>
  approvedPayment.transactions.map((purchase) => ({ ...purchase, referenceId, type: 'authorization', amount }));

/** An operation of {@link approvedPayment} for the whole amount, a minute after it. */
const operation = (type: string, referenceId: string, asked: object = {}) => ({
  id: 'txn_2c1b2c3d4e5f60718293a4b5c6d7e8f9',
  referenceId,
  type,
  status: 'approved',
  amount: 10.5,
  currency: 'USD',
  resultCode: responseCodes.approved,
  resultMessage: 'Approved',
  ticket: '000000000043',
  retrievalReference: '000100000043',
  ...asked,
  processedAt: '2026-11-20T12:01:00.120Z',
  createdAt: '2026-11-20T12:01:00.000Z',
});

const operated = {
  ...approvedPayment,
  updatedAt: '2026-11-20T12:01:00.120Z',
  processedAt: '2026-11-20T12:01:00.120Z',
};
const held = { capture: { method: 'manual' }, expiresAt: '2026-11-27T12:00:00.120Z' };

export const capturedPayment = {
  ...operated,
  capture: held.capture,
  transactions: [...authorizationOf(10.5, operated.referenceId), operation('capture', 'capture-1001')],
};

export const cancellationRequest = {
  referenceId: 'cancel-1001',
  reason: 'customer-request',
  description: 'Ordered twice',
};

export const cancelledPayment = {
  ...operated,
  ...held,
  status: 'cancelled',
  amount: { ...approvedPayment.amount, captured: 0 },
  transactions: [
    ...authorizationOf(10.5, operated.referenceId),
    operation('cancellation', cancellationRequest.referenceId, {
      reason: cancellationRequest.reason,
      description: cancellationRequest.description,
    }),
  ],
};

export const refundedPayment = {
  ...operated,
  status: 'refunded',
  amount: { ...approvedPayment.amount, refunded: 10.5 },
  transactions: [...approvedPayment.transactions, operation('refund', 'refund-1001')],
};

export const verificationRequest = {
  merchantId: 1001,
  referenceId: 'verify-1001',
  amount: { currency: 'USD' },
  paymentMethod: paymentRequest.paymentMethod,
  metadata: paymentRequest.metadata,
};

const releaseId = 'txn_3d1b2c3d4e5f60718293a4b5c6d7e8f9';

export const verifiedPayment = {
  ...approvedPayment,
  ...held,
  referenceId: verificationRequest.referenceId,
  invoiceNumber: verificationRequest.referenceId,
  status: 'authorized',
  amount: { total: 1, currency: 'USD', captured: 0, refunded: 0 },
  transactions: [
    ...authorizationOf(1, verificationRequest.referenceId),
    {
      id: releaseId,
      referenceId: releaseId,
      type: 'cancellation',
      status: 'created',
      amount: 1,
      currency: 'USD',
      reason: 'card-verification',
      createdAt: '2026-11-20T12:00:00.120Z',
    },
  ],
};

/** The content of the code of {@link transferPayment}. */
export const codeValue =
  '00020101021226620019com.example.instant0107SANDBOX05245F0C2B1D3E4F5A6B7C8D9E0F5204000053038' +
  '40540512.505802UY5913Sandbox Books6002NA62400108INV-100205245F0C2B1D3E4F5A6B7C8D9E0F63043121';
/** A picture of one pixel instead of the real code. */
export const codeImage = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

export const transferRequest = {
  merchantId: 1001,
  flow: 'pos',
  referenceId: 'order-1002-1',
  invoiceNumber: 'INV-1002',
  amount: { total: 12.5, currency: 'USD' },
  paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' },
  callbackUrl: 'https://shop.example/callbacks',
};

export const transferPayment = {
  id: 'pay_6a1c2b1d3e4f5a6b7c8d9e0f1a2b3c4d',
  merchantId: 1001,
  referenceId: 'order-1002-1',
  invoiceNumber: 'INV-1002',
  status: 'pending',
  flow: 'pos',
  processingMethod: 'api',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.090Z',
  expiresAt: '2026-11-20T12:15:00.000Z',
  amount: { total: 12.5, currency: 'USD', captured: 0, refunded: 0 },
  paymentMethod: {
    id: 'instant-transfer',
    name: 'Instant transfer',
    type: 'bank-transfer',
    source: 'bank-transfer',
  },
  code: {
    type: 'qrcode',
    url: 'https://bank.example/5F0C2B1D3E4F5A6B7C8D9E0F',
    value: codeValue,
    base64Image: codeImage,
  },
  capture: { method: 'automatic' },
  callbackUrl: 'https://shop.example/callbacks',
  transactions: [
    {
      id: 'txn_1b1b2c3d4e5f60718293a4b5c6d7e8f9',
      referenceId: 'order-1002-1',
      type: 'purchase',
      status: 'pending',
      amount: 12.5,
      currency: 'USD',
      createdAt: '2026-11-20T12:00:00.000Z',
    },
  ],
  actions: [],
};

export const paymentId = { paymentId: approvedPayment.id };
