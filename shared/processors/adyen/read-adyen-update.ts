/** Reads Adyen's notifications: checks basic authentication if it is configured, then the signature of every item. */
import { timingSafeEqual } from 'node:crypto';
import { hmacKeysIn } from '../../../config/adyen-hmac-keys.js';
import type { RawUpdate, UpdateAnswer, UpdateReader } from '../updates.js';
import { isSigned } from './hmac.js';
import { readNotifications } from './notification.js';
import { toUpdates } from './to-updates.js';

export interface AdyenUpdateOptions {
  /** Hexadecimal, separated by commas. */
  readonly hmacKeys?: string;
  readonly user?: string;
  readonly password?: string;
}

/** Returns the keys to check with. At the address of a merchant only the merchant's own keys are valid. */
const keysOf = ({ credentials }: RawUpdate, { hmacKeys }: AdyenUpdateOptions): readonly string[] =>
  hmacKeysIn((credentials ? credentials.hmacKey : hmacKeys) ?? '');

function isAllowed({ headers }: RawUpdate, { user, password }: AdyenUpdateOptions): boolean {
  if (user === undefined || password === undefined) return true;
  const expected = Buffer.from(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  const given = Buffer.from(String(headers.authorization ?? ''));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const unverified = (internal: string): UpdateAnswer => ({ kind: 'unverified', internal });

export function createAdyenUpdateReader(options: AdyenUpdateOptions): UpdateReader {
  return {
    // Adyen expects this text; after any other answer it sends the notification again.
    acknowledgement: '[accepted]',
    read(raw): UpdateAnswer {
      if (!isAllowed(raw, options)) return unverified('the basic authentication is missing or wrong');
      const items = readNotifications(raw.body);
      // The signatures are in the items. Without readable items nothing can be verified.
      if (!items) return unverified('the body is not a list of notifications');
      const keys = keysOf(raw, options);
      if (keys.length === 0) return unverified('there is no HMAC key that is one');
      const own = raw.credentials?.merchantAccount;
      if (!items.every((item) => isSigned(item, keys))) return unverified('a signature is missing or wrong');
      // The key of one merchant account must not sign for another account.
      if (own !== undefined && items.some(({ merchantAccountCode }) => merchantAccountCode !== own)) {
        return unverified('it is about another merchant account');
      }
      return { kind: 'verified', updates: items.flatMap(toUpdates) };
    },
  };
}
