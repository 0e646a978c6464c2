/** Mints wallet-b tokens (EC_v1) under the published test root, valid ones and each kind of broken one. Testing only. */
import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import * as asn1js from 'asn1js';
import {
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs';
import { after, HOUR_MS } from '../../../shared/domain/time.js';
import { testAuthorityCertificate, testSignerCertificate, testWalletB } from '../../../shared/wallets/test-keys.js';
import { dataIv, deriveDataKey } from '../../../shared/wallets/wallet-b/data-cipher.js';
import { oids } from '../../../shared/wallets/wallet-b/oids.js';
import type { WalletOrder } from './order.js';

/** Data of the merchant's newest certificate and of the order that the payer approved. */
export interface WalletBRecipient {
  /** base64 SPKI */
  readonly publicKey: string;
  readonly merchantIdentifier: string;
  readonly totalMinor: number;
  /** ISO 4217 numeric code. */
  readonly currencyNumber: string;
}

const bytes = (buffer: Buffer) => new Uint8Array(buffer);
const read = (pem: string) => Certificate.fromBER(bytes(new X509Certificate(pem).raw));
const attribute = (type: string, value: asn1js.BaseBlock) => new Attribute({ type, values: [value] });

async function signCms(content: Buffer, signedAt: Date): Promise<Buffer> {
  const [signer, authority] = [read(testSignerCertificate), read(testAuthorityCertificate)];
  const digest = createHash('sha256').update(content).digest();
  const attributes = [
    attribute(oids.contentType, new asn1js.ObjectIdentifier({ value: oids.contentData })),
    attribute(oids.signingTime, new asn1js.UTCTime({ valueDate: signedAt })),
    attribute(oids.messageDigest, new asn1js.OctetString({ valueHex: bytes(digest) })),
  ];
  const sid = new IssuerAndSerialNumber({ issuer: signer.issuer, serialNumber: signer.serialNumber });
  const signedAttrs = new SignedAndUnsignedAttributes({ type: 0, attributes });
  const signed = new SignedData({
    version: 1,
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: oids.contentData }),
    signerInfos: [new SignerInfo({ version: 1, sid, signedAttrs })],
    certificates: [signer, authority],
  });
  const pkcs8 = testWalletB.signer.export({ format: 'der', type: 'pkcs8' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  await signed.sign(key, 0, 'SHA-256', bytes(content));
  const frame = new ContentInfo({ contentType: oids.signedData, content: signed.toSchema(true) });
  return Buffer.from(frame.toSchema().toBER(false));
}

function payloadOf(order: WalletOrder, recipient: WalletBRecipient): string {
  const { paymentDataType = '3DSecure' } = order;
  const date = `${String(order.expYear).slice(-2)}${String(order.expMonth).padStart(2, '0')}28`;
  return JSON.stringify({
    applicationPrimaryAccountNumber: order.card,
    applicationExpirationDate: date,
    currencyCode: recipient.currencyNumber,
    transactionAmount: recipient.totalMinor,
    deviceManufacturerIdentifier: '040010030273',
    paymentDataType,
    paymentData:
      paymentDataType === 'EMV'
        ? { emvData: randomBytes(64).toString('base64') }
        : { onlinePaymentCryptogram: randomBytes(20).toString('base64'), eciIndicator: '5' },
  });
}

/** Returns the token in the form of `walletBPayToken.token`: its JSON as text. */
export async function forgeWalletB(order: WalletOrder, recipient: WalletBRecipient, now: Date): Promise<string> {
  const der = Buffer.from(recipient.publicKey, 'base64');
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const identifier = order.broken === 'wrong-recipient' ? 'merchant.other' : recipient.merchantIdentifier;
  const key = deriveDataKey(diffieHellman({ privateKey: ephemeral.privateKey, publicKey }), identifier);
  const cipher = createCipheriv('aes-256-gcm', key, dataIv, { authTagLength: 16 });
  const sealed = Buffer.concat([cipher.update(payloadOf(order, recipient)), cipher.final(), cipher.getAuthTag()]);
  const ephemeralDer = ephemeral.publicKey.export({ format: 'der', type: 'spki' });
  const transactionId = order.messageId ?? randomBytes(32).toString('hex');
  const content = Buffer.concat([ephemeralDer, sealed, Buffer.from(transactionId, 'hex')]);
  const signedAt = order.broken === 'expired' ? after(now, -(24 * HOUR_MS)) : now;
  const signature = await signCms(order.broken === 'bad-signature' ? randomBytes(32) : content, signedAt);
  if (order.broken === 'tampered') sealed[0] = (sealed[0] as number) ^ 1;
  return JSON.stringify({
    version: 'EC_v1',
    data: sealed.toString('base64'),
    signature: signature.toString('base64'),
    header: {
      publicKeyHash: createHash('sha256').update(der).digest('base64'),
      transactionId,
      ephemeralPublicKey: ephemeralDer.toString('base64'),
    },
  });
}
