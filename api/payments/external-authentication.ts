/** An authentication that the merchant did elsewhere and sends with the card (docs/decisions.md, "external 3DS"). */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { threePartVersion, twoDigitEci } from '../../shared/domain/threeds/authentication.js';

export interface ExternalAuthentication {
  /** EMV 3DS version. */
  readonly version: string;
  readonly eci: string;
  readonly dsTransactionId: string;
  /** The CAVV. It is sealed apart from the card and destroyed with the outcome. */
  readonly value: string;
}

const rules = {
  threeDSVersion: [/^\d\.\d(\.\d)?$/, 'must be a version such as 2.2.0'],
  eci: [/^\d{1,2}$/, 'must be one or two digits'],
  cavv: [/^[A-Za-z0-9+/_-]{20,60}={0,2}$/, 'must be base64'],
  dsTransactionId: [/^[\w-]{1,64}$/, 'must be an id of at most 64 characters'],
} as const satisfies Record<string, readonly [RegExp, string]>;
const names = Object.keys(rules) as (keyof typeof rules)[];

type CardMetadata = Readonly<Record<string, string>> | undefined;

/**
 * Reads an authentication from `card.metadata`; `undefined` when none of its four members is there.
 * @throws {GatewayError} `request-validation-errors` naming each of the four that is missing or malformed.
 */
export function externalAuthenticationOf(metadata: CardMetadata): ExternalAuthentication | undefined {
  if (!metadata || !names.some((name) => Object.hasOwn(metadata, name))) return undefined;
  const params: Record<string, string[]> = {};
  for (const name of names) {
    const [pattern, reason] = rules[name];
    const value = metadata[name];
    if (value === undefined || !pattern.test(value)) {
      params[`paymentMethod.card.metadata.${name}`] = [value === undefined ? 'is required with the others' : reason];
    }
  }
  if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
  const { threeDSVersion = '', eci = '', cavv = '', dsTransactionId = '' } = metadata;
  return { version: threePartVersion(threeDSVersion), eci: twoDigitEci(eci), dsTransactionId, value: cavv };
}

/** Returns the metadata without the authentication: its proof must not be kept as long as the card. */
export function withoutAuthentication(metadata: CardMetadata): CardMetadata {
  if (!metadata) return undefined;
  const own: ReadonlySet<string> = new Set(names);
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !own.has(name)));
}
