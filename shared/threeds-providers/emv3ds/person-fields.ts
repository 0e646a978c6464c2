/**
 * The cardholder in the fields of EMV 3DS, each of which is optional. A value that does not fit is left out: a payment is not refused for
 * an address that a directory could not read. Versions 2.1 and 2.2 take ASCII only.
 */
import { numericCountry } from '../../domain/country.js';
import { plainText } from '../../domain/plain-text.js';
import type { AuthenticationRequest } from '../provider.js';
import type { PayerFields } from './messages.js';

type Payer = AuthenticationRequest['payer'];
type Address = NonNullable<Payer['address']>;

const NAME_LENGTH = { min: 2, max: 45 } as const;
const EMAIL_LENGTH_MAX = 254;
const LINE_LENGTH_MAX = 50;
const POST_CODE_LENGTH_MAX = 16;

/** Calling codes of one and two digits; all others have three (ITU-T E.164). */
const CALLING_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
const SUBSCRIBER = /^\d{1,12}$/;

/** Splits a phone number; `undefined` for a number without the code of its country, which must not be guessed. */
function phoneOf(text: string | undefined): PayerFields['mobilePhone'] {
  if (text?.trim().startsWith('+') !== true) return undefined;
  const digits = text.replace(/\D/g, '');
  const [cc = ''] = CALLING_CODE.exec(digits) ?? [];
  const subscriber = digits.slice(cc.length);
  return cc !== '' && SUBSCRIBER.test(subscriber) ? { cc, subscriber } : undefined;
}

/** Returns the part of ISO 3166-2 after the country: `UY-MO` → `MO`. */
function stateOf(text: string | undefined): string | undefined {
  const state = text?.replace(/^[A-Z]{2}-/, '') ?? '';
  return /^[A-Z0-9]{1,3}$/.test(state) ? state : undefined;
}

function addressFields(prefix: 'bill' | 'ship', address: Address | undefined): Record<string, string> {
  if (!address) return {};
  const country = address.country === undefined ? undefined : numericCountry(address.country);
  const fields = {
    City: plainText(address.city ?? '', LINE_LENGTH_MAX),
    Country: country,
    Line1: plainText(address.line1, LINE_LENGTH_MAX),
    Line2: plainText(address.line2 ?? '', LINE_LENGTH_MAX),
    PostCode: plainText(address.postalCode ?? '', POST_CODE_LENGTH_MAX),
    // A state is one of a country.
    State: country === undefined ? undefined : stateOf(address.state),
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[`${prefix}Addr${name}`, value]] : [])),
  );
}

function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && /^[\x21-\x7e]+@[\x21-\x7e]+$/.test(text);
}

/** Returns the payer's fields that fit. @param card its `holderName` is the name as sent with the card */
export function payerFields({ payer, card }: Pick<AuthenticationRequest, 'payer' | 'card'>): PayerFields {
  const { email, phone, address, shipping } = payer;
  const cardholderName = plainText(card.holderName ?? '', NAME_LENGTH.max);
  const mobilePhone = phoneOf(phone);
  const bill = addressFields('bill', address);
  const ship = addressFields('ship', shipping?.address);
  const unprefixed = (fields: Record<string, string>) =>
    JSON.stringify(Object.entries(fields).map(([name, value]) => [name.slice('bill'.length), value]));
  const both = Object.keys(bill).length > 0 && Object.keys(ship).length > 0;
  return {
    ...(cardholderName.length >= NAME_LENGTH.min && { cardholderName }),
    ...(email !== undefined && isEmail(email) && { email }),
    ...(mobilePhone && { mobilePhone }),
    ...bill,
    ...ship,
    ...(both && { addrMatch: unprefixed(bill) === unprefixed(ship) ? 'Y' : 'N' }),
  };
}
