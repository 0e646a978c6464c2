/** Builds what an authorization says about a stored card to the networks, whose rules distinguish its first use from later ones. */

import { defined } from '../../shared/domain/defined.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Payment, Recurring } from '../../shared/domain/payment/payment.js';
import type { StoredCredentialUse } from '../../shared/processors/processor.js';

const regular: ReadonlySet<Recurring['frequency']> = new Set(['daily', 'weekly', 'monthly', 'yearly']);

const reasonOf = ({ reason, frequency }: Recurring): StoredCredentialUse['reason'] =>
  reason ?? (regular.has(frequency) ? 'recurring' : 'unscheduled');

const agreementOf = ({ frequency, expiresAt }: Recurring) => defined({ frequency, expiresAt });

/** Returns the network's references of the first payment or else of the saved card: the network knows them whichever processor asks. */
function networkNamesOf({ firstPayment }: Payment, saved: PaymentInstrument | undefined) {
  const { networkTransactionId, networkLinkId } = firstPayment?.networkTransactionId ? firstPayment : (saved ?? {});
  return defined({ networkTransactionId, networkLinkId });
}

/** Returns the processor's own references of the first payment, which only the processor that made it knows. */
function firstPaymentOf({ firstPayment, processor }: Payment): Pick<StoredCredentialUse, 'firstPayment'> {
  if (firstPayment?.processor !== processor) return {};
  const { processor: _same, networkLinkId: _link, ...references } = firstPayment;
  return { firstPayment: references };
}

/** Returns the use of a card when the payer is present: the card is saved with this payment, or the payer chooses a card saved before. */
function withPayer(payment: Payment, saved: PaymentInstrument | undefined): StoredCredentialUse | undefined {
  const card = { initiator: 'payer', reason: 'unscheduled' } as const;
  if (payment.tokenization?.type === 'persistent') return { ...card, use: 'first' };
  if (saved?.tokenizationType !== 'persistent') return undefined;
  return { ...card, use: 'subsequent', ...networkNamesOf(payment, saved) };
}

/** `undefined`: the card is used only this once. */
export function storedUseOf(payment: Payment, saved: PaymentInstrument | undefined): StoredCredentialUse | undefined {
  const { recurring } = payment;
  if (!recurring) return withPayer(payment, saved);
  const first = recurring.type === 'initial';
  return {
    initiator: first ? 'payer' : 'merchant',
    use: first ? 'first' : 'subsequent',
    reason: reasonOf(recurring),
    ...agreementOf(recurring),
    ...(!first && { ...networkNamesOf(payment, saved), ...firstPaymentOf(payment) }),
  };
}
