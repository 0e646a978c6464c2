/** Format of one field in the notation of the standard: `n6`, `n..19` (two length digits), `ans...999` (three), `b8` (bytes). */

/** `b` counts bytes, all others count characters. `x` is C or D followed by digits; `z` is text of a magnetic track. */
export type FieldKind = 'n' | 'a' | 'an' | 'ans' | 'z' | 'x' | 'b';
export type TextEncoding = 'ascii' | 'ebcdic';
export type DigitEncoding = TextEncoding | 'bcd';
export type LengthEncoding = DigitEncoding | 'binary';
/** `raw`: the bytes. `hex`: two characters of the profile's text encoding for each byte. */
export type BinaryEncoding = 'raw' | 'hex';
/** Filler of the unused half byte when the number of BCD digits is odd. */
export type BcdPadding = 'left-0' | 'right-0' | 'right-f';

export interface FieldFormat {
  readonly kind: FieldKind;
  /** Number of length digits before the content; 0 for a field of fixed length. */
  readonly lengthDigits: number;
  /** The length, or the largest length of a variable field. */
  readonly length: number;
}

const NOTATION = /^(n|ans|an|a|z|x|b)(\.{2,4})?([1-9]\d{0,3})$/;

/** Parses a notation; `undefined` when it is invalid, or its length has more digits than its length digits can express. */
export function parseFieldFormat(notation: string): FieldFormat | undefined {
  const [, kind, dots = '', digits] = NOTATION.exec(notation) ?? [];
  if (kind === undefined || digits === undefined) return undefined;
  const length = Number(digits);
  if (dots.length > 0 && length >= 10 ** dots.length) return undefined;
  return { kind: kind as FieldKind, lengthDigits: dots.length, length };
}

const characters: Readonly<Record<Exclude<FieldKind, 'b' | 'x'>, RegExp>> = {
  n: /[^0-9]/,
  a: /[^A-Za-z ]/,
  an: /[^A-Za-z0-9 ]/,
  ans: /[^\x20-\x7e]/,
  z: /[^0-9=]/,
};

/** Returns the index of the first character that the kind does not allow; -1 when all characters fit. */
export function misfitAt(kind: FieldKind, value: string): number {
  if (kind === 'b') return value.search(/[^0-9A-F]/);
  if (kind !== 'x') return value.search(characters[kind]);
  if (!/^[CD]/.test(value)) return 0;
  const at = value.slice(1).search(/[^0-9]/);
  return at < 0 ? -1 : at + 1;
}
