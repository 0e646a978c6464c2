/** Converts what a payer typed to the input of the flows. Nothing is refused here: the rules are in the flows (`api/sessions`). */
import type { HostedCard } from '../sessions/hosted-card.js';

export type Form = Readonly<Record<string, string | undefined>>;

/** Leaves out what is between the digits of a pasted number: spaces, points, hyphens and dashes, and marks that are not seen. */
const digitsOf = (text: string | undefined) => (text ?? '').replace(/[\s.\p{Pd}\p{Cf}]/gu, '');

const CENTURY = 2000;

/** The unambiguous ways to write a date. `127` could be 1/27 or the beginning of 12/7…, so it is not accepted. */
const EXPIRIES = [
  /^(?<month>\d{1,2})[\s/.-]+(?<year>\d{4}|\d{2})$/,
  // The form in which browsers may fill it in (HTML, "cc-exp").
  /^(?<year>\d{4})\s*[-/.]\s*(?<month>\d{2})$/,
  /^(?<month>[2-9]|0[1-9]|1[0-2])(?<year>(?:20)?\d{2})$/,
];

/** Reads `12 / 34`, `3/27`, `12/2034`, `2034-12`, `1234`, `327`. For anything else it returns a date that no card has. */
export function readExpiry(text: string | undefined): { expMonth: number; expYear: number } {
  const typed = (text ?? '').trim();
  const { month = '0', year = '0' } = EXPIRIES.map((way) => way.exec(typed)?.groups).find(Boolean) ?? {};
  return { expMonth: Number(month), expYear: year.length === 2 ? CENTURY + Number(year) : Number(year) };
}

/** Splits a name in one field into two: the last word is the last name. */
function readName(text: string | undefined): HostedCard['cardholder'] {
  const words = (text ?? '').trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  if (words.length === 1) return { firstName: words[0] ?? '' };
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

/** @param field name of the field; by default the field of a new card and of the card that a session is for. */
export const readCvc = (form: Form, field = 'cvc'): string | undefined => digitsOf(form[field]) || undefined;

/** Reads a new card. */
export function readCard(form: Form): HostedCard {
  return {
    number: digitsOf(form['number']),
    ...readExpiry(form['exp']),
    cvc: readCvc(form),
    cardholder: readName(form['name']),
  };
}

/** Returns the number of the try that the form was rendered for. */
export const readAttempt = (form: Form): number =>
  /^\d{1,3}$/.test(form['attempt'] ?? '') ? Number(form['attempt']) : 0;
