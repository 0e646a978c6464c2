/**
 * Tax ids of merchants: 12 digits are a Uruguayan RUT, 14 digits a Brazilian CNPJ (docs/api.md#merchant-payment-methods). Only the
 * check digits are verified: whether a number was ever issued, only the tax offices know.
 */

/** Sums up the digits, weighted from the right with 2, 3, … up to 9 and then 2 again. */
function weightedSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const fromRight = digits.length - 1 - index;
    sum += Number(digits[index]) * (2 + (fromRight % 8));
  }
  return sum;
}

/**
 * Returns the RUT check digit: the difference to the next multiple of 11. For a difference of 10 there is no digit: such
 * numbers are never issued.
 */
function rutCheckDigit(digits: string): string | undefined {
  const check = (11 - (weightedSum(digits) % 11)) % 11;
  return check === 10 ? undefined : String(check);
}

/** Returns a CNPJ check digit: the same difference, with 10 written as 0. */
function cnpjCheckDigit(digits: string): string {
  return String(((11 - (weightedSum(digits) % 11)) % 11) % 10);
}

const isOneDigitOnly = (text: string) => /^(\d)\1*$/.test(text);

/** Whether the text is 12 digits with the check digit of a Uruguayan RUT (modulus 11). */
export function isRut(text: string): boolean {
  return /^\d{12}$/.test(text) && !isOneDigitOnly(text) && rutCheckDigit(text.slice(0, 11)) === text[11];
}

/** Whether the text is 14 digits with both check digits of a Brazilian CNPJ (modulus 11). Alphanumeric CNPJs are not accepted. */
export function isCnpj(text: string): boolean {
  if (!/^\d{14}$/.test(text) || isOneDigitOnly(text)) return false;
  const first = cnpjCheckDigit(text.slice(0, 12));
  return text.slice(12) === first + cnpjCheckDigit(text.slice(0, 12) + first);
}

/** Returns the problem of a tax id, worded to follow the field's name; undefined when it is valid. */
export function taxIdProblem(text: string): string | undefined {
  if (!/^(\d{12}|\d{14})$/.test(text)) return 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators';
  if (isRut(text) || isCnpj(text)) return undefined;
  return text.length === 12
    ? 'is not a RUT: its check digit does not fit'
    : 'is not a CNPJ: its check digits do not fit';
}
