/** `GET /v1/codes`: the picture of a code that exists and can still be paid. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isPresentable } from '../../shared/domain/payment/plan-transfer.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { PaymentDeps } from '../payments/payment-deps.js';

export interface CodeQuery {
  /** Id of the payment method. */
  readonly paymentMethod: string;
  readonly value: string;
}

export interface ShownCode {
  readonly value: string;
  /** PNG. */
  readonly base64Image: string;
  readonly expiresAt: Date;
}

/**
 * @throws {GatewayError} `code-not-found`, the same for an unknown code, another client's and a merchant not granted;
 * `conflict` when it was paid or has run out.
 */
export async function readCode(
  deps: Pick<PaymentDeps, 'payments' | 'clock'>,
  { paymentMethod, value }: CodeQuery,
  principal: Principal,
): Promise<ShownCode> {
  const payment = await deps.payments.findByCode(principal.clientId, value);
  const granted = principal.merchants === 'all' || (payment && principal.merchants.includes(payment.merchantId));
  if (!payment || !granted || payment.paymentMethod.id !== paymentMethod) throw new GatewayError('code-not-found');
  const { code, expiresAt } = payment;
  if (!isPresentable(payment, deps.clock.now()) || code?.base64Image === undefined || !expiresAt) {
    throw new GatewayError('conflict', {
      message: 'The code can no longer be paid: it is already paid or has expired.',
    });
  }
  return { value, base64Image: code.base64Image, expiresAt };
}
