import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/index.js';
import { gatewayEnvironment, givenSettings, readAddress } from '../../scripts/setup/environment.mjs';
import { isAtLeast } from '../../scripts/setup/node-version.mjs';
import { freePort, preferPort, requirePort } from '../../scripts/setup/ports.mjs';
import { createProgress } from '../../scripts/setup/progress.mjs';
import { readyMessage } from '../../scripts/setup/ready-message.mjs';
import { loadSecrets } from '../../scripts/setup/secrets.mjs';
import { planRestart } from '../../scripts/setup/supervisor.mjs';
import { countResult } from '../../scripts/setup/test-result.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['20.19.0', '20.19', true],
  ['22.1.0', '20.19', true],
  ['20.9.0', '20.19', false],
  ['18.20.8', '20.19', false],
  ['20.19', '20.19.0', true],
])('Node %s is enough for %s: %s', (have, want, enough) => {
  expect(isAtLeast(have, want)).toBe(enough);
});

describe('ports', () => {
  let taken: net.Server;
  let port: number;
  beforeEach(async () => {
    taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    port = (taken.address() as AddressInfo).port;
  });
  afterEach(() => taken.close());

  test('a taken port of the API is reported in one sentence that suggests another PORT', async () => {
    await expect(requirePort(port, '127.0.0.1')).rejects.toThrow(
      `Port ${port} is taken by another program: choose another one, for example \`PORT=${port + 1} npm start\`.`,
    );
  });

  test('an address that this machine does not have is named', async () => {
    await expect(requirePort(8080, '203.0.113.1')).rejects.toThrow(/HOST=203\.0\.113\.1 PORT=8080 \(EADDRNOTAVAIL\)/);
  });

  test('a preferred port that is taken is replaced by a free one', async () => {
    const other = await preferPort(port);
    expect(other).not.toBe(port);
    await expect(requirePort(other, '127.0.0.1')).resolves.toBeUndefined();
    expect(await preferPort(other)).toBe(other);
  });
});

test('a free port is not in the range of outgoing connections, and is given only once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(200);
  expect(ports.filter((port) => port < 20_000 || port > 32_767)).toEqual([]);
});

describe('environment', () => {
  test.each(['0', '65536', '80a', '-1', '1e3', ' '])('PORT=%j is refused', (PORT) => {
    expect(() => readAddress({ PORT })).toThrow('PORT must be a number from 1 to 65535.');
  });

  test('npm start refuses production', () => {
    expect(() => readAddress({ GATEWAY_ENVIRONMENT: 'production' })).toThrow(/runs a sandbox/);
  });

  const environment = (env: NodeJS.ProcessEnv) =>
    gatewayEnvironment({
      env,
      secrets: loadSecrets(join(folder, 'secrets.json')),
      address: { ...readAddress(env), operatorPort: 9081, processorPort: 9180 },
      servers: { mongodbUri: 'mongodb://127.0.0.1:27217/x', redisUrl: 'redis://127.0.0.1:6479' },
      data: '/data',
    });

  test('is a complete configuration of the gateway', () => {
    const config = loadConfig(environment({ PORT: '8085', HOST: '' }));
    expect(config).toMatchObject({
      environment: 'testing',
      host: '127.0.0.1',
      port: 8085,
      operatorPort: 9081,
      publicBaseUrl: 'http://127.0.0.1:8085',
      callbackAllowPrivateNetworks: true,
      sandboxProcessorUrl: 'http://127.0.0.1:9180',
    });
  });

  test('keeps a setting that the person made', () => {
    const env = environment({ OPERATOR_PASSWORD: 'a password of mine', PUBLIC_BASE_URL: 'https://pay.example.test' });
    expect(env).toMatchObject({ OPERATOR_PASSWORD: 'a password of mine', PUBLIC_BASE_URL: 'https://pay.example.test' });
  });

  test('keeps the settings that the person gave for ./gateway --sandbox, and nothing else of the shell', () => {
    const given = { EMV3DS_URL: 'http://127.0.0.1:9290', STRIPE_SECRET_KEY_FILE: '/run/stripe', TIME_SCALE: '60' };
    const env = { ...given, PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'x', ISO8583_HOST: '' };
    expect(givenSettings(env, readFileSync('.env.example', 'utf8'))).toEqual(given);
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'pay.example'])(
    'HOST=%s is refused: the sandbox shows its keys',
    (HOST) => {
      expect(() => readAddress({ HOST })).toThrow(/would show the sandbox's keys to other machines/);
    },
  );

  test.each([
    ['localhost', 'http://localhost:8080'],
    ['127.0.0.2', 'http://127.0.0.2:8080'],
    ['::1', 'http://[::1]:8080'],
  ])('HOST=%s is an address of this machine', (HOST, url) => {
    expect(environment({ HOST }).PUBLIC_BASE_URL).toBe(url);
  });
});

describe('secrets', () => {
  test('are made once, and only their owner can read them', () => {
    const file = join(folder, 'deep/secrets.json');
    const secrets = loadSecrets(file);
    expect(loadSecrets(file)).toEqual(secrets);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(new Set(Object.values(secrets)).size).toBe(6);
  });

  test('a secret that is new in this version is added to the others', () => {
    const file = join(folder, 'secrets.json');
    writeFileSync(file, JSON.stringify({ API_KEY_PEPPER: 'kept' }));
    expect(loadSecrets(file)).toMatchObject({ API_KEY_PEPPER: 'kept', DIGEST_KEY: expect.any(String) });
    expect(JSON.parse(readFileSync(file, 'utf8')).API_KEY_PEPPER).toBe('kept');
  });

  test('are not replaced if their file is damaged', () => {
    const file = join(folder, 'secrets.json');
    writeFileSync(file, '{"API_KEY_');
    expect(() => loadSecrets(file)).toThrow(/cannot be read as JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{"API_KEY_');
  });
});

describe('a process that died', () => {
  test.each([
    [[1], { startAfterMs: 1000 }],
    [[1, 1], { startAfterMs: 2000 }],
    [[60_000], { startAfterMs: 500 }],
    [[1, 1, 60_000, 1, 1], { startAfterMs: 2000 }],
    [[1, 1, 1], { giveUp: true }],
    [[60_000, 1, 1, 1], { giveUp: true }],
  ])('after lives of %j ms the plan is %j', (lives, plan) => {
    expect(planRestart(lives)).toEqual(plan);
  });
});

test('progress prints a step once with its result, and no failed step as done', async () => {
  const lines: string[] = [];
  const progress = createProgress((line: string) => lines.push(line));
  await progress.step('Looking for Redis', async (settle: (text: string) => void) => settle('Redis 7 from PATH'));
  await expect(progress.step('Building', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(lines).toEqual([expect.stringMatching(/^ {2}✓ Redis 7 from PATH \(0\.\d s\)$/)]);
});

test('the ready message has a payment to copy and paste, and hides the operator password', () => {
  const sandbox = {
    baseUrl: 'http://127.0.0.1:8080',
    clientId: 'cli_1',
    apiKey: 'key_1',
    merchants: [{ id: 1001, name: 'Shop' }],
    operator: { baseUrl: 'http://127.0.0.1:9080', user: 'operator', password: 'hidden' },
  };
  const message: string = readyMessage(sandbox, { logs: '/logs', sandboxFile: '/sandbox.json' });
  expect(message).not.toContain('hidden');
  const body = /-d '(.*)'$/m.exec(message)?.[1]?.replace(`'$(date +%s)'`, '1') ?? '';
  expect(JSON.parse(body)).toMatchObject({ merchantId: 1001, referenceId: 'order-1', amount: { total: 10.5 } });
  expect(message).toContain(`curl -s -u 'cli_1:key_1' http://127.0.0.1:8080/v1/payments `);
});

describe('the count of npm test', () => {
  const report = (passed: number, failed: number, broken: number, skipped = 0) => ({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numRuntimeErrorTestSuites: broken,
  });
  test.each([
    ['all passed', report(5, 0, 0), 0, { passed: 5, failed: 0, skipped: 0 }],
    ['some failed', report(4, 1, 0), 1, { passed: 4, failed: 1, skipped: 0 }],
    ['some were skipped', report(4, 0, 0, 3), 0, { passed: 4, failed: 0, skipped: 3 }],
    ['a suite did not run', report(4, 1, 2), 1, { passed: 4, failed: 3, skipped: 0 }],
    ['jest failed without saying where', report(4, 0, 0), 1, { passed: 4, failed: 1, skipped: 0 }],
    ['jest was killed', report(4, 0, 0), null, { passed: 4, failed: 1, skipped: 0 }],
    ['jest wrote no report', undefined, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])('%s', (_, given, exitCode, counted) => {
    expect(countResult(given, exitCode)).toEqual(counted);
  });
});
