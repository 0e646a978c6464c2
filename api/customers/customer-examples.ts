/** Worked examples of the customer endpoints: shown in the reference, and checked by a test against Joi and the schema. */
export const customerRequest = {
  referenceId: 'user-77',
  email: 'ana@example.com',
  phone: '+598 99 123 456',
  firstName: 'Ana',
  lastName: 'Núñez',
  document: { type: 3, value: '1234567-8' },
  address: { line1: 'Av. 18 de Julio 1000', city: 'Montevideo', country: 'UY' },
  metadata: { tier: 'gold' },
};

export const customer = {
  id: 'cus_5f0c2b1d3e4f5a6b7c8d9e0f1a2b3c4d',
  ...customerRequest,
  description: null,
  name: 'Ana Núñez',
  identification: null,
  birthdate: null,
  address: { ...customerRequest.address, line2: null, postalCode: null, state: null },
  shipping: null,
  status: 'active',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
};

export const customerId = { customerId: customer.id };

export const paymentInstrument = {
  token: '0b9f6c1e-4f7e-4c6c-9d0e-3a5b7c9d1e2f',
  name: 'Visa **** 4242',
  type: 'credit',
  issuer: { id: '104', name: 'Test Bank', shortName: 'Test', country: 'Uruguay', countryCode: 'UY' },
  expMonth: 12,
  expYear: 2034,
  status: 'active',
  tokenizationType: 'persistent',
};
