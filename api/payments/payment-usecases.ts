/** The payment flows as endpoints and pages call them. */
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import { type CodeQuery, readCode, type ShownCode } from '../codes/read-code.js';
import { type NextStop, openChallenge, returnFromChallenge } from '../threeds/answer-challenge.js';
import { completeMethod, type MethodCall, openMethod } from '../threeds/complete-method.js';
import { makeOperatePayment, type OperatePayment } from './operate-payment.js';
import { type CreatePayment, makeCreatePayment, makeVerifyPayment, type VerifyPayment } from './pay.js';
import { readCallbacks, replayCallback } from './payment-callbacks.js';
import type { Caller, PaymentDeps } from './payment-deps.js';
import { makeQueryPayments, type QueryPayments } from './query-the-payments.js';
import { readPayment } from './read-payment.js';

declare module '../deps.js' {
  interface UseCases {
    createPayment: CreatePayment;
    verifyPayment: VerifyPayment;
    operatePayment: OperatePayment;
    /** @throws {GatewayError} `payment-not-found` */
    readPayment(paymentId: string, principal: Principal): Promise<Payment>;
    /** @throws {GatewayError} `code-not-found`; `conflict` when it cannot be paid any more */
    readCode(query: CodeQuery, principal: Principal): Promise<ShownCode>;
    queryPayments: QueryPayments;
    /** `undefined`: there is no such challenge. */
    openChallenge(sessionId: string): Promise<NextStop | undefined>;
    returnFromChallenge(sessionId: string, cres: string | undefined): Promise<NextStop | undefined>;
    /** `undefined`: nobody waits for a look at the browser. */
    openMethod(sessionId: string): Promise<MethodCall | undefined>;
    /** False: there is no such look. */
    completeMethod(sessionId: string, methodData: string | undefined): Promise<boolean>;
    /** @throws {GatewayError} `payment-not-found` */
    readCallbacks(paymentId: string, principal: Principal): Promise<Delivery[]>;
    /** @throws {GatewayError} `payment-not-found`, `not-found` */
    replayCallback(
      event: { readonly paymentId: string; readonly eventId: string },
      caller: Pick<Caller, 'principal' | 'traceId'>,
    ): Promise<Delivery>;
  }
}

export function makePaymentUseCases(deps: PaymentDeps) {
  return {
    createPayment: makeCreatePayment(deps),
    verifyPayment: makeVerifyPayment(deps),
    operatePayment: makeOperatePayment(deps),
    readPayment: (paymentId: string, principal: Principal) => readPayment(deps, paymentId, principal),
    readCode: (query: CodeQuery, principal: Principal) => readCode(deps, query, principal),
    queryPayments: makeQueryPayments(deps),
    openChallenge: (sessionId: string) => openChallenge(deps, sessionId),
    returnFromChallenge: (sessionId: string, cres: string | undefined) => returnFromChallenge(deps, sessionId, cres),
    openMethod: (sessionId: string) => openMethod(deps, sessionId),
    completeMethod: (sessionId: string, methodData: string | undefined) => completeMethod(deps, sessionId, methodData),
    readCallbacks: (paymentId: string, principal: Principal) => readCallbacks(deps, paymentId, principal),
    replayCallback: (
      event: { readonly paymentId: string; readonly eventId: string },
      caller: Pick<Caller, 'principal' | 'traceId'>,
    ) => replayCallback(deps, event, caller),
  };
}
