import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { PaymentDeps } from './payment-deps.js';

/**
 * The payment as this caller may see it.
 * @throws {GatewayError} `payment-not-found`, the same for an unknown id, another client's, and a merchant not granted.
 */
export async function readPayment(
  deps: Pick<PaymentDeps, 'payments'>,
  paymentId: string,
  principal: Principal,
): Promise<Payment> {
  const payment = await deps.payments.findForClient(paymentId, principal.clientId);
  const granted = principal.merchants === 'all' || (payment && principal.merchants.includes(payment.merchantId));
  if (!payment || !granted) throw new GatewayError('payment-not-found');
  return payment;
}
