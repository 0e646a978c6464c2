import { instrumentStatus, type PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import { isPaymentMethodId, paymentMethodCatalog } from '../domain/payment-method-catalog.js';
import { presentIssuer } from './issuer.js';

/** Returns the name of a saved card that people read: `Visa **** 4242`. */
export function cardNameOf({ paymentMethodId, last4 }: PaymentInstrument): string {
  const brand = isPaymentMethodId(paymentMethodId) ? paymentMethodCatalog[paymentMethodId].name : paymentMethodId;
  return `${brand} **** ${last4}`;
}

/** Presents a saved card as a tokenization answers it (docs/api.md#tokenization). What the BIN table does not know is null. */
export function presentInstrumentToken(instrument: PaymentInstrument, now: Date): object {
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
    issuer: presentIssuer(instrument.issuer),
    createdAt: instrument.createdAt.toISOString(),
    expiresAt: instrument.expiresAt?.toISOString() ?? null,
  };
}
