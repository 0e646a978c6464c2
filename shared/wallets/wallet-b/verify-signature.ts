/**
 * The CMS signature of a wallet-b token. pkijs reads the structure (real tokens are BER of indefinite length); chain and
 * signatures are checked with node:crypto against the configured roots only. A root that the token carries is never trusted.
 */

import { createHash, timingSafeEqual, verify, X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import { Certificate, SignedData, type SignerInfo } from 'pkijs';
import { limits } from '../../../config/limits.js';
import { oids } from './oids.js';
import { isWellFormed } from './well-formed.js';

interface CarriedCertificate {
  readonly parsed: Certificate;
  readonly x509: X509Certificate;
}

interface ReadCms {
  readonly signer: SignerInfo;
  readonly certificates: readonly CarriedCertificate[];
}

export type SignatureCheck = { readonly kind: 'signed'; readonly at: Date } | { readonly kind: 'unsigned' };
const unsigned: SignatureCheck = { kind: 'unsigned' };

const bytesOf = (view: ArrayBuffer | Uint8Array) =>
  Buffer.from(view instanceof Uint8Array ? view : new Uint8Array(view));

/**
 * Returns the certificates of the token (signer, authority and perhaps the root) in the bytes that were sent: encoding them again could
 * change what was signed.
 */
function rawCertificates(signedData: asn1js.Sequence): Buffer[] {
  const isSet = (node: asn1js.BaseBlock) => node.idBlock.tagClass === 3 && node.idBlock.tagNumber === 0;
  const set = signedData.valueBlock.value.find(isSet) as asn1js.Constructed | undefined;
  const nodes = (set?.valueBlock.value ?? []) as asn1js.BaseBlock[];
  return nodes.slice(0, limits.walletTokenCertificatesMax).map((node) => bytesOf(node.valueBeforeDecodeView));
}

const isExplicitContent = (node: asn1js.BaseBlock | undefined): node is asn1js.Constructed =>
  node instanceof asn1js.Constructed && node.idBlock.tagClass === 3 && node.idBlock.tagNumber === 0;

/** Reads a CMS signature by exactly one signer. Returns undefined or throws for anything else. */
function readCms(der: Buffer): ReadCms | undefined {
  if (!isWellFormed(der)) return undefined;
  const { result, offset } = asn1js.fromBER(new Uint8Array(der));
  if (offset === -1 || !(result instanceof asn1js.Sequence)) return undefined;
  const [type, content] = result.valueBlock.value;
  if (!(type instanceof asn1js.ObjectIdentifier) || type.getValue() !== oids.signedData) return undefined;
  if (!isExplicitContent(content)) return undefined;
  const inner = content.valueBlock.value[0] as asn1js.Sequence;
  const signed = new SignedData({ schema: inner });
  const [signer, ...others] = signed.signerInfos;
  if (!signer || others.length > 0) return undefined;
  const certificates = rawCertificates(inner).map((raw) => ({
    parsed: Certificate.fromBER(new Uint8Array(raw)),
    x509: new X509Certificate(raw),
  }));
  return { signer, certificates };
}

/** Returns the value of an attribute that occurs once, with one value; otherwise undefined. */
function attribute(signer: SignerInfo, type: string): asn1js.BaseBlock | undefined {
  const found = (signer.signedAttrs?.attributes ?? []).filter((one) => one.type === type);
  const values = found.length === 1 ? (found[0]?.values as asn1js.BaseBlock[]) : [];
  return values.length === 1 ? values[0] : undefined;
}

const hasExtension = (certificate: Certificate, oid: string) =>
  (certificate.extensions ?? []).some(({ extnID }) => extnID === oid);

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: Date) =>
  Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);

const issuedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** Whether the signer was issued by a marked authority that one of the configured roots issued, all of them valid now. */
function isTrusted(signer: CarriedCertificate, cms: ReadCms, roots: readonly X509Certificate[], now: Date): boolean {
  if (signer.x509.ca || !hasExtension(signer.parsed, oids.tokenSigner) || !isValidAt(signer.x509, now)) return false;
  return cms.certificates.some(
    ({ parsed, x509 }) =>
      x509.ca &&
      hasExtension(parsed, oids.tokenAuthority) &&
      isValidAt(x509, now) &&
      // The root is checked first: a key that anybody may have put into the token is used only when a root vouches for it.
      roots.some((root) => isValidAt(root, now) && issuedBy(x509, root)) &&
      issuedBy(signer.x509, x509),
  );
}

/** Finds the certificate that the signer names by issuer and serial number; never any other that the token carries. */
function findSigner({ signer, certificates }: ReadCms): CarriedCertificate | undefined {
  const { issuer, serialNumber } = signer.sid as { issuer?: Certificate['issuer']; serialNumber?: asn1js.Integer };
  if (!issuer || !serialNumber) return undefined;
  return certificates.find(({ parsed }) => parsed.issuer.isEqual(issuer) && parsed.serialNumber.isEqual(serialNumber));
}

/** Whether the signed attributes are about this content, and the signer's key signed them. */
function signsContent(signer: SignerInfo, certificate: X509Certificate, content: Buffer): boolean {
  if (signer.digestAlgorithm.algorithmId !== oids.sha256) return false;
  if (signer.signatureAlgorithm.algorithmId !== oids.ecdsaWithSha256) return false;
  const type = attribute(signer, oids.contentType);
  if (!(type instanceof asn1js.ObjectIdentifier) || type.getValue() !== oids.contentData) return false;
  const digest = attribute(signer, oids.messageDigest);
  if (!(digest instanceof asn1js.OctetString)) return false;
  const stated = bytesOf(digest.valueBlock.valueHexView);
  const actual = createHash('sha256').update(content).digest();
  if (stated.length !== actual.length || !timingSafeEqual(stated, actual)) return false;
  const key = certificate.publicKey;
  if (key.asymmetricKeyType !== 'ec') return false;
  // pkijs returns the attributes as they are signed: as a SET, in the bytes that were sent.
  const attributes = bytesOf((signer.signedAttrs as NonNullable<SignerInfo['signedAttrs']>).encodedValue);
  const signature = bytesOf(signer.signature.valueBlock.valueHexView);
  return verify('sha256', attributes, { key, dsaEncoding: 'der' }, signature);
}

function check(der: Buffer, content: Buffer, roots: readonly X509Certificate[], now: Date): SignatureCheck {
  const cms = readCms(der);
  const certificate = cms && findSigner(cms);
  if (!cms || !certificate || !isTrusted(certificate, cms, roots, now)) return unsigned;
  if (!signsContent(cms.signer, certificate.x509, content)) return unsigned;
  const time = attribute(cms.signer, oids.signingTime);
  if (!(time instanceof asn1js.UTCTime || time instanceof asn1js.GeneralizedTime)) return unsigned;
  return { kind: 'signed', at: time.toDate() };
}

/**
 * @param der the detached CMS signature.
 * @param content the bytes that it must sign.
 * @returns when it was signed; `unsigned` for every kind of error.
 */
export function checkSignature(
  der: Buffer,
  content: Buffer,
  roots: readonly X509Certificate[],
  now: Date,
): SignatureCheck {
  try {
    return check(der, content, roots, now);
  } catch {
    // Parsers throw on malformed input. A forged token must look like a broken one.
    return unsigned;
  }
}
