/**
 * Published test keys of the wallets. Anybody can derive them from the phrase below, so that tests make tokens without a phone. The
 * testing environment trusts them when no other files are configured; production refuses to start with them.
 */
import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';

const PHRASE = 'published test keys of this gateway: not a secret';

/** Derives the EC P-256 key of a name. */
function derive(name: string): KeyObject {
  const d = Buffer.from(hkdfSync('sha256', PHRASE, '', name, 32));
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(d);
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x: x as string, y: y as string };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

const spki = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');

export const testWalletA = {
  root: derive('wallet-a root'),
  recipient: derive('wallet-a recipient'),
};

/** In the form of `WALLET_A_ROOT_KEYS_FILE`. */
export const testRootKeys = JSON.stringify({
  keys: [{ keyValue: spki(testWalletA.root), protocolVersion: 'ECv2', keyExpiration: '2540000000000' }],
});
/** In the form of `WALLET_A_RECIPIENT_KEYS_FILE`. */
export const testRecipientKeys = JSON.stringify([pkcs8(testWalletA.recipient)]);

export const testWalletB = { signer: derive('wallet-b signer') };

const pem = (base64: string) => `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;

/** In the form of `WALLET_B_ROOT_CERTIFICATES_FILE`. */
export const testRootCertificate = pem(
  'MIIB6TCCAY+gAwIBAgIUCcQNJ6GgUozuQAm2NlmbK8n54/kwCgYIKoZIzj0EAwIwQTEoMCYGA1UEAwwfUHVibGlzaGVkIHRlc3Qg' +
    'cm9vdCBvZiB3YWxsZXQtYjEVMBMGA1UECgwMVGVzdGluZyBvbmx5MCAXDTI2MTEyMTA0MDgxOVoYDzIwNTEwNzEzMDQwODE5WjBB' +
    'MSgwJgYDVQQDDB9QdWJsaXNoZWQgdGVzdCByb290IG9mIHdhbGxldC1iMRUwEwYDVQQKDAxUZXN0aW5nIG9ubHkwWTATBgcqhkjO' +
    'PQIBBggqhkjOPQMBBwNCAAQfK/XC2R9nBxv8S5gz2D4qTWf/De6uUZTs2fMt5Gg5ONfOvD8M/wrAOHetcKiaafeT6rz34bCwx941' +
    '6+wglTMDo2MwYTAdBgNVHQ4EFgQUEvvnYX97Rnm+KdfEpIJOv8IVMrUwHwYDVR0jBBgwFoAUEvvnYX97Rnm+KdfEpIJOv8IVMrUw' +
    'DwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIhANOl+U0zl6Q5Ss4kZw8g+KVzoxOp/5RD' +
    'lWisSepRAkDYAiAkTk46xGSVpwUTN8DvR8aebbSdqqhP6jOkxNtpIEGjZg==',
);
export const testAuthorityCertificate = pem(
  'MIIB/zCCAaagAwIBAgIUUlGjAPbABRRtDx1KyeRTxJ8ZHygwCgYIKoZIzj0EAwIwQTEoMCYGA1UEAwwfUHVibGlzaGVkIHRlc3Qg' +
    'cm9vdCBvZiB3YWxsZXQtYjEVMBMGA1UECgwMVGVzdGluZyBvbmx5MCAXDTI2MTEyMTA0MDgxOVoYDzIwNTEwNzEzMDQwODE5WjBG' +
    'MS0wKwYDVQQDDCRQdWJsaXNoZWQgdGVzdCBhdXRob3JpdHkgb2Ygd2FsbGV0LWIxFTATBgNVBAoMDFRlc3Rpbmcgb25seTBZMBMG' +
    'ByqGSM49AgEGCCqGSM49AwEHA0IABEYLxS7xGA3zE+uHXrhmtgQkQwqeyiYctfDhIecejhNPY9EviDxKobxSsotgmmtIyhEvrbSB' +
    'fjXpi6bs33oLYXujdTBzMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMBAGCiqGSIb3Y2QGAg4EAgUAMB0GA1UdDgQW' +
    'BBR1kiMRQiDPkEOpUJfzE8naV6SDFzAfBgNVHSMEGDAWgBQS++dhf3tGeb4p18Skgk6/whUytTAKBggqhkjOPQQDAgNHADBEAiBA' +
    '4kXK/+OU/batOpw+gnKCCjfqvJg4uaSfEzzdqkpxYAIgbMJPeJwErk09xxprIdZG+b6W/3qE1aItcTcrn5Ivvqs=',
);
export const testSignerCertificate = pem(
  'MIIB/jCCAaSgAwIBAgIUUKCTJGu8uRIkBp/BuvEvjq0zG9wwCgYIKoZIzj0EAwIwRjEtMCsGA1UEAwwkUHVibGlzaGVkIHRlc3Qg' +
    'YXV0aG9yaXR5IG9mIHdhbGxldC1iMRUwEwYDVQQKDAxUZXN0aW5nIG9ubHkwIBcNMjYxMTIxMDQwODE5WhgPMjA1MTA3MTMwNDA4' +
    'MTlaMEMxKjAoBgNVBAMMIVB1Ymxpc2hlZCB0ZXN0IHNpZ25lciBvZiB3YWxsZXQtYjEVMBMGA1UECgwMVGVzdGluZyBvbmx5MFkw' +
    'EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELQ+L5D1mGtNsvqMePhP89Fco1vNHn/bivkwCE53d7IBogrCC/smeSE4qH7QYIMOO94Po' +
    'Gu5vZSCGz+v1faFd7qNxMG8wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwDwYJKoZIhvdjZAYdBAIFADAdBgNVHQ4EFgQU' +
    'KgkGOO/gK81Gj6nrd+qhpAZwwmAwHwYDVR0jBBgwFoAUdZIjEUIgz5BDqVCX8xPJ2lekgxcwCgYIKoZIzj0EAwIDSAAwRQIhAOOZ' +
    'IDSmT0c5iJUszVUkX/73dH/hTSzdMByxxu37CucbAiBjIUpTR2tjN+9l9XdvEIUVv7YvJ+ATEF4iv/Fg/Dtfpg==',
);
