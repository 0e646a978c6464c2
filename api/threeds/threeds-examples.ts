/** Worked examples of the 3DS endpoints. */
export const sandboxProvider = {
  name: 'Sandbox 3DS',
  code: 'sandbox',
  enabled: true,
  requiredFields: ['acquirerBin', 'acquirerMerchantId'],
  supportedPaymentMethods: ['visa', 'mastercard'],
};

export const threeDsSettings = {
  provider: 'sandbox',
  metadata: { acquirerBin: '400000', acquirerMerchantId: '123456789' },
  enabled: true,
  rules: {
    enabled: true,
    tier: 'basic',
    basic: { amount: { checkout: { USD: 30, UYU: 1200 }, api: { USD: 50 } } },
  },
};

export const threeDsSession = {
  sessionId: '8c6a1f0e-3b5d-4e7f-9a1c-2d4e6f8a0b1c',
  paymentId: 'pay_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  merchantId: 1001,
  referenceId: 'order-1001',
  paymentMethodId: 'visa',
  provider: 'sandbox',
  status: 'step-up-required',
  amount: 122.05,
  currency: 'USD',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:01.000Z',
  completedAt: null,
};
