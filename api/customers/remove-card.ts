/** Deletes a saved card for good: nothing that is still being saved brings it back. */
import { renderCallback } from '../../shared/contract/present-payment.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { planInstrumentDeleted } from '../../shared/domain/payment/saved-instrument.js';
import type { ApiDeps } from '../deps.js';

/**
 * The payment that saved the card may not have noted it yet, and a process may be about to store it once more: the payment says first
 * that it is deleted. Returns whether the customer had the card.
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
