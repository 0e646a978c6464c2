/** Presents customers and their saved cards in answers. Every field is there; unknown values are null. */

import { presentIssuer } from '../../shared/contract/issuer.js';
import { cardNameOf } from '../../shared/contract/present-instrument-token.js';
import { toMap } from '../../shared/contract/present-payment.js';
import {
  type Customer,
  type CustomerAddress,
  type CustomerDocument,
  customerName,
} from '../../shared/domain/customer.js';
import { instrumentStatus, type PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';

const presentDocument = (document: CustomerDocument | undefined) =>
  document ? { type: document.type ?? null, value: document.value ?? null } : null;

const presentAddress = (address: CustomerAddress | undefined) =>
  address
    ? {
        city: address.city ?? null,
        country: address.country ?? null,
        line1: address.line1,
        line2: address.line2 ?? null,
        postalCode: address.postalCode ?? null,
        state: address.state ?? null,
      }
    : null;

export function presentCustomer(customer: Customer): object {
  const { shipping } = customer;
  return {
    id: customer._id,
    referenceId: customer.referenceId ?? null,
    metadata: customer.metadata ? toMap(customer.metadata) : null,
    description: customer.description ?? null,
    email: customer.email ?? null,
    name: customerName(customer),
    phone: customer.phone ?? null,
    firstName: customer.firstName ?? null,
    lastName: customer.lastName ?? null,
    document: presentDocument(customer.document),
    identification: presentDocument(customer.identification),
    birthdate: customer.birthdate?.toISOString() ?? null,
    address: presentAddress(customer.address),
    shipping: shipping
      ? {
          address: presentAddress(shipping.address),
          name: shipping.name ?? null,
          phone: shipping.phone ?? null,
        }
      : null,
    status: customer.status,
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
  };
}

/** A saved card in the list of its customer (docs/api.md#saved-cards). */
export function presentListedInstrument(instrument: PaymentInstrument, now: Date): object {
  return {
    token: instrument._id,
    name: cardNameOf(instrument),
    type: instrument.cardType ?? null,
    issuer: presentIssuer(instrument.issuer),
    expMonth: instrument.expMonth,
    expYear: instrument.expYear,
    status: instrumentStatus(instrument, now),
    tokenizationType: instrument.tokenizationType,
  };
}
