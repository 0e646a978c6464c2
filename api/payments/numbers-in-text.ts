/**
 * Finds card numbers in fields that are meant for text: references, descriptions, names, metadata. A text that has one is refused
 * before anything is stored or echoed (docs/security.md#numbers-in-texts).
 */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { luhnValid } from '../../shared/domain/card/card-checks.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';

/** Text of a body with its place: `metadata.note`, `items.0.name`. */
export interface PlacedText {
  readonly field: string;
  readonly text: string;
}

/** Places of card numbers in a request. `metadata.number` is not one: it is a text like any other. */
const NUMBER_FIELDS = ['paymentMethod.card.number', 'paymentMethod.networkToken.number', 'card'] as const;

/** Places of card data: these fields are sealed or opened, never shown. */
const CARD_FIELDS: ReadonlySet<string> = new Set([
  ...NUMBER_FIELDS,
  'paymentMethod.card.cvc',
  'paymentMethod.networkToken.cryptogram',
  'paymentMethod.paymentInstrument.token',
  'paymentMethod.paymentInstrument.cvc',
  'paymentMethod.walletAPayToken.token',
  'paymentMethod.walletAPayToken.cvc',
  'paymentMethod.walletBPayToken.token',
  'token',
]);
/** Whether a name may be repeated in the error: a name of the request may itself be a card number. */
const isPlain = (name: string) => /^[A-Za-z0-9_-]{1,40}$/.test(name) && !/\d{6}/.test(name);

const placeOf = (names: readonly string[]) => names.filter(isPlain).join('.');

const [CODE_0, CODE_9, ASCII_MAX] = [0x30, 0x39, 0x7f];

/**
 * Whether a text has fewer than `count` digits, whether or not they form a number. Almost every text has, and then needs no
 * further check. Only ASCII can be counted so simply: another character may represent several digits.
 */
function hasFewerDigits(text: string, count: number): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > ASCII_MAX) return false;
    if (code >= CODE_0 && code <= CODE_9) digits += 1;
  }
  return digits < count;
}

/** @param names path to `value`; changed meanwhile, and restored at the end */
function collect(value: unknown, names: string[], digitsMin: number, found: PlacedText[]): void {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (!hasFewerDigits(text, digitsMin)) found.push({ field: placeOf(names) || 'body', text });
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collectMember(item, String(at), names, digitsMin, found);
  } else if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    collectMembers(value as Record<string, unknown>, names, digitsMin, found);
  }
}

function collectMembers(value: Record<string, unknown>, names: string[], digitsMin: number, found: PlacedText[]): void {
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (typeof member === 'string' && mayPass(member, name, names, digitsMin)) continue;
    collect(name, names, digitsMin, found);
    collectMember(member, name, names, digitsMin, found);
  }
  const { firstName, lastName } = value;
  // Both names are shown as one text, so they are also checked as one when each has digits.
  if (typeof firstName === 'string' && typeof lastName === 'string' && DIGIT.test(firstName) && DIGIT.test(lastName))
    collectMember(`${firstName} ${lastName}`, 'lastName', names, digitsMin, found);
}

/** Whether a member needs no check: its text and name have too few digits (as almost all have), or it is card data in its place. */
const mayPass = (text: string, name: string, names: readonly string[], digitsMin: number): boolean =>
  (hasFewerDigits(text, digitsMin) && hasFewerDigits(name, digitsMin)) ||
  CARD_FIELDS.has([placeOf(names), name].filter(Boolean).join('.'));

function collectMember(value: unknown, name: string, names: string[], digitsMin: number, found: PlacedText[]): void {
  names.push(name);
  collect(value, names, digitsMin, found);
  names.pop();
}

/**
 * Returns all texts of a body, with the names of its members, but without card data.
 * @param digitsMin leaves out texts with fewer digits. Every request is checked, and places are computed only for what remains.
 */
export function textsOf(body: unknown, digitsMin = 0): readonly PlacedText[] {
  const found: PlacedText[] = [];
  collect(body, [], digitsMin, found);
  return found;
}

const DIGIT = /\p{N}/u;

/** Converts a decimal digit of any script to ASCII. Unicode has digits in rows of ten that begin at …0 or …6, except in rare scripts. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const row = code - (code % 16);
  return String(code - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6));
}

const ASCII = /^[\0-\x7f]*$/;

const withAsciiDigits = (text: string) =>
  ASCII.test(text) ? text : text.normalize('NFKC').replace(/\p{Nd}/gu, toAscii);

/** Decodes percent-encoded bytes to text. */
function decodeBytes(encoded: string): string {
  const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex');
  return bytes.toString('utf8');
}

/** Returns a text as it is written and, if that differs, percent-decoded. */
function readingsOf(text: string): readonly string[] {
  const decoded = text.includes('%') ? text.replace(/(?:%[\da-f]{2})+/gi, decodeBytes) : text;
  return (decoded === text ? [text] : [text, decoded]).map(withAsciiDigits);
}

const digitsOf = (plain: string) => plain.replace(/\D/g, '');

/** Whether the text has this number, with any characters between its digits. */
export const holdsNumber = (text: string, number: string): boolean =>
  !hasFewerDigits(text, number.length) && readingsOf(text).some((plain) => digitsOf(plain).includes(number));

/** How many digits the shortest card number has. Texts with fewer are not searched. */
const DIGITS_MIN = 12;

/** Whether the text has at least as many digits as a card number, which no name of a person has. */
export const mayHoldNumber = (text: string): boolean =>
  readingsOf(text).some((plain) => digitsOf(plain).length >= DIGITS_MIN);

const RUN = /(?<!\d)\d{13,19}(?!\d)/g;
/** Groups as cards print them: 4-4-4 and 1 to 7 more digits, 4-6-5 or 4-6-4, with the same separator between the groups. */
const GROUPS = /(?<!\d)\d{4}([ .·/_+-]{1,3})(?:\d{4}\1\d{4}\1\d{1,7}|\d{6}\1\d{4,5})(?!\d)/g;

/** Finds everything in a text that looks like a card number by its length and check digit. */
export function numbersIn(text: string): readonly string[] {
  if (hasFewerDigits(text, DIGITS_MIN)) return [];
  const runs = readingsOf(text)
    .flatMap((plain) => [...plain.matchAll(RUN), ...plain.matchAll(GROUPS)])
    .map(([run]) => digitsOf(run));
  return [...new Set(runs)].filter((run) => run.length <= 19 && luhnValid(run));
}

const memberOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;

/** Returns the numbers of the cards that a body charges or saves. */
export function ownNumbersOf(body: unknown): readonly string[] {
  const numbers = NUMBER_FIELDS.map((field) => field.split('.').reduce(memberOf, body));
  return numbers.filter((number): number is string => typeof number === 'string' && /^\d{12,19}$/.test(number));
}

const OWN = 'must not contain the card number of the request';
const OTHER =
  'must not contain a card number; if this is none, the operator can allow it (PAN_IN_TEXT, PAN_IN_REFERENCE)';

function refuseFields(fields: readonly string[], reason: string): void {
  if (fields.length === 0) return;
  throw new GatewayError('request-validation-errors', {
    params: Object.fromEntries([...new Set(fields)].map((field) => [field, [reason]])),
  });
}

/**
 * Refuses a body that has the number of the charged card, typed or from a wallet token, in any of its texts.
 * @throws {GatewayError} `request-validation-errors` naming the fields, even when the settings allow card numbers in texts.
 */
export function refuseOwnNumber(body: unknown, number: string | undefined): void {
  if (number !== undefined) refuseNumberIn(textsOf(body, number.length), number);
}

function refuseNumberIn(texts: readonly PlacedText[], number: string): void {
  const holding = texts.filter(({ text }) => holdsNumber(text, number));
  refuseFields(
    holding.map(({ field }) => field),
    OWN,
  );
}

type Rules = Pick<Config, 'panInText' | 'panInReference'>;

const isReference = ({ field }: PlacedText) => /(^|\.)(referenceId|invoiceNumber)$/.test(field);

/** Check that every body of an endpoint has to pass. */
export type RefuseCardTexts = (body: unknown) => Promise<void>;

/** @returns a check that throws `request-validation-errors` naming the fields. */
export function makeRefuseCardTexts(rules: Rules, bins: Pick<BinTable, 'find'>): RefuseCardTexts {
  const isRefused = (text: PlacedText) => (isReference(text) ? rules.panInReference : rules.panInText) === 'refuse';
  return async (body) => {
    const texts = textsOf(body, DIGITS_MIN);
    for (const number of ownNumbersOf(body)) refuseNumberIn(texts, number);
    const suspects = texts
      .filter(isRefused)
      .flatMap(({ field, text }) => numbersIn(text).map((number) => ({ field, number })))
      .slice(0, limits.cardNumbersLookedUpMax);
    const known = await Promise.all(suspects.map(({ number }) => bins.find(number)));
    refuseFields(
      suspects.filter((_, at) => known[at] !== undefined).map(({ field }) => field),
      OTHER,
    );
  };
}
