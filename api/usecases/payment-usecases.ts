/** The payment flows as endpoints and pages call them. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import { type CreatePayment, makeCreatePayment, makeVerifyPayment, type VerifyPayment } from './create-payment.js';
import { makeOperatePayment, type OperatePayment } from './operate-payment.js';
import type { PaymentDeps } from './payment-deps.js';
import { readPayment } from './read-payment.js';

declare module '../deps.js' {
  interface UseCases {
    createPayment: CreatePayment;
    verifyPayment: VerifyPayment;
    operatePayment: OperatePayment;
    /** @throws {GatewayError} `payment-not-found` */
    readPayment(paymentId: string, principal: Principal): Promise<Payment>;
  }
}

export function makePaymentUseCases(deps: PaymentDeps) {
  return {
    createPayment: makeCreatePayment(deps),
    verifyPayment: makeVerifyPayment(deps),
    operatePayment: makeOperatePayment(deps),
    readPayment: (paymentId: string, principal: Principal) => readPayment(deps, paymentId, principal),
  };
}
