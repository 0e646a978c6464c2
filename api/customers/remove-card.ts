/** Deletes a saved card for good, so that no process that is still saving it can bring it back. */
import { renderCallback } from '../../shared/contract/present-payment.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { planInstrumentDeleted } from '../../shared/domain/payment/saved-instrument.js';
import type { ApiDeps } from '../deps.js';

/**
 * Deletes a card, after marking it as deleted on the payment that saved it: the payment may not have recorded yet that the card is
 * saved, so a process may be about to store the card again. Returns whether the customer had the card.
 */
export async function removeCard(
  { payments, instruments }: Pick<ApiDeps, 'payments' | 'instruments'>,
  { _id, clientId, paymentId }: PaymentInstrument,
  customerId: string,
): Promise<boolean> {
  const payment = paymentId === undefined ? undefined : await payments.findById(paymentId);
  if (payment) await payments.update(payment, (current) => planInstrumentDeleted(current, _id, renderCallback));
  return instruments.remove(clientId, customerId, _id);
}
