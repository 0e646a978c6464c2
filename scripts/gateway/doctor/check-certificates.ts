/** Checks how long the certificates last that the settings name: with an ended one no connection is made, and no payment is sent. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificatesIn } from '../../../config/certificate-files.js';
import type { Config } from '../../../config/index.js';
import { settings } from '../../../config/schema.js';
import type { Check } from './examined.js';
import { findingsOf } from './finding.js';
import { judgeEnd } from './judge-end.js';

type FileSetting = 'iso8583TlsCertificateFile' | 'iso8583TlsCaFile' | 'emv3dsTlsCaFile';

interface CertificateFile {
  readonly setting: FileSetting;
  readonly docs: string;
  readonly todo: string;
  /** The certificate of the file that has to last: our own comes first, and one of several authorities is enough. */
  readonly lasting: 'first' | 'longest';
}

const files: readonly CertificateFile[] = [
  {
    setting: 'iso8583TlsCertificateFile',
    docs: 'docs/iso8583.md#connections',
    todo: 'Have the acquirer renew it, and restart processor and qr with it: it refuses connections with an ended one.',
    lasting: 'first',
  },
  {
    setting: 'iso8583TlsCaFile',
    docs: 'docs/iso8583.md#connections',
    todo: 'Ask the acquirer for the next one, and restart processor and qr with it.',
    lasting: 'longest',
  },
  {
    setting: 'emv3dsTlsCaFile',
    docs: 'docs/threeds-server.md#configure-it',
    todo: 'Ask the operator of the server for the next one, and restart threeds with it.',
    lasting: 'longest',
  },
];

/** Returns when the certificate of the file ends that has to last; undefined when the file cannot be read, which another check reports. */
function endOf({ setting, lasting }: CertificateFile, config: Partial<Config>): Date | undefined {
  const path = config[setting];
  if (path === undefined) return undefined;
  try {
    const ends = certificatesIn(readFileSync(path, 'latin1')).map((text) =>
      Date.parse(new X509Certificate(text).validTo),
    );
    const end = lasting === 'first' ? ends[0] : Math.max(...ends);
    return end === undefined || !Number.isFinite(end) ? undefined : new Date(end);
  } catch {
    return undefined;
  }
}

export const checkCertificates: Check = ({ config, clock }) =>
  files.flatMap((file) => {
    const end = endOf(file, config);
    if (end === undefined) return [];
    const findings = findingsOf('certificates', file.docs);
    return [judgeEnd(findings, settings[file.setting].env, end, clock.now(), file.todo)];
  });
