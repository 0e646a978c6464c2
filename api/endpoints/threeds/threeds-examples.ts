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
