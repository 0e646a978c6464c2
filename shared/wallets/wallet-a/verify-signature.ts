/** The signature chain of a wallet-a token: root key, intermediate key (ECv2), message. */
import { type KeyObject, verify } from 'node:crypto';
import { readPublicKey } from '../p256.js';
import { readBase64 } from '../read-base64.js';
import { readObject } from '../read-json.js';
import { type ProtocolVersion, type RootKey, readMillis, type WalletATrust } from './trust.js';

const SENDER = 'Google';

/** The outer JSON of a token. `signedMessage` and `signedKey` stay strings, because these exact strings are signed. */
export interface SignedToken {
  readonly protocolVersion: ProtocolVersion;
  readonly signature: string;
  readonly signedMessage: string;
  readonly intermediate?: { readonly signedKey: string; readonly signatures: readonly string[] };
}

/** Joins the parts, each with its length before it (4 bytes, little-endian), so that no two lists of parts have the same bytes. */
function signedBytes(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}

export const intermediateBytes = (version: ProtocolVersion, signedKey: string) =>
  signedBytes([SENDER, version, signedKey]);

export const messageBytes = (gatewayName: string, version: ProtocolVersion, signedMessage: string) =>
  signedBytes([SENDER, `gateway:${gatewayName}`, version, signedMessage]);

function signs(key: KeyObject, bytes: Buffer, signature: string): boolean {
  const der = readBase64(signature);
  if (!der) return false;
  try {
    return verify('sha256', bytes, { key, dsaEncoding: 'der' }, der);
  } catch {
    return false;
  }
}

/** Returns the unexpired keys of this version. An ECv2 key without an expiry counts as expired. */
export function liveRoots(keys: readonly RootKey[], version: ProtocolVersion, nowMs: number): KeyObject[] {
  return keys
    .filter(({ protocolVersion, expiresAtMs }) => {
      if (protocolVersion !== version) return false;
      return expiresAtMs === undefined ? version === 'ECv1' : expiresAtMs > nowMs;
    })
    .map(({ key }) => key);
}

function intermediateKey(token: SignedToken, roots: readonly KeyObject[], nowMs: number): KeyObject | undefined {
  const { intermediate } = token;
  if (!intermediate) return undefined;
  const bytes = intermediateBytes(token.protocolVersion, intermediate.signedKey);
  if (!intermediate.signatures.some((signature) => roots.some((root) => signs(root, bytes, signature))))
    return undefined;
  const signedKey = readObject(intermediate.signedKey);
  const expiresAtMs = readMillis(signedKey?.['keyExpiration']);
  return expiresAtMs !== undefined && expiresAtMs > nowMs
    ? readPublicKey(readBase64(signedKey?.['keyValue']))
    : undefined;
}

/** Whether the message is signed for this gateway by a chain to an unexpired root key. */
export function isSigned(token: SignedToken, trust: WalletATrust, nowMs: number): boolean {
  const roots = liveRoots(trust.rootKeys, token.protocolVersion, nowMs);
  const bytes = messageBytes(trust.gatewayName, token.protocolVersion, token.signedMessage);
  if (token.protocolVersion === 'ECv1') return roots.some((root) => signs(root, bytes, token.signature));
  const key = intermediateKey(token, roots, nowMs);
  return key !== undefined && signs(key, bytes, token.signature);
}
