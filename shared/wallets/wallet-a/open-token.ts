/** Opens a wallet-a token: shape, signature chain, MAC, decryption, then what the payload says about itself. Pure but for the keys. */
import { limits } from '../../../config/limits.js';
import { twoDigitEci } from '../../domain/threeds/authentication.js';
import { type OpenedToken, refused, type WalletCredential } from '../credential.js';
import { type Fields, hasExactly, isText, readObject } from '../read-json.js';
import { decryptMessage, readEncryptedMessage } from './message-cipher.js';
import { readMillis, type WalletATrust } from './trust.js';
import { isSigned, type SignedToken } from './verify-signature.js';

/** Reads the outer JSON of a token. In both versions it must have exactly the members of the scheme. */
function readSignedToken(text: string): SignedToken | undefined {
  const outer = readObject(text);
  if (!outer) return undefined;
  const { protocolVersion, signature, signedMessage, intermediateSigningKey } = outer;
  if (typeof signature !== 'string' || typeof signedMessage !== 'string') return undefined;
  if (protocolVersion === 'ECv1') {
    const exact = hasExactly(outer, ['protocolVersion', 'signature', 'signedMessage']);
    return exact ? { protocolVersion, signature, signedMessage } : undefined;
  }
  const members = ['protocolVersion', 'signature', 'signedMessage', 'intermediateSigningKey'];
  if (protocolVersion !== 'ECv2' || !hasExactly(outer, members)) return undefined;
  const { signedKey, signatures } = (intermediateSigningKey ?? {}) as Fields;
  if (typeof signedKey !== 'string' || !Array.isArray(signatures)) return undefined;
  // Each signature is tried with each root key: bounded, so that a token cannot cost hours of curve arithmetic.
  if (signatures.length > limits.walletSignaturesMax || !signatures.every((one) => typeof one === 'string'))
    return undefined;
  return { protocolVersion, signature, signedMessage, intermediate: { signedKey, signatures } };
}

const isIntegerFrom = (min: number, max: number, value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

function readCredential(payload: Fields): WalletCredential | undefined {
  const details = (payload['paymentMethodDetails'] ?? {}) as Fields;
  const { pan, expirationMonth, expirationYear, authMethod, cryptogram, eciIndicator } = details;
  if (payload['paymentMethod'] !== 'CARD' || !isText(payload['messageId'])) return undefined;
  if (typeof pan !== 'string' || !/^\d{12,19}$/.test(pan)) return undefined;
  if (!isIntegerFrom(1, 12, expirationMonth) || !isIntegerFrom(2000, 2999, expirationYear)) return undefined;
  const card = { number: pan, expMonth: expirationMonth, expYear: expirationYear, uniqueId: payload['messageId'] };
  if (authMethod === 'PAN_ONLY') return { ...card, kind: 'pan-only' };
  if (authMethod !== 'CRYPTOGRAM_3DS' || !isText(cryptogram)) return undefined;
  return {
    ...card,
    kind: 'cryptogram',
    cryptogram,
    ...(isText(eciIndicator) ? { eci: twoDigitEci(eciIndicator) } : {}),
  };
}

/**
 * @param text the token as JSON text, decoded from the base64 it travels in.
 * @param gatewayMerchantId the merchant that is paid: a token made for another merchant is refused.
 */
export function openWalletAToken(text: string, trust: WalletATrust, gatewayMerchantId: string, now: Date): OpenedToken {
  const token = readSignedToken(text);
  const message = token && readEncryptedMessage(token.signedMessage);
  if (!token || !message) return refused('malformed');
  if (!isSigned(token, trust, now.getTime())) return refused('unverifiable');
  const plain = decryptMessage(token.protocolVersion, message, trust.recipientKeys);
  if (plain === undefined) return refused('unverifiable');
  const payload = readObject(plain);
  const expiresAtMs = readMillis(payload?.['messageExpiration']);
  if (!payload || expiresAtMs === undefined) return refused('malformed');
  if (expiresAtMs <= now.getTime()) return refused('expired');
  if (payload['gatewayMerchantId'] !== gatewayMerchantId) return refused('wrong-merchant');
  const credential = readCredential(payload);
  return credential ? { kind: 'opened', credential } : refused('malformed');
}
