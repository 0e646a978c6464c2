import { createCustomerEndpoint } from './create-customer.endpoint.js';
import { deleteCustomerEndpoint } from './delete-customer.endpoint.js';
import { deletePaymentInstrumentEndpoint } from './delete-payment-instrument.endpoint.js';
import { getCustomerEndpoint } from './get-customer.endpoint.js';
import { listCustomersEndpoint } from './list-customers.endpoint.js';
import { listPaymentInstrumentsEndpoint } from './list-payment-instruments.endpoint.js';
import { updateCustomerEndpoint } from './update-customer.endpoint.js';

export const customerEndpoints = [
  createCustomerEndpoint,
  listCustomersEndpoint,
  getCustomerEndpoint,
  updateCustomerEndpoint,
  deleteCustomerEndpoint,
  listPaymentInstrumentsEndpoint,
  deletePaymentInstrumentEndpoint,
];
