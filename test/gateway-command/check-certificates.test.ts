/** How long the certificates last that the settings name, as the doctor says it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCertificates } from '../../scripts/gateway/doctor/check-certificates.js';
import type { Examined } from '../../scripts/gateway/doctor/examined.js';
import { DAY_MS } from '../../shared/domain/time.js';
import { makeCertificate } from '../support/make-certificate.js';

/** Certificates of tests last this long. */
const YEAR_DAYS = 365;
const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function statesAfter(days: number, config: Examined['config']) {
  const now = new Date(Date.now() + days * DAY_MS);
  const found = await checkCertificates({
    ...{ processes: ['processor'], environment: 'production', problems: [], misspelt: [], connects: false },
    config,
    clock: { now: () => now },
  });
  return found.map(({ state, found: text }) => `${state} ${text.replace(/\d{4}-\d\d-\d\d/, 'a day')}`);
}

test('a certificate that ends soon is a notice, and an ended one is wrong', async () => {
  const { cert } = await makeCertificate('gateway.example');
  const config = { iso8583TlsCertificateFile: file('own.pem', cert), emv3dsTlsCaFile: file('ca.pem', cert) };
  expect(await statesAfter(0, config)).toEqual([
    'ok ISO8583_TLS_CERTIFICATE_FILE: until a day',
    'ok EMV3DS_TLS_CA_FILE: until a day',
  ]);
  expect(await statesAfter(YEAR_DAYS - 10, config)).toEqual([
    'notice ISO8583_TLS_CERTIFICATE_FILE ends in 9 days, on a day',
    'notice EMV3DS_TLS_CA_FILE ends in 9 days, on a day',
  ]);
  expect(await statesAfter(YEAR_DAYS + 1, config)).toEqual([
    'wrong ISO8583_TLS_CERTIFICATE_FILE ended on a day',
    'wrong EMV3DS_TLS_CA_FILE ended on a day',
  ]);
});

test('of several authorities the one that lasts longest counts, of a chain the first certificate', async () => {
  const [long, short] = [await makeCertificate('new.example'), await makeCertificate('old.example', 1)];
  const both = file('both.pem', short.cert + long.cert);
  expect(await statesAfter(2, { iso8583TlsCertificateFile: both, iso8583TlsCaFile: both })).toEqual([
    'wrong ISO8583_TLS_CERTIFICATE_FILE ended on a day',
    'ok ISO8583_TLS_CA_FILE: until a day',
  ]);
});

test('a file that cannot be read is left to the check of its processor', async () => {
  const config = { iso8583TlsCertificateFile: join(folder, 'none.pem'), iso8583TlsCaFile: file('no.pem', 'nothing') };
  expect(await statesAfter(0, config)).toEqual([]);
  expect(await statesAfter(0, {})).toEqual([]);
});
