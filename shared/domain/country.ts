import { iso31661 } from 'iso-3166/1.js';

const numericByAlpha2: ReadonlyMap<string, string> = new Map(iso31661.map(({ alpha2, numeric }) => [alpha2, numeric]));

/** Whether the text is a country code of ISO 3166-1 alpha-2, in capital letters. Reserved codes are not country codes. */
export const isCountryCode = (text: string): boolean => numericByAlpha2.has(text);

/** Returns the ISO 3166-1 numeric code (three digits) of an alpha-2 code. */
export const numericCountry = (alpha2: string): string | undefined => numericByAlpha2.get(alpha2);
