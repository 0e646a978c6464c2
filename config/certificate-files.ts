import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Returns the certificates of a file, as text. */
export const certificatesIn = (text: string): readonly string[] => text.match(CERTIFICATE) ?? [];

const BEGIN = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Whether a certificate begins in the text and does not end. Readers leave it out, or what comes after it. */
export const isCutOff = (text: string): boolean => (text.match(BEGIN) ?? []).length > certificatesIn(text).length;

/** What is said of such a file. */
export const CUT_OFF = 'holds a certificate that begins and does not end';

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the problem of a file of certificate authorities; undefined: none. Node accepts any text: it trusts no server then, or none
 * whose authority comes after the broken one.
 */
export function authoritiesProblem(text: string): string | undefined {
  const certificates = certificatesIn(text);
  if (certificates.length === 0) return 'holds no certificate in PEM';
  const broken = certificates.findIndex((certificate) => !isReadable(certificate));
  if (broken < 0) return isCutOff(text) ? CUT_OFF : undefined;
  return `holds a certificate that cannot be read: number ${broken + 1} of ${certificates.length}`;
}

/** Returns why a certificate cannot be used with this key; undefined: it can be used. */
export function identityProblem(cert: Buffer, key: Buffer): string | undefined {
  try {
    return createSecureContext({ cert, key }) && undefined;
  } catch (error) {
    // `error:0480006C:PEM routines::no start line`
    return `cannot be used: ${(error as Error).message.split('::').at(-1)}`;
  }
}
