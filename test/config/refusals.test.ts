/** Real processes that must not start: one message names all problems without secrets, there is no other output, and the exit code is 1. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { testRecipientKeys, testRootKeys } from '../../shared/wallets/test-keys.js';
import { makeCertificate } from '../support/make-certificate.js';
import { type Entry, endSpawned, soundProduction, soundSettings, spawnEntry } from './spawn-entry.js';

afterAll(endSpawned);

const START_MS = 60_000;

const secrets = {
  OPERATOR_PASSWORD: 'hunter2-op',
  API_KEY_PEPPER: Buffer.alloc(32).toString('base64'),
  FINGERPRINT_KEY: 'c2VjcmV0LWZpbmdlcnByaW50',
  DIGEST_KEY: Buffer.alloc(40, 'z').toString('base64'),
  REPLY_KEY: Buffer.alloc(40, 'y').toString('base64'),
  VAULT_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
};

const badProduction = {
  ...soundProduction(),
  ...secrets,
  SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:8090',
  PUBLIC_BASE_URL: 'http://pay.example.com',
  LINKS_URL: 'http://pay.example.com/l',
  CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
  TIME_SCALE: '60',
  ALLOW_INSECURE_STORES: '',
};

/** Settings that each process refuses. A process does not mention settings that it does not read. */
const everyone = ['OPERATOR_PASSWORD', 'MONGODB_URI', 'REDIS_URL'];
const starts: [Entry, string[], string[]][] = [
  [
    'api/main',
    [],
    [
      ...Object.keys(secrets),
      ...['SANDBOX_PROCESSOR_URL', 'PUBLIC_BASE_URL', 'LINKS_URL', 'CALLBACK_ALLOW_PRIVATE_NETWORKS', 'TIME_SCALE'],
      ...['MONGODB_URI', 'REDIS_URL'],
    ],
  ],
  [
    'workers/run',
    ['processor'],
    [...everyone, 'VAULT_MASTER_KEYS', 'REPLY_KEY', 'SANDBOX_PROCESSOR_URL', 'TIME_SCALE'],
  ],
  ['workers/run', ['callback'], [...everyone, 'CALLBACK_ALLOW_PRIVATE_NETWORKS', 'TIME_SCALE']],
];

test.each(starts)(
  '%s %j names all its settings that production refuses in one message',
  async (entry, args, refused) => {
    const { code, stdout, stderr } = await spawnEntry(entry, badProduction, args).ended;
    expect([code, stdout]).toEqual([1, '']);
    const named = [...stderr.matchAll(/^ {2}- ([A-Z_]+) /gm)].map(([, name = '']) => name);
    expect(named.sort()).toEqual([...refused].sort());
    expect(stderr.match(/The configuration is not usable/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/ {4}at /);
    for (const secret of Object.values(secrets)) expect(stderr).not.toContain(secret.replace('k1:', ''));
  },
);

test.each<[Entry, string[]]>([
  ['api/main', []],
  ['workers/run', ['wallet']],
])('%s refuses published wallet keys in production', async (entry, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'published-keys-'));
  const file = join(folder, 'root-keys.json');
  await writeFile(file, testRootKeys);
  const recipients = join(folder, 'recipient-keys.json');
  await writeFile(recipients, testRecipientKeys);
  const env = {
    ...soundProduction(),
    WALLET_A_ROOT_KEYS_FILE: file,
    WALLET_A_RECIPIENT_KEYS_FILE: recipients,
  };
  const { code, stdout, stderr } = await spawnEntry(entry, env, args).ended;
  await rm(folder, { recursive: true });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/published test key/);
});

test(
  'the test processor refuses production',
  async () => {
    const { code, stderr } = await spawnEntry('scripts/sandbox/simulator/main', {
      GATEWAY_ENVIRONMENT: 'production',
    }).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('testing only')]);
  },
  START_MS,
);

test.each([[[]], [['processor', 'nobody']]])('workers started with %j name the pools that exist', async (args) => {
  const { code, stderr, stdout } = await spawnEntry('workers/run', soundSettings(), args).ended;
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/processor \| .*callback/);
  expect(stderr).not.toMatch(/ {4}at /);
});

test('a MongoDB whose certificate is not trusted is no MongoDB to start', async () => {
  const server = createTlsServer(await makeCertificate('localhost')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ...soundSettings(), MONGODB_URI: `mongodb://localhost:${port}/none?replicaSet=rs0&tls=true` };
  const { code, stderr } = await spawnEntry('scripts/gateway/main', env, ['clients', 'list']).ended;
  server.close();
  expect(code).toBe(3);
  expect(stderr).toMatch(/^gateway: MongoDB does not answer: self-signed certificate\. .* NODE_EXTRA_CA_CERTS; /);
  expect(stderr).not.toContain('Start it');
});

test(
  'a start without MongoDB ends with an error that does not contain the password of the address',
  async () => {
    const env = {
      ...soundSettings(),
      MONGODB_URI: 'mongodb://gateway:hunter2-mongo@127.0.0.1:1/none?replicaSet=rs0&authSource=admin',
    };
    const { code, stdout, stderr } = await spawnEntry('api/main', env).ended;
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('hunter2-mongo');
    expect(stderr).toMatch(/^MongoDB does not answer: .*127\.0\.0\.1:1.*MONGODB_URI/);
    expect(stderr).not.toMatch(/ {4}at /);
  },
  START_MS,
);
