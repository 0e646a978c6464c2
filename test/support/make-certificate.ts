/** Makes self-signed certificates for servers of tests. */
import { webcrypto } from 'node:crypto';
import { Integer, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, Certificate, Extension, GeneralName, GeneralNames } from 'pkijs';
import { DAY_MS } from '../../shared/domain/time.js';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const pem = (label: string, bytes: ArrayBuffer | Buffer) =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes as Buffer).toString('base64')}\n-----END ${label}-----\n`;

/**
 * Makes a self-signed certificate for this name. A client that has it as `ca` accepts it.
 * @param days how long it lasts
 */
export async function makeCertificate(name: string, days = 365): Promise<TestCertificate> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({ value: 1 });
  for (const names of [certificate.subject, certificate.issuer]) {
    names.typesAndValues.push(
      new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: name }) as never }),
    );
  }
  certificate.notBefore.value = new Date(Date.now() - 365 * DAY_MS);
  certificate.notAfter.value = new Date(Date.now() + days * DAY_MS);
  const names = new GeneralNames({ names: [new GeneralName({ type: 2, value: name })] });
  certificate.extensions = [new Extension({ extnID: '2.5.29.17', extnValue: names.toSchema().toBER(false) })];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as never);
  await certificate.sign(keys.privateKey as never, 'SHA-256');
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: pem('CERTIFICATE', certificate.toSchema().toBER(false)), key: pem('PRIVATE KEY', key) };
}
