import { iso31661 } from 'iso-3166/1.js';

const numericByAlpha2: ReadonlyMap<string, string> = new Map(iso31661.map(({ alpha2, numeric }) => [alpha2, numeric]));

/** Whether the text is a code that ISO 3166-1 alpha-2 has given to a country: capital letters, reserved codes are none. */
export const isCountryCode = (text: string): boolean => numericByAlpha2.has(text);

/** The three digits of ISO 3166-1 for its two letters. */
export const numericCountry = (alpha2: string): string | undefined => numericByAlpha2.get(alpha2);
