/** What a payer typed, as the use cases take it. Nothing is refused here: the rules stand in the use cases. */
import type { HostedCard } from '../usecases/hosted-card.js';

export type Form = Readonly<Record<string, string | undefined>>;

const digitsOf = (text: string | undefined) => (text ?? '').replace(/[\s-]/g, '');

const CENTURY = 2000;

/** `12 / 34`, `12/2034`, `1234`; anything else is a date that no card has. */
function readExpiry(text: string | undefined): { expMonth: number; expYear: number } {
  const [, month = '0', year = '0'] = /^\s*(\d{1,2})\s*[/.\- ]?\s*(\d{4}|\d{2})\s*$/.exec(text ?? '') ?? [];
  return { expMonth: Number(month), expYear: year.length === 2 ? CENTURY + Number(year) : Number(year) };
}

/** A name in one field becomes two: the last word is the last name. */
function readName(text: string | undefined): HostedCard['cardholder'] {
  const words = (text ?? '').trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  if (words.length === 1) return { firstName: words[0] ?? '' };
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

export const readCvc = (form: Form): string | undefined => digitsOf(form['cvc']) || undefined;

/** A new card. */
export function readCard(form: Form): HostedCard {
  return {
    number: digitsOf(form['number']),
    ...readExpiry(form['exp']),
    cvc: readCvc(form),
    cardholder: readName(form['name']),
  };
}

/** Number of the try that the form was made for. */
export const readAttempt = (form: Form): number =>
  /^\d{1,3}$/.test(form['attempt'] ?? '') ? Number(form['attempt']) : 0;
