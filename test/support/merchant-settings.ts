/** Returns a valid configuration. `more` replaces fields. */
export const gatewaySettings = (more: object = {}) => ({
  merchantIdentificationNumber: '123456789',
  terminalNumber: '00000007',
  paymentProcessor: { id: 'sandbox', acquirer: 'acquirer-1' },
  rut: '211003420017',
  merchantCategoryCode: '5942',
  ...more,
});

export const facilitatorSettings = (more: object = {}) => ({
  paymentFacilitator: { id: 'facilitator-1', merchantId: 'sub-7' },
  paymentProcessor: { acquirer: 'acquirer-1' },
  ...more,
});

export const methodsOf = (merchantId: number | string) => `/v1/merchants/${merchantId}/payment-methods`;
