/** Builds the payer's fields for the risk checks and AVS. Values that are not complete enough for Adyen are left out. Pure. */
import { defined } from '../../domain/defined.js';
import type { ProcessorAddress, ProcessorPayer } from '../processor.js';
import type { AdyenAddress, AdyenPayment } from './wire.js';

/** Adyen requires all parts of an address: these values mean "not known". */
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

/** Countries for which Adyen requires the code of the state. */
const withStates: ReadonlySet<string> = new Set(['US', 'CA']);
const POSTAL_CODE_MAX = 10;

/** For the United States Adyen takes five digits only: `94103-1234` → `94103`. */
function postalCodeOf(postalCode: string, country: string): string | undefined {
  if (country === 'US') return /^(\d{5})([ -]?\d{4})?$/.exec(postalCode.trim())?.[1];
  return postalCode.length <= POSTAL_CODE_MAX ? postalCode : undefined;
}

/** Builds an address. Without a postal code AVS has nothing to compare, and Adyen refuses a payment with an invalid one. */
function addressOf(address: ProcessorAddress | undefined): AdyenAddress | undefined {
  if (address?.postalCode === undefined) return undefined;
  const { line1, city = NO_TEXT, state, country = NO_COUNTRY } = address;
  const postalCode = postalCodeOf(address.postalCode, country);
  const stateOrProvince = withStates.has(country) ? /^[A-Z]{2}$/.exec(state?.trim().toUpperCase() ?? '')?.[0] : state;
  if (postalCode === undefined || (withStates.has(country) && stateOrProvince === undefined)) return undefined;
  return { ...streetOf(line1), city, postalCode, country, ...defined({ stateOrProvince }) };
}

/** Returns a phone number as a plus sign and digits; Adyen would refuse any other form. */
function phoneOf(phone = ''): string | undefined {
  const plain = phone.replace(/[\s().-]/g, '');
  return /^\+\d{5,18}$/.test(plain) ? plain : undefined;
}

/** Adyen refuses a payment with a longer first or last name. */
const NAME_MAX = 80;

function nameOf({ firstName, lastName }: ProcessorPayer): AdyenPayment['shopperName'] {
  if (firstName === undefined || lastName === undefined) return undefined;
  return { firstName: firstName.slice(0, NAME_MAX), lastName: lastName.slice(0, NAME_MAX) };
}

type PayerFields = Pick<
  AdyenPayment,
  | 'shopperName'
  | 'shopperEmail'
  | 'shopperIP'
  | 'telephoneNumber'
  | 'deviceFingerprint'
  | 'billingAddress'
  | 'deliveryAddress'
>;

export function payerFieldsOf(payer: ProcessorPayer): PayerFields {
  const { browser } = payer;
  return defined({
    shopperName: nameOf(payer),
    shopperEmail: payer.email,
    shopperIP: browser?.ipAddress,
    telephoneNumber: phoneOf(payer.phone),
    deviceFingerprint: browser?.deviceFingerprint,
    billingAddress: addressOf(payer.address),
    deliveryAddress: addressOf(payer.shipping?.address),
  });
}
