/** Binary coded decimals: two digits per byte. The `=` of track data is written as the half byte D, as in the standard. */
import type { BcdPadding } from '../profile/field-format.js';

export function toBcd(digits: string, padding: BcdPadding): Buffer {
  const odd = digits.length % 2 === 1;
  const filler = padding === 'right-f' ? 'f' : '0';
  const padded = !odd ? digits : padding === 'left-0' ? `0${digits}` : digits + filler;
  return Buffer.from(padded.replaceAll('=', 'd'), 'hex');
}

/** Returns the digits; `undefined` when the filler is wrong. Half bytes that are no digit become letters. */
export function fromBcd(bytes: Buffer, count: number, padding: BcdPadding): string | undefined {
  const text = bytes.toString('hex').toUpperCase();
  if (count % 2 === 0) return text;
  if (padding === 'left-0') return text.startsWith('0') ? text.slice(1) : undefined;
  return text.endsWith(padding === 'right-f' ? 'F' : '0') ? text.slice(0, -1) : undefined;
}

export const bcdBytes = (count: number) => Math.ceil(count / 2);
