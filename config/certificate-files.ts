import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/;

/** Returns the problem of a file of certificate authorities; undefined: none. Node accepts any text, and then trusts no server. */
export function authoritiesProblem(text: string): string | undefined {
  const first = CERTIFICATE.exec(text)?.[0];
  if (first === undefined) return 'holds no certificate in PEM';
  try {
    return new X509Certificate(first) && undefined;
  } catch {
    return 'holds a certificate that cannot be read';
  }
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
