import { cancelPaymentEndpoint } from './cancel-payment.endpoint.js';
import { capturePaymentEndpoint } from './capture-payment.endpoint.js';
import { createPaymentEndpoint } from './create-payment.endpoint.js';
import { getPaymentEndpoint } from './get-payment.endpoint.js';
import { refundPaymentEndpoint } from './refund-payment.endpoint.js';
import { verifyPaymentEndpoint } from './verify-payment.endpoint.js';

export const paymentEndpoints = [
  createPaymentEndpoint,
  verifyPaymentEndpoint,
  getPaymentEndpoint,
  capturePaymentEndpoint,
  cancelPaymentEndpoint,
  refundPaymentEndpoint,
];
