/** HMAC keys of Adyen's notifications, as its Customer Area shows them: hexadecimal, the newest and the one before it. */
const HMAC_KEY = /^([0-9a-fA-F]{2}){16,64}$/;

/** The keys of a text that separates them by commas; blanks around a key are left out. */
const parts = (text: string): readonly string[] => text.split(',').map((key) => key.trim());

export const areHmacKeys = (text: string): boolean => parts(text).every((key) => HMAC_KEY.test(key));

/** Only those that are keys: Node reads another text as a shorter key or as an empty one, under which anybody can sign. */
export const hmacKeysIn = (text: string): readonly string[] => parts(text).filter((key) => HMAC_KEY.test(key));
