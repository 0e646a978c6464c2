import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ProcessorCard } from '../../shared/processors/processor.js';
import type { Vault } from '../../shared/vault/vault.js';
import { VaultError } from '../../shared/vault/vault-error.js';

interface SealedCard {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cardholder?: { readonly firstName?: string; readonly lastName?: string };
}

/**
 * Opens the card of a payment for one call to the processor.
 * @throws {VaultError} when the envelope does not open, or the card was destroyed.
 */
export async function openCard(vault: Pick<Vault, 'open'>, payment: Payment): Promise<ProcessorCard> {
  const { _id: recordId, clientId, card, cvc } = payment;
  if (!card) throw new VaultError('envelope-invalid', `The card of ${recordId} was destroyed`);
  const [opened, openedCvc] = await Promise.all([
    vault.open(card, { recordId, field: 'card', clientId }),
    cvc && vault.open(cvc, { recordId, field: 'cvc', clientId }),
  ]);
  const { number, expMonth, expYear, cardholder } = JSON.parse(opened.toString('utf8')) as SealedCard;
  const holderName = [cardholder?.firstName, cardholder?.lastName].filter(Boolean).join(' ');
  return {
    number,
    expMonth,
    expYear,
    ...(openedCvc && { cvc: openedCvc.toString('utf8') }),
    ...(holderName && { holderName }),
  };
}
