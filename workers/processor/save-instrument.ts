/** Saves the card of a payment that succeeded: seals it again, bound to its token, with what the BIN table knows of it. */
import { binOf, last4Of } from '../../shared/domain/card/card-checks.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Payment, Tokenization } from '../../shared/domain/payment/payment.js';
import { holderNameOf, openSealedCard } from '../open-card.js';
import type { ProcessorPoolDeps } from './context.js';

const LOCAL_COUNTRY = 'UY';

async function toInstrument(
  deps: ProcessorPoolDeps,
  payment: Payment,
  { token, type, expiresAt }: Tokenization,
): Promise<PaymentInstrument> {
  const opened = await openSealedCard(deps, payment);
  const { number, expMonth, expYear, cardholder } = opened;
  const { clientId, merchantId, customerId, cardFingerprint } = payment;
  const known = await deps.bins.find(number);
  const plaintext = JSON.stringify({ number, expMonth, expYear, cardholder });
  const card = await deps.vault.seal('card', plaintext, { recordId: token, field: 'card', clientId });
  const cardholderName = holderNameOf(opened);
  return {
    _id: token,
    clientId,
    merchantId,
    tokenizationType: type,
    paymentMethodId: payment.paymentMethod.id,
    bin: binOf(number),
    last4: last4Of(number),
    expMonth,
    expYear,
    card,
    paymentId: payment._id,
    createdAt: deps.clock.now(),
    ...(customerId !== undefined && { customerId }),
    ...(cardholderName && { cardholderName }),
    ...(cardFingerprint !== undefined && { cardFingerprint }),
    ...(known?.cardType && { cardType: known.cardType }),
    ...(known?.issuer && {
      issuer: known.issuer,
      cardOrigin: known.issuer.countryCode === LOCAL_COUNTRY ? ('uruguay' as const) : ('international' as const),
    }),
    ...(expiresAt && { expiresAt, cardDestroyAt: expiresAt }),
  };
}

/**
 * Stores the token and marks the payment as done. May run twice: the token was chosen when the payment was accepted, so the
 * second insert changes nothing. Answers the payment as it is stored then.
 */
export async function saveInstrument(deps: ProcessorPoolDeps, payment: Payment): Promise<Payment> {
  const { tokenization, tokenizeAt } = payment;
  if (!tokenization || !tokenizeAt) return payment;
  await deps.instruments.insert(await toInstrument(deps, payment, tokenization));
  const done = (current: Payment) => (current.tokenizeAt ? { ...current, tokenizeAt: undefined } : undefined);
  return (await deps.payments.update(payment, done)) ?? payment;
}
