/** A text that holds a card number is refused before anything is stored or echoed (docs/security.md#numbers-in-texts). */
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { BinTable } from '../../shared/store/bin-range.repository.js';
import { DIGITS_MIN, holdsNumber, numbersIn, ownNumbersOf, type PlacedText, textsOf } from './numbers-in-text.js';

const OWN = 'must not hold the card number of the request';
const OTHER =
  'must not hold a card number; where it is none, the operator can allow it (PAN_IN_TEXT, PAN_IN_REFERENCE)';

function refuse(fields: readonly string[], reason: string): void {
  if (fields.length === 0) return;
  throw new GatewayError('request-validation-errors', {
    params: Object.fromEntries([...new Set(fields)].map((field) => [field, [reason]])),
  });
}

/**
 * The number of the card that is charged, however it came (typed, or in a wallet token), in any text of the order.
 * @throws {GatewayError} `request-validation-errors` naming the fields, whatever is allowed otherwise.
 */
export function refuseOwnNumber(body: unknown, number: string | undefined): void {
  if (number !== undefined) refuseNumberIn(textsOf(body, number.length), number);
}

function refuseNumberIn(texts: readonly PlacedText[], number: string): void {
  const holding = texts.filter(({ text }) => holdsNumber(text, number));
  refuse(
    holding.map(({ field }) => field),
    OWN,
  );
}

type Rules = Pick<Config, 'panInText' | 'panInReference'>;

const isReference = ({ field }: PlacedText) => /(^|\.)(referenceId|invoiceNumber)$/.test(field);

/** What every body that an endpoint takes passes. */
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
    refuse(
      suspects.filter((_, at) => known[at] !== undefined).map(({ field }) => field),
      OTHER,
    );
  };
}
