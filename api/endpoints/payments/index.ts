import { cancelPaymentEndpoint } from './cancel-payment.endpoint.js';
import { capturePaymentEndpoint } from './capture-payment.endpoint.js';
import { createPaymentEndpoint } from './create-payment.endpoint.js';
import { getPaymentEndpoint } from './get-payment.endpoint.js';
import { listCallbacksEndpoint } from './list-callbacks.endpoint.js';
import { queryPaymentsEndpoint } from './query-payments.endpoint.js';
import { refundPaymentEndpoint } from './refund-payment.endpoint.js';
import { replayCallbackEndpoint } from './replay-callback.endpoint.js';
import { verifyPaymentEndpoint } from './verify-payment.endpoint.js';

export const paymentEndpoints = [
  createPaymentEndpoint,
  verifyPaymentEndpoint,
  queryPaymentsEndpoint,
  getPaymentEndpoint,
  capturePaymentEndpoint,
  cancelPaymentEndpoint,
  refundPaymentEndpoint,
  listCallbacksEndpoint,
  replayCallbackEndpoint,
];
