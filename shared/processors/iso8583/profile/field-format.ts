/** How one field is written, in the notation of the standard: `n6`, `n..19` (two length digits), `ans...999` (three), `b8` (bytes). */

/** `b` counts bytes, everything else characters. `x` is C or D and then digits; `z` is magnetic track text. */
export type FieldKind = 'n' | 'a' | 'an' | 'ans' | 'z' | 'x' | 'b';
export type TextEncoding = 'ascii' | 'ebcdic';
export type DigitEncoding = TextEncoding | 'bcd';
export type LengthEncoding = DigitEncoding | 'binary';
/** `raw`: the bytes. `hex`: two characters of the profile's text encoding for each byte. */
export type BinaryEncoding = 'raw' | 'hex';
/** What fills the half byte of an odd number of BCD digits. */
export type BcdPadding = 'left-0' | 'right-0' | 'right-f';

export interface FieldFormat {
  readonly kind: FieldKind;
  /** Digits of the length before the content; 0 for a field of fixed length. */
  readonly lengthDigits: number;
  /** The length, or the largest one where it is variable. */
  readonly length: number;
}

const NOTATION = /^(n|ans|an|a|z|x|b)(\.{2,4})?([1-9]\d{0,3})$/;

/** `undefined` for what is no notation, or has a length that its length digits cannot say. */
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

/** Place of the first character that the kind does not allow; -1 when all of them fit. */
export function misfitAt(kind: FieldKind, value: string): number {
  if (kind === 'b') return value.search(/[^0-9A-F]/);
  if (kind !== 'x') return value.search(characters[kind]);
  if (!/^[CD]/.test(value)) return 0;
  const at = value.slice(1).search(/[^0-9]/);
  return at < 0 ? -1 : at + 1;
}
