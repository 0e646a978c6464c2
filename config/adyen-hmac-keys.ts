/** HMAC keys of Adyen's notifications, as its Customer Area shows them: hexadecimal, the newest key and the previous one. */
const HMAC_KEY = /^([0-9a-fA-F]{2}){16,64}$/;

/** Splits a comma-separated list of keys; blanks around a key are removed. */
const parts = (text: string): readonly string[] => text.split(',').map((key) => key.trim());

export const areHmacKeys = (text: string): boolean => parts(text).every((key) => HMAC_KEY.test(key));

/** Returns only valid keys: Node reads other text as a shorter or an empty key, with which an attacker could sign. */
export const hmacKeysIn = (text: string): readonly string[] => parts(text).filter((key) => HMAC_KEY.test(key));
