import { iso31661 } from 'iso-3166/1.js';

const assigned: ReadonlySet<string> = new Set(iso31661.map(({ alpha2 }) => alpha2));

/** Whether the text is a code that ISO 3166-1 alpha-2 has given to a country: capital letters, reserved codes are none. */
export const isCountryCode = (text: string): boolean => assigned.has(text);
