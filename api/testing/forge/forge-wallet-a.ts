/** Mints wallet-a tokens (ECv2), valid ones and each kind of broken one, with the published test keys. Testing only. */
import {
  createCipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { after, DAY_MS } from '../../../shared/domain/time.js';
import { testWalletA } from '../../../shared/wallets/test-keys.js';
import { ciphers, deriveKeys } from '../../../shared/wallets/wallet-a/message-cipher.js';
import { intermediateBytes, messageBytes } from '../../../shared/wallets/wallet-a/verify-signature.js';
import type { WalletOrder } from './order.js';

const VERSION = 'ECv2';

function payloadOf(order: WalletOrder, now: Date) {
  const expiresAt = after(now, order.broken === 'expired' ? -1_000 : DAY_MS);
  return {
    gatewayMerchantId: String(order.merchantId),
    messageExpiration: String(expiresAt.getTime()),
    messageId: order.messageId ?? randomBytes(21).toString('base64url'),
    paymentMethod: 'CARD',
    paymentMethodDetails: {
      pan: order.card,
      expirationMonth: order.expMonth,
      expirationYear: order.expYear,
      authMethod: order.auth,
      ...(order.auth === 'CRYPTOGRAM_3DS' && { cryptogram: randomBytes(20).toString('base64'), eciIndicator: '05' }),
    },
  };
}

function encrypt(plaintext: string, recipientKey: KeyObject): string {
  const ephemeral = createECDH('prime256v1');
  const point = ephemeral.generateKeys();
  const { x = '', y = '' } = createPublicKey(recipientKey).export({ format: 'jwk' });
  const recipient = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const { key, macKey } = deriveKeys(VERSION, point, ephemeral.computeSecret(recipient));
  const cipher = createCipheriv(ciphers[VERSION].name, key, Buffer.alloc(16));
  const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return JSON.stringify({
    encryptedMessage: encrypted.toString('base64'),
    ephemeralPublicKey: point.toString('base64'),
    tag: createHmac('sha256', macKey).update(encrypted).digest('base64'),
  });
}

/** Changes one character of the encrypted message without signing the message again. */
function tamper(signedMessage: string): string {
  const message = JSON.parse(signedMessage) as { encryptedMessage: string };
  const bytes = Buffer.from(message.encryptedMessage, 'base64');
  bytes[0] = (bytes[0] as number) ^ 1;
  return JSON.stringify({ ...message, encryptedMessage: bytes.toString('base64') });
}

/**
 * Returns the token in the form of `walletAPayToken.token`: base64 of its JSON.
 * @param keys key that signs the token, and key that it is encrypted for; by default the published ones.
 */
export function forgeWalletA(
  order: WalletOrder,
  gatewayName: string,
  now: Date,
  keys: { readonly root: KeyObject; readonly recipient: KeyObject } = testWalletA,
): string {
  const signedMessage = encrypt(JSON.stringify(payloadOf(order, now)), keys.recipient);
  const intermediate = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const keyValue = intermediate.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const signedKey = JSON.stringify({ keyValue, keyExpiration: String(after(now, DAY_MS).getTime()) });
  const name = order.broken === 'wrong-recipient' ? `${gatewayName}-other` : gatewayName;
  const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  const root = order.broken === 'bad-signature' ? stranger : keys.root;
  const token = {
    protocolVersion: VERSION,
    signature: sign('sha256', messageBytes(name, VERSION, signedMessage), intermediate.privateKey).toString('base64'),
    intermediateSigningKey: {
      signedKey,
      signatures: [sign('sha256', intermediateBytes(VERSION, signedKey), root).toString('base64')],
    },
    signedMessage: order.broken === 'tampered' ? tamper(signedMessage) : signedMessage,
  };
  return Buffer.from(JSON.stringify(token)).toString('base64');
}
