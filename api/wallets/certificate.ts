/** Checks an uploaded payment processing certificate and its key. Each refusal names the field and its problem. */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import { Certificate } from 'pkijs';
import { isP256 } from '../../shared/wallets/p256.js';
import { oids } from '../../shared/wallets/wallet-b/oids.js';

export interface Upload {
  /** PEM, one certificate. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
  readonly privateKey: string;
  readonly merchantIdentifier: string;
}

type UploadField = keyof Upload;

export type UploadCheck =
  | {
      readonly kind: 'accepted';
      readonly expiresAt: Date;
      /** base64 of the SHA-256 of the public key (SPKI): tokens refer to the key by it. */
      readonly publicKeyHash: string;
      /** base64 of the public key (SPKI). */
      readonly publicKey: string;
      /** PKCS#8. */
      readonly privateKeyDer: Buffer;
    }
  | { readonly kind: 'refused'; readonly field: UploadField; readonly problem: string };

const refuse = (field: UploadField, problem: string): UploadCheck => ({ kind: 'refused', field, problem });

/** Whether the text is one PEM block with this label and nothing around it but white space. */
function pemBlock(text: string, label: string): boolean {
  const block = new RegExp(`^\\s*-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----\\s*$`);
  return block.test(text);
}

interface ReadCertificate {
  readonly x509: X509Certificate;
  readonly parsed: Certificate;
  readonly publicKey: KeyObject;
}

/** Reads a certificate; `undefined` when the text is not a certificate, or its dates cannot be read or its key is of an unknown kind. */
function readCertificate(pem: string): ReadCertificate | undefined {
  try {
    const x509 = new X509Certificate(pem);
    const { publicKey, validFrom, validTo } = x509;
    // OpenSSL reads a certificate whose dates it cannot read. They would compare with no other date.
    if ([validFrom, validTo].some((text) => Number.isNaN(Date.parse(text)))) return undefined;
    return { x509, parsed: Certificate.fromBER(new Uint8Array(x509.raw)), publicKey };
  } catch {
    return undefined;
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return undefined;
  }
}

/** Returns the hex digest of the merchant identifier that the certificate was issued for. */
function certifiedDigest(certificate: Certificate): string | undefined {
  const extension = (certificate.extensions ?? []).find(({ extnID }) => extnID === oids.merchantIdentifier);
  if (!extension) return undefined;
  const { result } = asn1js.fromBER(extension.extnValue.valueBlock.valueHexView as Uint8Array<ArrayBuffer>);
  const text = result instanceof asn1js.Utf8String ? result.valueBlock.value : '';
  return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined;
}

export function publicKeyHashOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('base64');
}

function checkCertificate({ x509, parsed, publicKey }: ReadCertificate, upload: Upload, now: Date) {
  if (!isP256(publicKey)) return refuse('certificate', 'must be for an EC P-256 key');
  if (Date.parse(x509.validTo) <= now.getTime()) return refuse('certificate', 'has expired');
  if (Date.parse(x509.validFrom) > now.getTime()) return refuse('certificate', 'is not valid yet');
  const digest = certifiedDigest(parsed);
  if (digest === undefined || x509.ca) {
    return refuse('certificate', 'is not a payment processing certificate: it has no merchant identifier');
  }
  const stated = createHash('sha256').update(upload.merchantIdentifier, 'utf8').digest('hex');
  return digest === stated ? undefined : refuse('merchantIdentifier', 'is not the one the certificate was issued for');
}

/** Checks an upload as a whole. None of it is stored before all of it fits together. */
export function checkUpload(upload: Upload, now: Date): UploadCheck {
  if (!pemBlock(upload.certificate, 'CERTIFICATE')) return refuse('certificate', 'must be one certificate in PEM');
  if (/ENCRYPTED/.test(upload.privateKey)) return refuse('privateKey', 'must not be encrypted');
  if (!pemBlock(upload.privateKey, 'PRIVATE KEY')) return refuse('privateKey', 'must be one PKCS#8 key in PEM');
  const certificate = readCertificate(upload.certificate);
  if (!certificate) return refuse('certificate', 'cannot be read');
  const key = readKey(upload.privateKey);
  if (!key) return refuse('privateKey', 'cannot be read');
  const refusal = checkCertificate(certificate, upload, now);
  if (refusal) return refusal;
  if (!isP256(key)) return refuse('privateKey', 'must be an EC P-256 key');
  if (!certificate.x509.checkPrivateKey(key)) return refuse('privateKey', 'does not belong to the certificate');
  return {
    kind: 'accepted',
    expiresAt: new Date(certificate.x509.validTo),
    publicKeyHash: publicKeyHashOf(certificate.publicKey),
    publicKey: certificate.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    privateKeyDer: key.export({ format: 'der', type: 'pkcs8' }),
  };
}
