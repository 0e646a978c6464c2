import { instrumentStatus, type PaymentInstrument } from '../../domain/instrument/payment-instrument.js';
import { isPaymentMethodId, paymentMethodCatalog } from '../../domain/payment-method-catalog.js';

/** Name of a saved card for people: `Visa **** 4242`. */
export function cardNameOf({ paymentMethodId, last4 }: PaymentInstrument): string {
  const brand = isPaymentMethodId(paymentMethodId) ? paymentMethodCatalog[paymentMethodId].name : paymentMethodId;
  return `${brand} **** ${last4}`;
}

/** A saved card as a tokenization answers it (contract, "PaymentInstrumentToken"); null where the BIN table knows nothing. */
export function presentInstrumentToken(instrument: PaymentInstrument, now: Date): object {
  const { issuer } = instrument;
  return {
    token: instrument._id,
    paymentMethodId: instrument.paymentMethodId,
    paymentMethodType: 'card',
    tokenizationType: instrument.tokenizationType,
    status: instrumentStatus(instrument, now),
    source: instrument.source ?? 'card',
    bin: instrument.bin,
    last4: instrument.last4,
    expMonth: instrument.expMonth,
    expYear: instrument.expYear,
    cardName: cardNameOf(instrument),
    cardholderName: instrument.cardholderName ?? null,
    cardType: instrument.cardType ?? null,
    cardOrigin: instrument.cardOrigin ?? null,
    issuer: issuer
      ? {
          id: issuer.id,
          name: issuer.name,
          shortName: issuer.shortName,
          country: issuer.country,
          countryCode: issuer.countryCode,
        }
      : null,
    createdAt: instrument.createdAt.toISOString(),
    expiresAt: instrument.expiresAt?.toISOString() ?? null,
  };
}
