/**
 * Texts for those who read ASCII only: issuers (EMV 3DS 2.1 and 2.2), acquirers (ISO 8583), readers of EMV QR codes.
 * Unicode knows the plain letter of an accented, wide or joined one; other scripts it does not write in Latin letters, and neither
 * do we: which Latin form is right is a matter of the language and of how the owner writes the name.
 */

/** Latin letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'AE', Œ: 'OE', Þ: 'TH', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H' },
};

/**
 * Printable ASCII (20 to 7E hex): `José Łódź ＡＢＣ` → `Jose Lodz ABC`.
 * @param gap what a character without a plain form becomes: nothing, or a space that keeps apart what it parted.
 */
export const toAscii = (text: string, gap: '' | ' '): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{L}/gu, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\x20-\x7e]/gu, gap);

/** {@link toAscii} on one line, without what has no plain form; at most so many characters, perhaps none. */
export const plainText = (text: string, lengthMax: number): string =>
  toAscii(text.replace(/\s+/g, ' '), '').replace(/ +/g, ' ').trim().slice(0, lengthMax).trim();

/**
 * Whether a name can be written in ASCII: `Café 24` and `1882` can. `Καφέ 24` cannot: what is left of it, a number or a sign, names
 * nothing.
 */
export function hasPlainName(name: string): boolean {
  const plain = plainText(name, name.length);
  return plain !== '' && (/[A-Za-z]/.test(plain) || !/\p{L}/u.test(name));
}

/** What takes the place of a name without a plain form: the number is known to both sides. At most 19 characters. */
export const merchantByNumber = (id: number): string => `MERCHANT ${id}`;

/** The name of a merchant for those who read ASCII only. It is never empty: a message without one is refused, and with it the payment. */
export function plainMerchantName({ id, name }: { readonly id: number; readonly name: string }, lengthMax: number) {
  return hasPlainName(name) ? plainText(name, lengthMax) : merchantByNumber(id);
}
