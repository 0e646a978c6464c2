/** What an authorization says of a stored card to the networks, whose rules tell its first use from later ones. */

import { defined } from '../../shared/domain/defined.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Payment, Recurring } from '../../shared/domain/payment/payment.js';
import type { StoredCredentialUse } from '../../shared/processors/processor.js';

const regular: ReadonlySet<Recurring['frequency']> = new Set(['daily', 'weekly', 'monthly', 'yearly']);

const reasonOf = ({ reason, frequency }: Recurring): StoredCredentialUse['reason'] =>
  reason ?? (regular.has(frequency) ? 'recurring' : 'unscheduled');

const agreementOf = ({ frequency, expiresAt }: Recurring) => defined({ frequency, expiresAt });

/** The first payment's, else what the saved card keeps: the network knows them whichever processor asks. */
function networkNamesOf({ firstPayment }: Payment, saved: PaymentInstrument | undefined) {
  const { networkTransactionId, networkLinkId } = firstPayment?.networkTransactionId ? firstPayment : (saved ?? {});
  return defined({ networkTransactionId, networkLinkId });
}

/** Only the processor that made it knows its own names of it. */
function firstPaymentOf({ firstPayment, processor }: Payment): Pick<StoredCredentialUse, 'firstPayment'> {
  if (firstPayment?.processor !== processor) return {};
  const { processor: _same, networkLinkId: _link, ...references } = firstPayment;
  return { firstPayment: references };
}

/** The payer is there: the card is saved with this payment, or was saved before and is chosen by the payer. */
function withPayer(payment: Payment, saved: PaymentInstrument | undefined): StoredCredentialUse | undefined {
  const card = { initiator: 'payer', reason: 'unscheduled' } as const;
  if (payment.tokenization?.type === 'persistent') return { ...card, use: 'first' };
  if (saved?.tokenizationType !== 'persistent') return undefined;
  return { ...card, use: 'subsequent', ...networkNamesOf(payment, saved) };
}

/** `undefined`: the card is used this once. */
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
