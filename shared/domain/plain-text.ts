/**
 * Texts for receivers that read only ASCII: issuers (EMV 3DS 2.1 and 2.2), acquirers (ISO 8583), readers of EMV QR codes.
 * Unicode defines the plain letter of an accented, wide or joined letter. It does not write other scripts in Latin letters, and neither
 * does this code: the right Latin form depends on the language and on how the owner writes the name.
 */

/** Latin letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'AE', Œ: 'OE', Þ: 'TH', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H' },
};

/**
 * Converts text to printable ASCII (20 to 7E hex): `José Łódź ＡＢＣ` → `Jose Lodz ABC`.
 * @param gap replaces a character without a plain form: nothing, or a space that keeps its neighbours apart.
 */
export const toAscii = (text: string, gap: '' | ' '): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{L}/gu, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\x20-\x7e]/gu, gap);

/** Like {@link toAscii}, but on one line and without characters that have no plain form; at most `lengthMax` characters, possibly none. */
export const plainText = (text: string, lengthMax: number): string =>
  toAscii(text.replace(/\s+/g, ' '), '').replace(/ +/g, ' ').trim().slice(0, lengthMax).trim();

/**
 * Whether a name can be written in ASCII: `Café 24` and `1882` can. `Καφέ 24` cannot: the number or sign that remains is not
 * a name.
 */
export function hasPlainName(name: string): boolean {
  const plain = plainText(name, name.length);
  return plain !== '' && (/[A-Za-z]/.test(plain) || !/\p{L}/u.test(name));
}

/** Returns the replacement for a name without a plain form: both sides know the number. At most 19 characters. */
export const merchantByNumber = (id: number): string => `MERCHANT ${id}`;

/** Returns the name of a merchant in ASCII, never empty: a message without a name is refused, and the payment with it. */
export function plainMerchantName({ id, name }: { readonly id: number; readonly name: string }, lengthMax: number) {
  return hasPlainName(name) ? plainText(name, lengthMax) : merchantByNumber(id);
}
