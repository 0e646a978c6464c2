import { instrumentStatus, type PaymentInstrument } from '../../domain/instrument/payment-instrument.js';
import { isPaymentMethodId, paymentMethodCatalog } from '../../domain/payment-method-catalog.js';

/** A saved card as the call that made it answers (contract, "PaymentInstrumentToken"). */
export function presentInstrumentToken(instrument: PaymentInstrument, now: Date): object {
  const { paymentMethodId: id, issuer } = instrument;
  const name = isPaymentMethodId(id) ? paymentMethodCatalog[id].name : id;
  return {
    token: instrument._id,
    paymentMethodId: id,
    paymentMethodType: 'card',
    tokenizationType: instrument.tokenizationType,
    status: instrumentStatus(instrument, now),
    source: instrument.source ?? null,
    bin: instrument.bin,
    last4: instrument.last4,
    expMonth: instrument.expMonth,
    expYear: instrument.expYear,
    cardName: `${name} **** ${instrument.last4}`,
    cardholderName: instrument.cardholderName ?? null,
    cardType: instrument.cardType ?? null,
    cardOrigin: instrument.cardOrigin ?? null,
    issuer: issuer ? { ...issuer } : null,
    createdAt: instrument.createdAt.toISOString(),
    expiresAt: instrument.expiresAt?.toISOString() ?? null,
  };
}
