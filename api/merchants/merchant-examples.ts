/** Worked examples of the merchant endpoints: shown in the reference, and checked by a test against Joi and the schema. */
export const merchantId = { merchantId: '1001' };
export const visaOf1001 = { ...merchantId, paymentMethodId: 'visa' };

export const merchant = {
  id: 1001,
  name: 'Sandbox Books',
  legalName: 'Sandbox Books SA',
  status: 'active',
  country: 'UY',
  defaultCurrency: 'USD',
  taxId: '211003420017',
  logoUrl: 'https://gateway.example/v1/public/merchants/1001/logo/0a1b2c3d4e5f60718293a4b5c6d7e8f9.png',
  logoContentType: 'image/png',
  logoUploadedAt: '2026-11-20T12:00:00.000Z',
  createdAt: '2026-11-01T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};

export const gatewaySettings = {
  merchantIdentificationNumber: '123456789',
  terminalNumber: '00000001',
  paymentProcessor: { id: 'sandbox', acquirer: 'sandbox-acquirer' },
  rut: '211003420017',
  merchantCategoryCode: '5942',
};

export const facilitatorSettings = {
  paymentFacilitator: { id: 'facilitator-1', merchantId: 'sub-merchant-7' },
  paymentProcessor: { acquirer: 'sandbox-acquirer' },
};

export const configuredVisa = {
  id: 'visa',
  name: 'Visa',
  type: 'card',
  mode: 'gateway',
  enabled: true,
  settings: gatewaySettings,
  threeDS: { enabled: false, provider: null },
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};
