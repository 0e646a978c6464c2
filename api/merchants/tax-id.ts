/**
 * Tax ids of merchants: 12 digits are a Uruguayan RUT, 14 digits a Brazilian CNPJ (docs/api.md#merchant-payment-methods). Only arithmetic is checked: whether a number was given out is for the tax offices to say.
 */

/** The sum of digits by weights that count 2, 3, … up to 9 from the right and start anew. */
function weightedSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const fromRight = digits.length - 1 - index;
    sum += Number(digits[index]) * (2 + (fromRight % 8));
  }
  return sum;
}

/** RUT: what is lacking to the next multiple of 11. A remainder that wants 10 has no digit, so that number is never given. */
function rutCheckDigit(digits: string): string | undefined {
  const check = (11 - (weightedSum(digits) % 11)) % 11;
  return check === 10 ? undefined : String(check);
}

/** CNPJ: the same, and 10 is written 0. */
function cnpjCheckDigit(digits: string): string {
  return String(((11 - (weightedSum(digits) % 11)) % 11) % 10);
}

const isOneDigitOnly = (text: string) => /^(\d)\1*$/.test(text);

/** 12 digits with the check digit of a Uruguayan RUT (modulus 11). */
export function isRut(text: string): boolean {
  return /^\d{12}$/.test(text) && !isOneDigitOnly(text) && rutCheckDigit(text.slice(0, 11)) === text[11];
}

/** 14 digits with both check digits of a Brazilian CNPJ (modulus 11). The CNPJ with letters is not taken. */
export function isCnpj(text: string): boolean {
  if (!/^\d{14}$/.test(text) || isOneDigitOnly(text)) return false;
  const first = cnpjCheckDigit(text.slice(0, 12));
  return text.slice(12) === first + cnpjCheckDigit(text.slice(0, 12) + first);
}

/** What is wrong with a tax id, to be read after the field's name; undefined when nothing is. */
export function taxIdProblem(text: string): string | undefined {
  if (!/^(\d{12}|\d{14})$/.test(text)) return 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators';
  if (isRut(text) || isCnpj(text)) return undefined;
  return text.length === 12
    ? 'is not a RUT: its check digit does not fit'
    : 'is not a CNPJ: its check digits do not fit';
}
