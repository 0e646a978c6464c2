/** Worked examples of the payment endpoints: shown in the reference, and checked by a test against Joi and the schema. */
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
      resultCode: '00',
      resultMessage: 'Approved',
      authorization: '123456',
      ticket: '000000000042',
      processedAt: '2026-11-20T12:00:00.120Z',
      createdAt: '2026-11-20T12:00:00.000Z',
    },
  ],
  actions: [],
};

export const paymentId = { paymentId: approvedPayment.id };
