/** Test vectors of the EC_v1 scheme, tokens with a flipped bit, and the rules for an upload. */

import { X509Certificate } from 'node:crypto';
import { checkUpload } from '../../api/wallets/certificate.js';
import type { WalletRefusal } from '../../shared/wallets/credential.js';
import { openWalletBToken } from '../../shared/wallets/wallet-b/open-token.js';
import { asn1Regions, flipped, flipsTimeout, jsonRegions, slices } from './bit-flips.js';
import { pem, type TokenFixture, walletB } from './fixtures.js';

const open = (text: string, now = walletB.now) => openWalletBToken(text, walletB.trust, walletB.keys, now);

const refusals: Record<string, WalletRefusal> = {
  signature_invalid: 'unverifiable',
  chain_invalid: 'unverifiable',
  decrypt_failed: 'unverifiable',
  signing_time: 'expired',
  unsupported_version: 'malformed',
};

const byId = (id: string) => walletB.tokens.find((token) => token.id === id) as TokenFixture;
const accepted = walletB.tokens.filter(({ expected }) => expected.accept);
const rejected = walletB.tokens.filter(({ expected }) => expected.reason && expected.reason in refusals);

test('all fixtures are tested but the resent token, which only a memory of used tokens can refuse', () => {
  expect(accepted).toHaveLength(10);
  expect(rejected).toHaveLength(10);
  expect(walletB.tokens).toHaveLength(21);
});

test.each(accepted)('$id is opened: $note', ({ token, expected }) => {
  const payload = expected.payload as Record<string, unknown>;
  const data = payload['paymentData'] as Record<string, unknown>;
  const date = payload['applicationExpirationDate'] as string;
  const name = payload['cardholderName'];
  expect(open(token)).toEqual({
    kind: 'opened',
    credential: {
      kind: 'cryptogram',
      number: payload['applicationPrimaryAccountNumber'],
      expYear: 2000 + Number(date.slice(0, 2)),
      expMonth: Number(date.slice(2, 4)),
      uniqueId: JSON.parse(token).header.transactionId,
      approved: { totalMinor: payload['transactionAmount'], currencyNumber: payload['currencyCode'] },
      cryptogram: data['onlinePaymentCryptogram'],
      eci: String(data['eciIndicator']).padStart(2, '0'),
      ...(name ? { cardholderName: name } : {}),
    },
  });
});

test.each(rejected)('$id is refused: $note', ({ token, expected }) => {
  expect(open(token)).toEqual({ kind: 'refused', reason: refusals[expected.reason as string] });
});

test('the signing window applies in both directions', () => {
  const { token } = byId('b-01');
  const after = (ms: number) => open(token, new Date(walletB.now.getTime() + ms)).kind;
  expect([after(-290_000), after(290_000), after(-310_000), after(310_000)]).toEqual([
    'opened',
    'opened',
    'refused',
    'refused',
  ]);
});

test('the key is chosen by its hash: a missing one is unknown-key, and an expired one is certificate-expired', () => {
  const { token } = byId('b-01');
  const [current, previous] = walletB.keys;
  if (!current || !previous) throw new Error('two keys expected');
  const with_ = (keys: typeof walletB.keys) => openWalletBToken(token, walletB.trust, keys, walletB.now);
  expect(with_([previous])).toEqual({ kind: 'refused', reason: 'unknown-key' });
  expect(with_([{ ...current, expiresAt: walletB.now }])).toEqual({ kind: 'refused', reason: 'certificate-expired' });
});

test('the token may be in the object that the wallet passes to the page', () => {
  expect(open(JSON.stringify({ paymentData: JSON.parse(byId('b-01').token) })).kind).toBe('opened');
});

test('a token with bytes of its id moved to the application data has the same unique id', () => {
  const [id, ids] = [partOf('transactionId', 'hex').toString('hex'), new Set<string>()];
  for (const bytes of [0, 1, 16, 31]) {
    const token = JSON.parse(byId('b-01').token);
    token.header.transactionId = id.slice(0, id.length - 2 * bytes);
    if (bytes > 0) token.header.applicationData = id.slice(-2 * bytes).toUpperCase();
    const opened = open(JSON.stringify(token));
    ids.add(opened.kind === 'opened' ? opened.credential.uniqueId : opened.reason);
  }
  expect([...ids]).toEqual([id]);
});

/** Returns token b-01 with one part replaced. `publicKeyHash` is not among the tested parts: it is not signed and only chooses a key. */
function withPart(part: string, bytes: Buffer, encoding: BufferEncoding): string {
  const token = JSON.parse(byId('b-01').token);
  const holder = part in token ? token : token.header;
  holder[part] = bytes.toString(encoding);
  return JSON.stringify(token);
}

const partOf = (part: string, encoding: BufferEncoding): Buffer => {
  const token = JSON.parse(byId('b-01').token);
  return Buffer.from(part in token ? token[part] : token.header[part], encoding);
};

test.each([
  ['data', 'base64'],
  ['transactionId', 'hex'],
  ['ephemeralPublicKey', 'base64'],
] as const)(
  'a bit flipped in %s is refused',
  (part, encoding) => {
    const bytes = partOf(part, encoding);
    for (const { region, changed } of flipped(bytes, slices(bytes, 16))) {
      expect([region, open(withPart(part, changed, encoding)).kind]).toEqual([region, 'refused']);
    }
  },
  flipsTimeout,
);

/**
 * Regions of the signature that are redundant or have no meaning: version, list of digests and enclosed content of the CMS;
 * version of the signer and spelling of its issuer's name. All of the certificates, the signed attributes and the signature
 * itself are significant.
 */
const INSIGNIFICANT_REGIONS = /^1\.0(\.(0|1|2|4\.0\.[01]))(\.|$| )/;

test(
  'a bit flipped in the signature is refused, unless its region has no meaning',
  () => {
    const bytes = partOf('signature', 'base64');
    const regions = asn1Regions(bytes);
    expect(regions.length).toBeGreaterThan(250);
    const opened = new Set<string>();
    for (const { region, changed } of flipped(bytes, regions)) {
      if (open(withPart('signature', changed, 'base64')).kind === 'opened') opened.add(region);
    }
    expect([...opened].filter((region) => !INSIGNIFICANT_REGIONS.test(region))).toEqual([]);
  },
  flipsTimeout,
);

test(
  'a bit flipped anywhere in the text of a token throws nothing',
  () => {
    const { token } = byId('b-03');
    const regions = jsonRegions(token);
    for (const name of ['version', 'data', 'signature', 'publicKeyHash', 'transactionId', 'ephemeralPublicKey']) {
      expect(regions.map((region) => region.name)).toContain(name);
    }
    for (const { changed } of flipped(Buffer.from(token, 'utf8'), regions)) {
      expect(['opened', 'refused']).toContain(open(changed.toString('utf8')).kind);
    }
  },
  flipsTimeout,
);

test('texts that are no tokens are malformed', () => {
  for (const text of ['', 'null', '[]', '{}', '{"version":"EC_v1"}', '{"version":"EC_v1","header":null}']) {
    expect(open(text)).toEqual({ kind: 'refused', reason: 'malformed' });
  }
});

test.each(walletB.uploads)('the upload of $cert with $key is accepted: $accept', ({ cert, key, accept, reason }) => {
  const upload = {
    certificate: pem(cert),
    privateKey: pem(key),
    merchantIdentifier: walletB.merchantIdentifier,
  };
  const result = checkUpload(upload, walletB.now);
  expect([result.kind, accept ? '' : reason]).toEqual([accept ? 'accepted' : 'refused', accept ? '' : reason]);
  if (result.kind === 'refused') expect(result.problem).not.toMatch(/cannot be read/);
});

const good = () => ({
  certificate: pem('merchant-alpha.pem'),
  privateKey: pem('merchant-alpha.key.pem'),
  merchantIdentifier: walletB.merchantIdentifier,
});

test.each([
  ['certificate', { certificate: 'x' }, 'must be one certificate in PEM'],
  ['certificate', { certificate: pem('merchant-alpha.pem').repeat(2) }, 'must be one certificate in PEM'],
  ['certificate', { certificate: pem('merchant-alpha.pem').replace(/MII./, 'AAAA') }, 'cannot be read'],
  ['privateKey', { privateKey: 'x' }, 'must be one PKCS#8 key in PEM'],
  [
    'privateKey',
    { privateKey: pem('merchant-alpha.key.pem').replaceAll('PRIVATE', 'ENCRYPTED PRIVATE') },
    'must not be encrypted',
  ],
  [
    'privateKey',
    { privateKey: pem('merchant-alpha.key.pem').replaceAll('PRIVATE', 'EC PRIVATE') },
    'must be one PKCS#8 key in PEM',
  ],
  ['privateKey', { privateKey: pem('merchant-alpha-previous.key.pem') }, 'does not belong to the certificate'],
  ['merchantIdentifier', { merchantIdentifier: 'merchant.test.beta' }, 'is not the one the certificate was issued for'],
])('an upload with a wrong %s is refused with a reason', (field, change, problem) => {
  expect(checkUpload({ ...good(), ...change }, walletB.now)).toEqual({ kind: 'refused', field, problem });
});

test('a certificate with an unknown kind of key is refused with a reason', () => {
  const [head = '', ...lines] = pem('merchant-alpha.pem').trim().split('\n');
  const der = Buffer.from(lines.slice(0, -1).join(''), 'base64');
  // The object identifier of EC public keys, before the key.
  const at = der.indexOf(Buffer.from('06072a8648ce3d0201', 'hex'));
  expect(at).toBeGreaterThan(0);
  der.writeUInt8(0x7f, at + 8);
  const certificate = `${head}\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  expect(checkUpload({ ...good(), certificate }, walletB.now)).toEqual({
    ...{ kind: 'refused', field: 'certificate', problem: 'cannot be read' },
  });
});

test('a certificate whose end cannot be read is refused: it would count as valid', () => {
  const certificate = new X509Certificate(pem('merchant-alpha.pem'));
  const der = Buffer.from(certificate.raw);
  // The last time in the certificate is its end, `YYMMDDHHMMSSZ`.
  const endAt = der.lastIndexOf('0Z', der.indexOf(certificate.publicKey.export({ format: 'der', type: 'spki' })));
  der.write('x', endAt, 'latin1');
  const upload = { ...good(), certificate: new X509Certificate(der).toString() };
  const refusal = { kind: 'refused', field: 'certificate', problem: 'cannot be read' };
  expect(checkUpload(upload, walletB.now)).toEqual(refusal);
});

test('the hash of an accepted upload is the one in tokens', () => {
  const result = checkUpload(good(), walletB.now);
  expect(result).toMatchObject({ publicKeyHash: JSON.parse(byId('b-01').token).header.publicKeyHash });
});
