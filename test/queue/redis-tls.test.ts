/** `rediss+sentinel://` and `rediss+cluster://` against servers that speak only TLS, from a process that knows their authority. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { makeCertificate } from '../support/make-certificate.js';
import { type OwnTlsRedis, startOwnTlsRedis } from '../support/own-redis-tls.js';
import { waitFor } from '../support/patience.js';

let redis: OwnTlsRedis;
let folder: string;
let authority: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
  const certificate = await makeCertificate('localhost');
  authority = join(folder, 'authority.pem');
  await writeFile(authority, certificate.cert);
  redis = await startOwnTlsRedis(certificate);
});
afterAll(async () => {
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly todo?: string;
}

async function examine(url: string, more: Record<string, string>): Promise<readonly Finding[]> {
  const settings = { ...soundSettings(), REDIS_URL: url, ...more };
  const { stdout } = await spawnEntry('scripts/gateway/main', settings, ['doctor', '--json']).ended;
  return (JSON.parse(stdout) as Finding[]).filter(({ check }) => check.startsWith('redis'));
}

test.each([
  ['a cluster', () => redis.clusterUrl, 'Redis does not answer'],
  ['Sentinel', () => redis.sentinelUrl, 'none of its sentinels answers'],
] as const)('%s is connected if the certificate authority is known, else refused', async (_kind, url, silent) => {
  // The doctor waits seconds for an answer, and is asked again as a person would do on a machine that stands still.
  await waitFor(
    () => examine(url(), { NODE_EXTRA_CA_CERTS: authority }),
    (findings) => findings.some(({ state, found }) => state === 'ok' && found.includes('noeviction')),
  );
  const refused = await examine(url(), {});
  // The client itself says only that its connections are closed.
  expect(refused).toEqual([
    expect.objectContaining({
      state: 'wrong',
      found: `${silent}: DEPTH_ZERO_SELF_SIGNED_CERT`,
      todo: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    }),
  ]);
  expect(JSON.stringify(refused)).not.toContain('localhost:');
});
