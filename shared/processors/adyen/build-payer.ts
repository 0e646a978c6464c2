/** Who pays, for the risk checks and AVS. What is not complete enough for Adyen is left out. Pure. */
import { defined } from '../../domain/defined.js';
import type { ProcessorAddress, ProcessorPayer } from '../processor.js';
import type { AdyenAddress, AdyenPayment } from './wire.js';

/** Adyen wants all parts: these say "not known". */
const NO_TEXT = 'N/A';
const NO_COUNTRY = 'ZZ';

/** `Calle 13 1234` and `1234 Main St` → street and number. */
function streetOf(line: string): Pick<AdyenAddress, 'street' | 'houseNumberOrName'> {
  const [, first, rest] = /^(\d\S*)\s+(.+)$/.exec(line) ?? [];
  if (first !== undefined && rest !== undefined) return { street: rest, houseNumberOrName: first };
  const [, street, last] = /^(.+?)[\s,]+(\d\S*)$/.exec(line) ?? [];
  return street !== undefined && last !== undefined
    ? { street, houseNumberOrName: last }
    : { street: line, houseNumberOrName: NO_TEXT };
}

/** Without a postal code there is nothing that AVS could compare. */
function addressOf(address: ProcessorAddress | undefined): AdyenAddress | undefined {
  if (address?.postalCode === undefined) return undefined;
  const { line1, city = NO_TEXT, state, postalCode, country = NO_COUNTRY } = address;
  return { ...streetOf(line1), city, postalCode, country, ...defined({ stateOrProvince: state }) };
}

/** With a plus sign and digits only: others would be refused. */
function phoneOf(phone = ''): string | undefined {
  const plain = phone.replace(/[\s().-]/g, '');
  return /^\+\d{5,18}$/.test(plain) ? plain : undefined;
}

type PayerFields = Pick<
  AdyenPayment,
  | 'shopperName'
  | 'shopperEmail'
  | 'shopperIP'
  | 'telephoneNumber'
  | 'dateOfBirth'
  | 'deviceFingerprint'
  | 'billingAddress'
  | 'deliveryAddress'
>;

export function payerFieldsOf(payer: ProcessorPayer): PayerFields {
  const { firstName, lastName, browser } = payer;
  return defined({
    shopperName: firstName !== undefined && lastName !== undefined ? { firstName, lastName } : undefined,
    shopperEmail: payer.email,
    shopperIP: browser?.ipAddress,
    telephoneNumber: phoneOf(payer.phone),
    dateOfBirth: payer.birthdate?.toISOString().slice(0, 'yyyy-mm-dd'.length),
    deviceFingerprint: browser?.deviceFingerprint,
    billingAddress: addressOf(payer.address),
    deliveryAddress: addressOf(payer.shipping?.address),
  });
}
