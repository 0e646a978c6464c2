/** What every request to a processor says about the merchant, and the processor's references of an operation. */
import { defined } from '../shared/domain/defined.js';
import type { Payment, Transaction } from '../shared/domain/payment/payment.js';
import type { ProcessorFacilitator, ProcessorMerchant, ProcessorReferences } from '../shared/processors/processor.js';

type Payee = NonNullable<Payment['payee']>;

function facilitatorOf({ name, merchantCategoryCode, facilitator }: Payee): ProcessorFacilitator | undefined {
  if (!facilitator) return undefined;
  const { id, subMerchantId } = facilitator;
  return {
    id,
    subMerchant: { id: subMerchantId, name, ...(merchantCategoryCode !== undefined && { merchantCategoryCode }) },
  };
}

/** The merchant's numbers at the acquirer. */
type Numbers = Pick<Payment, 'merchantIdentificationNumber' | 'terminalNumber'>;

/** Returns the merchant as it was when the payment was accepted; a payment of an earlier release has only its numbers. */
export function merchantOf(
  { merchantId, payee = { name: '' }, ...payment }: Pick<Payment, 'merchantId' | 'payee' | keyof Numbers>,
  { merchantIdentificationNumber, terminalNumber }: Numbers = payment,
): ProcessorMerchant {
  const { name, merchantCategoryCode, taxId, country } = payee;
  const facilitator = facilitatorOf(payee);
  return {
    id: merchantId,
    name,
    ...defined({ merchantIdentificationNumber, terminalNumber, merchantCategoryCode, taxId, country, facilitator }),
  };
}

/** Returns the processor's references of an operation: only the time when the processor has not answered yet. */
export function referencesOf(tx: Transaction | undefined): ProcessorReferences {
  if (!tx) return {};
  const { processorReference, ticket, retrievalReference, networkTransactionId, authorization, createdAt } = tx;
  return {
    createdAt,
    ...defined({ processorReference, ticket, retrievalReference, networkTransactionId, authorization }),
  };
}
