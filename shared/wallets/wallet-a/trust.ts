/** Keys that a wallet-a token is checked with, read from the operator's files. */
import type { KeyObject } from 'node:crypto';
import { readPrivateKey, readPublicKey } from '../p256.js';
import { readBase64 } from '../read-base64.js';
import { readItems, readObject } from '../read-json.js';

export type ProtocolVersion = 'ECv1' | 'ECv2';

export interface RootKey {
  readonly key: KeyObject;
  readonly protocolVersion: ProtocolVersion;
  /** ms since the epoch; only an ECv1 key may have none. */
  readonly expiresAtMs?: number;
}

export interface WalletATrust {
  readonly rootKeys: readonly RootKey[];
  /** Newest first. A token does not name its key, so each is tried. */
  readonly recipientKeys: readonly KeyObject[];
  /** Part of the recipient `gateway:<name>` that tokens are signed for. */
  readonly gatewayName: string;
}

/** Reads milliseconds since the epoch as the scheme writes them: a decimal string. */
export function readMillis(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Reads the scheme's root key set `{"keys":[{keyValue, protocolVersion, keyExpiration?}]}`. A key of an unknown protocol version is
 * skipped, as the scheme asks; expired keys are left out when the keys are used.
 * @throws {Error} when the text is not such a set, or has no usable key.
 */
export function parseRootKeys(text: string): RootKey[] {
  const keys = readObject(text)?.['keys'];
  if (!Array.isArray(keys)) throw new Error('is no root key set: {"keys":[…]} expected');
  const read = keys.flatMap((entry: Record<string, unknown>) => {
    const key = readPublicKey(readBase64(entry?.['keyValue']));
    const protocolVersion = entry?.['protocolVersion'];
    if (!key || (protocolVersion !== 'ECv1' && protocolVersion !== 'ECv2')) return [];
    const expiresAtMs = readMillis(entry['keyExpiration']);
    if (entry['keyExpiration'] !== undefined && expiresAtMs === undefined) return [];
    return [{ key, protocolVersion, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) } satisfies RootKey];
  });
  if (read.length === 0) throw new Error('has no usable root key');
  return read;
}

/**
 * Reads the gateway's own keys: a JSON array of PKCS#8 keys in base64, newest first.
 * @throws {Error} which names the position of an invalid key; never a key.
 */
export function parseRecipientKeys(text: string): KeyObject[] {
  const list = readItems(text);
  if (list.length === 0) throw new Error('is no JSON array of base64 PKCS#8 keys');
  return list.map((entry, place) => {
    const key = readPrivateKey(readBase64(entry));
    if (!key) throw new Error(`key ${place + 1} is no EC P-256 key in base64 PKCS#8`);
    return key;
  });
}
