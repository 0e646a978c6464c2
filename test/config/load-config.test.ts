/** Every setting, and every error text of a setting. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../config/index.js';
import { loadSandboxFile } from '../../config/sandbox-file.js';
import { type Setting, settings } from '../../config/schema.js';
import { loadSimulatorConfig } from '../../config/simulator.js';
import { soundProduction, soundSettings } from './spawn-entry.js';

const folder = mkdtempSync(join(tmpdir(), 'gateway-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const all = Object.entries(settings) as [keyof typeof settings, Setting][];

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
const testing = (changes: Record<string, string> = {}) => problemsOf({ ...soundSettings(), ...changes });
const production = (changes: Record<string, string> = {}) => problemsOf({ ...soundProduction(), ...changes });
const base64 = (length: number) => randomBytes(length).toString('base64');

test('sound settings load in both environments, frozen, with the defaults of the schema', () => {
  const config = loadConfig(soundSettings());
  expect(Object.isFrozen(config)).toBe(true);
  expect(config).toMatchObject({
    environment: 'testing',
    host: '127.0.0.1',
    responseWaitMs: 15_000,
    timeScale: 1,
    batchWrites: true,
  });
  expect(config.sandboxProcessorUrl).toBeUndefined();
  expect(config.apiKeyPepper).toHaveLength(32);
  expect(production()).toEqual([]);
});

test('an empty environment is refused with one error that names each required setting once', () => {
  const required = all.filter(([, setting]) => setting.required).map(([, setting]) => setting.env);
  expect(problemsOf({}).map((problem) => problem.split(' ')[0])).toEqual(required);
});

test('REDIS_PREFIX with braces is refused', () => {
  expect(testing({ REDIS_PREFIX: '{gateway}' })).toEqual([expect.stringMatching(/^REDIS_PREFIX must not hold/)]);
});

test('an empty setting counts as absent', () => {
  expect(testing({ MONGODB_URI: '' })).toEqual([expect.stringMatching(/^MONGODB_URI is missing/)]);
  expect(testing({ PORT: '', LOG_LEVEL: ' \n' })).toEqual([]);
});

test('white space around a setting is ignored, as platforms hand over what ends with a line break', () => {
  const broken = (env: Record<string, string>) =>
    Object.fromEntries(Object.entries(env).map(([name, value]) => [name, ` ${value}\r\n`]));
  const sound = soundSettings();
  expect(loadConfig(broken(sound))).toEqual(loadConfig(sound));
  expect(problemsOf(broken(soundProduction()))).toEqual([]);
  expect(production({ TRUSTED_PROXIES: ' ' })).toEqual([expect.stringMatching(/^TRUSTED_PROXIES is required/)]);
  const path = join(folder, 'reply');
  writeFileSync(path, base64(32));
  expect(testing({ REPLY_KEY: '\n', REPLY_KEY_FILE: `${path}\n` })).toEqual([]);
});

test.each(['"', "'"])('a setting in %s is refused with one sentence', (quote) => {
  const quoted = (name: string) => ({ [name]: `${quote}${{ ...soundSettings(), HOST: '0.0.0.0' }[name]}${quote}` });
  for (const name of ['HOST', 'OPERATOR_PASSWORD', 'MONGODB_URI', 'VAULT_MASTER_KEYS', 'API_KEY_PEPPER']) {
    expect(testing(quoted(name))).toEqual([`${name} is in quotes, which would be a part of it: write it without them`]);
  }
  expect(testing({ PAGES_OPERATOR_NAME: `The ${quote}Acme${quote}` })).toEqual([]);
});

describe.each(all)('%s', (_name, setting) => {
  const wrong: Partial<Record<string, readonly string[]>> = {
    integer: ['x', '1.5', '1e3', '1 0', '+1', '0x10', String((setting.max ?? 0) + 1), String((setting.min ?? 0) - 1)],
    boolean: ['yes', '1', 'TRUE', 'true false'],
    enum: ['other', setting.values?.[0]?.toUpperCase() ?? 'X'],
    url: ['example.com', 'ftp://example.com', 'javascript:alert(1)', '/x', 'http://gw:hunter2%@proxy:3128'],
    https: [
      'help.example.com',
      'http://help.example.com',
      'javascript:alert(1)',
      'mailto:help@example.com',
      'https://',
      'https://user@help.example.com',
      `https://help.example.com/${'x'.repeat(2_048)}`,
    ],
    name: ['bell \u0007', 'Two\nlines of text', 'x'.repeat(61), 'right to left \u202e'],
    key: ['short', base64(31), Buffer.alloc(32).toString('base64'), Buffer.alloc(32, 'a').toString('base64')],
    keys: [
      'short',
      base64(32),
      `k1:${base64(31)}`,
      `k1:${base64(33)}`,
      `k1:${Buffer.alloc(32).toString('base64')}`,
      `:${base64(32)}`,
      `a b:${base64(32)}`,
      'k1:',
    ],
    mongodb: [
      '127.0.0.1:27017/gateway',
      'mongodb:///x',
      'mongodb://db.example',
      'mongodb://a:1,b:2/?replicaSet=rs0',
      'mongodb://a/pay.ment',
      'mongodb://a/pay$x',
      'mongodb://a/pay%20ment',
      'mongodb://a/pay%zz',
      'mongodb://gw:hunter/2@a/x',
      `mongodb://a/${'x'.repeat(54)}`,
      'postgres://h/db',
    ],
    redis: [
      '127.0.0.1:6379',
      'http://127.0.0.1:6379',
      'redis://a b',
      'redis://:hunter2%@a',
      'redis://a:1,b:2',
      'redis+sentinel://a,b',
    ],
    proxies: ['all', '-1', '17', '300.1.1.1', '10.0.0.0/99', '10.0.0.0/33', '0.0.0.0/0', '::/0', '::/129'],
    origins: [
      'wallet.example.com',
      'https://wallet.example.com/path',
      'https://wallet.example.com/',
      "https://wallet.example.com 'unsafe-inline'",
      'https://wallet.example.com; script-src *',
      'https://*',
      'https://a.*.example.com',
      'data:',
      'https://wallet.example.com,',
      'https://user@wallet.example.com',
    ],
  };

  const file = (setting as Setting).secret ? `${setting.env}_FILE` : undefined;
  test('is read from a file exactly when it is a secret', () => {
    const { [setting.env]: text = '', ...others } = soundSettings();
    if (text === '') return;
    const path = join(folder, setting.env);
    writeFileSync(path, `\n${text}\n`);
    const problems = problemsOf({ ...others, [`${setting.env}_FILE`]: path });
    const missing = setting.required ? [expect.stringMatching(`^${setting.env} is missing`)] : [];
    expect(problems).toEqual(file === undefined ? missing : []);
  });

  test('refuses a wrong value by the name of the setting, and never repeats the value', () => {
    for (const value of wrong[setting.kind] ?? []) {
      const problems = testing({ [setting.env]: value });
      expect([value, problems]).toEqual([value, [expect.stringMatching(new RegExp(`^${setting.env} `))]]);
      if (value.length > 6) expect(problems.join()).not.toContain(value);
    }
  });

  const bounds = setting.kind === 'integer' ? [setting.min, setting.max].filter((bound) => bound !== undefined) : [];
  test('accepts its own bounds', () => {
    const refused = (bound: number) =>
      testing({ [setting.env]: String(bound) }).filter((problem) => problem.startsWith(`${setting.env} must be an`));
    expect(bounds.flatMap(refused)).toEqual([]);
  });

  test('has a description, and its default is valid', () => {
    expect(setting.about).toMatch(/^(\S+ ){2}.*[.)]$/);
    if (setting.default !== undefined) expect(testing({ [setting.env]: setting.default })).toEqual([]);
  });
});

test('slashes at the end of an address are removed, because paths are appended to it', () => {
  const [PUBLIC_BASE_URL, LINKS_URL] = ['https://pay.example.com/', 'https://pay.example.com/l//'];
  const { publicBaseUrl, linksUrl } = loadConfig({ ...soundSettings(), PUBLIC_BASE_URL, LINKS_URL });
  expect([publicBaseUrl, linksUrl]).toEqual(['https://pay.example.com', 'https://pay.example.com/l']);
});

test('TRUSTED_PROXIES is a number of proxies or a list of networks', () => {
  const proxies = (text: string) => loadConfig({ ...soundSettings(), TRUSTED_PROXIES: text }).trustedProxies;
  expect(proxies('16')).toEqual({ hops: 16 });
  expect(proxies('10.0.0.0/8, 192.0.2.7,::1, fd00::/8')).toEqual({
    networks: [
      { address: '10.0.0.0', bits: 8 },
      { address: '192.0.2.7', bits: 32 },
      { address: '::1', bits: 128 },
      { address: 'fd00::', bits: 8 },
    ],
  });
});

test('VAULT_MASTER_KEYS are several keys, newest first, and no id twice', () => {
  const [one, two] = [base64(32), base64(32)];
  const config = loadConfig({ ...soundSettings(), VAULT_MASTER_KEYS: `new:${one}, old:${two}` });
  expect(config.vaultMasterKeys.map(({ id }) => id)).toEqual(['new', 'old']);
  expect(testing({ VAULT_MASTER_KEYS: `k:${one},k:${two}` })).toEqual(['VAULT_MASTER_KEYS key id k is repeated']);
});

test('a key with something behind its end is refused: it would not be used', () => {
  const [one, two] = [base64(32), base64(32)];
  const problem = 'is one key in base64, and has something behind its end (=) that would not be used';
  for (const tail of [`,${two}`, `\n${two}`, ' # new']) {
    expect(testing({ DIGEST_KEY: one + tail })).toEqual([`DIGEST_KEY ${problem}`]);
  }
  expect(testing({ VAULT_MASTER_KEYS: `new:${one} old:${two}` })).toEqual([`VAULT_MASTER_KEYS key new ${problem}`]);
  expect(testing({ DIGEST_KEY: `${one}\n`, REPLY_KEY: base64(33), FINGERPRINT_KEY: base64(34) })).toEqual([]);
});

describe('production', () => {
  test.each<[string, Record<string, string>, string]>([
    ['the test processor', { SANDBOX_PROCESSOR_URL: 'https://processor.example.com' }, 'SANDBOX_PROCESSOR_URL'],
    ['a public address without TLS', { PUBLIC_BASE_URL: 'http://pay.example.com' }, 'PUBLIC_BASE_URL'],
    ['the default public address', { PUBLIC_BASE_URL: '' }, 'PUBLIC_BASE_URL'],
    ['callbacks into private networks', { CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true' }, 'CALLBACK_ALLOW_PRIVATE_NETWORKS'],
    ['scaled time', { TIME_SCALE: '2' }, 'TIME_SCALE'],
    ['an operator password of 15 characters', { OPERATOR_PASSWORD: 'x'.repeat(15) }, 'OPERATOR_PASSWORD'],
    ['the secret of the test processor', { SANDBOX_UPDATE_SECRET: 'secret' }, 'SANDBOX_UPDATE_SECRET'],
    ['credentials on its start page', { SANDBOX_FILE: 'sandbox.json' }, 'SANDBOX_FILE'],
    ['pages of links without TLS', { LINKS_URL: 'http://pay.example.com/l' }, 'LINKS_URL'],
  ])('refuses %s', (_name, changes, name) => {
    expect(production(changes)).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
    if (changes.PUBLIC_BASE_URL !== '') expect(testing(changes)).toEqual([]);
  });

  describe('the addresses of MongoDB and Redis', () => {
    const open = { ALLOW_INSECURE_STORES: '' };
    const mongodb = (text: string) => production({ ...open, REDIS_URL: 'rediss://:hunter2@redis', MONGODB_URI: text });
    const redis = (text: string) =>
      production({ ...open, REDIS_URL: text, MONGODB_URI: 'mongodb+srv://gateway:hunter2@cluster/x' });

    test.each([
      'mongodb://gateway:hunter2@a:27017,b:27017/x?replicaSet=rs0&tls=true',
      'mongodb://gateway:hunter2@a/x?ssl=true&authSource=admin',
      'mongodb+srv://gateway:hunter2@cluster.example.com/x',
      'mongodb://cn@a/x?authMechanism=MONGODB-X509&tls=true&tlsCertificateKeyFile=/keys/client.pem',
    ])('%s is accepted for MongoDB', (text) => expect(mongodb(text)).toEqual([]));

    test.each([
      ['mongodb://a/x?replicaSet=rs0', 'credentials and TLS'],
      ['mongodb://gateway:hunter2@a/x', 'TLS'],
      ['mongodb://gateway:hunter2@a/x?tls=false', 'TLS'],
      ['mongodb://gateway:hunter2@a/x?tls=true&tlsInsecure=true', 'TLS'],
      ['mongodb://gateway:hunter2@a/x?tls=true&tlsAllowInvalidCertificates=true', 'TLS'],
      ['mongodb://gateway:hunter2@a/x?tls=true&tlsAllowInvalidHostnames=true', 'TLS'],
      ['mongodb+srv://gateway:hunter2@cluster/x?tls=false', 'TLS'],
      ['mongodb://a/x?tls=true', 'credentials'],
      ['mongodb://gateway@a/x?tls=true', 'credentials'],
    ])('%s is without %s', (text, lack) => {
      const problems = mongodb(text);
      expect(problems).toEqual([
        expect.stringMatching(new RegExp(`^MONGODB_URI is without ${lack}, .*ALLOW_INSECURE_STORES=true`)),
      ]);
      expect(problems.join()).not.toContain('hunter2');
    });

    test.each([
      ['redis://redis:6379', 'credentials and TLS'],
      ['redis://:hunter2@redis:6379', 'TLS'],
      ['rediss://redis:6379', 'credentials'],
      ['rediss://gateway@redis:6379', 'credentials'],
      ['redis+cluster://a,b,c', 'credentials and TLS'],
      ['rediss+cluster://a,b,c', 'credentials'],
      ['redis+cluster://:hunter2@a,b,c', 'TLS'],
      ['redis+sentinel://a,b,c/m', 'credentials, credentials of its sentinels, and TLS'],
      ['rediss+sentinel://:hunter2@a,b,c/m', 'credentials of its sentinels'],
      ['rediss+sentinel://a,b,c/m?sentinelPassword=hunter2', 'credentials'],
    ])('%s is without %s', (text, lack) => {
      const problems = redis(text);
      expect(problems).toEqual([
        expect.stringMatching(new RegExp(`^REDIS_URL is without ${lack}, .*ALLOW_INSECURE_STORES=true`)),
      ]);
      expect(problems.join()).not.toContain('hunter2');
    });

    test.each([
      'rediss://:hunter2@redis',
      'rediss+sentinel://gateway:hunter2@a,b,c/m?sentinelUsername=watcher&sentinelPassword=hunter2',
      'rediss+cluster://:hunter2@a,b,c',
    ])('%s is accepted for Redis', (text) => expect(redis(text)).toEqual([]));

    test('the proposed address has the same form as the given address', () => {
      expect(redis('redis+sentinel://a/m').join()).toContain('use rediss+sentinel://:password@host1,host2,host3/name?');
      expect(redis('redis+cluster://a').join()).toContain('use rediss+cluster://:password@host1,host2,host3');
    });

    test('any address is accepted with ALLOW_INSECURE_STORES=true, and in testing', () => {
      const bare = { MONGODB_URI: 'mongodb://a/x', REDIS_URL: 'redis://redis' };
      expect(production({ ...bare, ALLOW_INSECURE_STORES: 'true' })).toEqual([]);
      expect(testing(bare)).toEqual([]);
      expect(production({ ...bare, ALLOW_INSECURE_STORES: 'false' })).toHaveLength(2);
    });
  });

  describe('the script of wallet-a', () => {
    const script = {
      WALLET_A_SCRIPT_URL: 'https://wallet.example.com/js/pay.js',
      WALLET_A_SCRIPT_CLIENT: 'wallet.api.PaymentsClient',
      WALLET_A_SCRIPT_ORIGINS: 'https://cdn.example.com, https://*.wallet.example.com:8443',
      WALLET_A_ROOT_KEYS_FILE: '/keys/roots.json',
      WALLET_A_RECIPIENT_KEYS_FILE: '/keys/recipients.json',
    };

    test('is accepted with all settings that it needs', () => {
      expect(production(script)).toEqual([]);
      expect(loadConfig({ ...soundProduction(), ...script }).walletAScriptOrigins).toEqual([
        'https://cdn.example.com',
        'https://*.wallet.example.com:8443',
      ]);
    });

    test.each<[string, Record<string, string>, string]>([
      ['without TLS', { WALLET_A_SCRIPT_URL: 'http://wallet.example.com/pay.js' }, 'WALLET_A_SCRIPT_URL must be https'],
      ['without its class', { WALLET_A_SCRIPT_CLIENT: '' }, 'WALLET_A_SCRIPT_CLIENT is missing'],
      ['with a class that is none', { WALLET_A_SCRIPT_CLIENT: 'alert(1)' }, 'WALLET_A_SCRIPT_CLIENT must be names'],
      [
        'with origins without TLS',
        { WALLET_A_SCRIPT_ORIGINS: 'http://cdn.example.com' },
        'WALLET_A_SCRIPT_ORIGINS must',
      ],
      ['without root keys', { WALLET_A_ROOT_KEYS_FILE: '' }, 'WALLET_A_ROOT_KEYS_FILE is missing'],
      ['without recipient keys', { WALLET_A_RECIPIENT_KEYS_FILE: '' }, 'WALLET_A_RECIPIENT_KEYS_FILE is missing'],
      ['without its address', { WALLET_A_SCRIPT_URL: '' }, 'WALLET_A_SCRIPT_URL is missing'],
    ])('is refused %s', (_name, change, problem) => {
      expect(production({ ...script, ...change })).toEqual([expect.stringContaining(problem)]);
      expect(testing({ ...script, ...change })).toEqual([]);
    });
  });

  test('requires TRUSTED_PROXIES, even if there is no proxy', () => {
    expect(production({ TRUSTED_PROXIES: '' })).toEqual([expect.stringMatching(/^TRUSTED_PROXIES is required/)]);
    expect(production({ TRUSTED_PROXIES: '0' })).toEqual([]);
  });

  test('accepts an operator password of 16 characters', () => {
    expect(production({ OPERATOR_PASSWORD: 'x'.repeat(16) })).toEqual([]);
  });

  const keys = all.filter(([, { kind }]) => kind === 'key' || kind === 'keys').map(([, setting]) => setting);
  const pairs = keys.flatMap((one, at) => keys.slice(at + 1).map((other) => [one.env, other.env] as const));
  test.each(pairs)('refuses one key for two purposes: %s and %s', (one, other) => {
    const shared = base64(32);
    const written = (name: string) => (name === 'VAULT_MASTER_KEYS' ? `k1:${base64(32)},k0:${shared}` : shared);
    expect(production({ [one]: written(one), [other]: written(other) })).toEqual([
      `${other} must not be the same key as ${one}`,
    ]);
  });

  test('names all problems at once, including those of every environment', () => {
    const problems = production({
      SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:8090',
      PUBLIC_BASE_URL: 'http://pay.example.com',
      CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
      TIME_SCALE: '60',
      OPERATOR_PASSWORD: '',
      API_KEY_PEPPER: Buffer.alloc(32).toString('base64'),
      VAULT_MASTER_KEYS: 'k1:c2hvcnQ=',
    });
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'API_KEY_PEPPER',
      'CALLBACK_ALLOW_PRIVATE_NETWORKS',
      'OPERATOR_PASSWORD',
      'PUBLIC_BASE_URL',
      'SANDBOX_PROCESSOR_URL',
      'TIME_SCALE',
      'VAULT_MASTER_KEYS',
    ]);
  });

  test('does not start the test processor, whose settings have their own errors', () => {
    expect(() => loadSimulatorConfig({ GATEWAY_ENVIRONMENT: 'production' })).toThrow(/testing only/);
    expect(() => loadSimulatorConfig({ SIMULATOR_PORT: 'x', TIME_SCALE: '0' })).toThrow(
      /SIMULATOR_PORT.*\n.*TIME_SCALE/,
    );
    expect(loadSimulatorConfig({})).toMatchObject({ port: 8090, timeScale: 1 });
    expect(() => loadSandboxFile({})).toThrow(/SANDBOX_FILE is missing/);
    expect(loadSandboxFile({ SANDBOX_FILE: 'x.json' })).toBe('x.json');
  });
});
