/** The payer as both a processor and a 3DS provider see it: from what was sent with the card, and from the merchant's customer. */
import type { Customer } from '../shared/domain/customer.js';
import { defined } from '../shared/domain/defined.js';
import type { Payment } from '../shared/domain/payment/payment.js';
import type { ProcessorPayer } from '../shared/processors/processor.js';
import type { CustomerRepository } from '../shared/store/customer.repository.js';
import type { SealedCardholder } from './open-card.js';

export interface CustomerSource {
  readonly customers: Pick<CustomerRepository, 'find'>;
}

/** The request could not be made, so nothing was sent. */
export class RequestNotMadeError extends Error {
  override readonly name = 'RequestNotMadeError';
}

/** Reads the customer again for each payment: data of a deleted customer must not be sent. */
export async function customerOf(
  { customers }: CustomerSource,
  { clientId, customerId }: Payment,
): Promise<Customer | undefined> {
  if (customerId === undefined) return undefined;
  try {
    return await customers.find(clientId, customerId);
  } catch (cause) {
    throw new RequestNotMadeError('the customer could not be read', { cause });
  }
}

/** Builds the payer. What was sent with the card comes first: the payer may use the card of another person. */
export function payerOf(
  { customerId }: Payment,
  holder: SealedCardholder = {},
  customer: Partial<Customer> = {},
): Omit<ProcessorPayer, 'browser'> {
  const { firstName, lastName } = (holder.firstName ?? holder.lastName) ? holder : customer;
  return defined({
    firstName,
    lastName,
    email: holder.email ?? customer.email,
    phone: holder.phoneNumber ?? customer.phone,
    birthdate: holder.birthdate === undefined ? customer.birthdate : new Date(holder.birthdate),
    document: holder.identification ?? customer.document ?? customer.identification,
    address: holder.billingAddress ?? customer.address,
    shipping: customer.shipping,
    customerId,
    customerReference: customer.referenceId,
  });
}
