/** Card numbers where text was meant (docs/security.md, S65): in references, descriptions, names, metadata. Pure. */
import { luhnValid } from './card-checks.js';

/** A text of a body, and where it stands: `metadata.note`, `items.0.name`. */
export interface PlacedText {
  readonly field: string;
  readonly text: string;
}

/** Numbers of cards, by their place in a request; `metadata.number` is a text like any other. */
const NUMBER_FIELDS = ['paymentMethod.card.number', 'paymentMethod.networkToken.number', 'card'] as const;

/** What holds card data by its nature: it is sealed or opened, never shown. */
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
/** A name that was sent may itself be a number: only plain ones are repeated. */
const isPlain = (name: string) => /^[A-Za-z0-9_-]{1,40}$/.test(name) && !/\d{6}/.test(name);

/** @param path of `value`, empty for the body itself */
function collect(value: unknown, path: string, found: PlacedText[]): void {
  const field = path || 'body';
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (typeof value === 'string') found.push({ field, text: value });
  else if (typeof value === 'number') found.push({ field, text: String(value) });
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) collect(item, below(String(at)), found);
  else if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [name, member] of Object.entries(value)) {
      const place = below(name);
      if (typeof member === 'string' && CARD_FIELDS.has(place)) continue;
      found.push({ field, text: name });
      collect(member, isPlain(name) ? place : path, found);
    }
  }
}

/** Every text of a body but those that are card data, names of members too. */
export function textsOf(body: unknown): readonly PlacedText[] {
  const found: PlacedText[] = [];
  collect(body, '', found);
  return found;
}

const [CODE_0, CODE_9, ASCII_MAX] = [0x30, 0x39, 0x7f];

/**
 * Whether a text has fewer than `count` digits, whatever they mean: almost every text has, and is done with then. Only of
 * ASCII it is told so simply; another character may stand for several digits.
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

/** All digits of a text, in the form that people write them in. */
const digitsOf = (text: string) => text.normalize('NFKC').replace(/\D/g, '');

/** Whether the text holds this number, whatever stands between its digits. */
export const holdsNumber = (text: string, number: string): boolean =>
  !hasFewerDigits(text, number.length) && digitsOf(text).includes(number);

/** Digits of the shortest number that is looked for, in both forms. */
const DIGITS_MIN = 13;
const RUN = /(?<!\d)\d{13,19}(?!\d)/g;
/** As cards print them: 4-4-4-4, 4-6-5, 4-6-4, with one kind of mark between the groups. */
const GROUPS = /(?<!\d)\d{4}([ .·/_-]{1,3})(?:\d{4}\1\d{4}\1\d{1,7}|\d{6}\1\d{4,5})(?!\d)/g;

/** What looks like a card number, by its length and check digit, in a text. */
export function numbersIn(text: string): readonly string[] {
  if (hasFewerDigits(text, DIGITS_MIN)) return [];
  const plain = text.normalize('NFKC');
  const runs = [...plain.matchAll(RUN), ...plain.matchAll(GROUPS)].map(([run]) => digitsOf(run));
  return [...new Set(runs)].filter((run) => run.length <= 19 && luhnValid(run));
}

const memberOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;

/** Numbers of the cards that a body charges or saves. */
export function ownNumbersOf(body: unknown): readonly string[] {
  const numbers = NUMBER_FIELDS.map((field) => field.split('.').reduce(memberOf, body));
  return numbers.filter((number): number is string => typeof number === 'string' && /^\d{12,19}$/.test(number));
}
