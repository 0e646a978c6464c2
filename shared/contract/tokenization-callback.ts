/** Body of the tokenization callback (docs/decisions.md, "tokenization callback"). Never a card number or a cvc. */
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import { authorizationOf } from '../domain/payment/attempts.js';
import type { Payment } from '../domain/payment/payment.js';
import { withoutVerificationRelease } from '../domain/payment/verification.js';
import type { Session } from '../domain/session/session.js';
import { eventIdOf } from '../ids.js';
import { type ErrorCode, errorCatalogue } from './error-catalogue.js';
import { GatewayError, toEnvelope } from './gateway-error.js';
import { presentInstrumentToken } from './present-instrument-token.js';

export interface TokenizationUpdate {
  readonly status: 'completed' | 'failed' | 'cancelled' | 'expired';
  readonly now: Date;
  readonly instrument?: PaymentInstrument | undefined;
  /** Payment that verified the card, or failed to. */
  readonly verification?: Payment | undefined;
}

/** Builds the error envelope that a caller of this payment would have got. */
function errorOf(payment: Payment): object {
  const { _id, traceId } = payment;
  const tx = authorizationOf(payment);
  const known = tx?.errorCode !== undefined && Object.hasOwn(errorCatalogue, tx.errorCode);
  const code = known ? (tx.errorCode as ErrorCode) : 'funds-verification-failed';
  const { declineCode } = tx ?? {};
  const error = new GatewayError(code, {
    params: { paymentId: [_id] },
    ...(declineCode !== undefined && { declineCode }),
  });
  return toEnvelope(error, traceId);
}

/** Builds the outcome of a tokenization session as JSON text. */
export function renderTokenizationCallback(session: Session, update: TokenizationUpdate): string {
  const { status, now, instrument, verification } = update;
  return JSON.stringify({
    id: eventIdOf(`${session._id}:${session.eventSeq + 1}`, now),
    type: 'tokenization',
    sessionId: session._id,
    referenceId: session.referenceId,
    merchantId: session.merchantId,
    customerId: session.customerId ?? null,
    status,
    paymentInstrument: instrument ? presentInstrumentToken(instrument, now) : null,
    verification: verification
      ? { paymentId: verification._id, status: withoutVerificationRelease(verification).status }
      : null,
    error: status === 'failed' && verification ? errorOf(verification) : null,
    occurredAt: now.toISOString(),
  });
}
