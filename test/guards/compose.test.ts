/** docker-compose.yml gives each process the secrets that it reads, and no service more rights than it needs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfigOf } from '../../config/index.js';
import { type ProcessName, processNames, settingsOf } from '../../config/readers.js';
import { type Setting, settings } from '../../config/schema.js';
import { textOf } from './source-tree.js';

interface Service {
  readonly environment?: Record<string, string>;
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly mem_limit?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly ports?: readonly string[];
  readonly image?: string;
}
interface Composition {
  readonly services: Record<string, Service>;
  readonly secrets: Record<string, { readonly file: string }>;
  readonly networks: Record<string, { readonly internal?: boolean } | null>;
}

const { services, secrets, networks } = parse(textOf('docker-compose.yml'), {
  merge: true,
  maxAliasCount: -1,
}) as Composition;
const every = Object.entries(services);
const serviceOf = (name: ProcessName) => services[name] ?? {};
const folder = mkdtempSync(join(tmpdir(), 'gateway-compose-'));
const make = () => spawnSync(process.execPath, ['scripts/make-secrets.mjs', folder], { encoding: 'utf8' });
let made: ReturnType<typeof make>;
beforeAll(() => {
  made = make();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(processNames)('%s gets exactly the secrets that it reads, as files', (name) => {
  const own = settingsOf([name]).map((setting): Setting => settings[setting]);
  const needed = own.filter(({ secret, required }) => secret && required).map(({ env }) => env.toLowerCase());
  const { environment = {}, secrets: given = [] } = serviceOf(name);
  expect([...given].sort()).toEqual(needed.sort());
  const files = Object.entries(environment).filter(([variable]) => variable.endsWith('_FILE'));
  expect(Object.fromEntries(files)).toEqual(
    Object.fromEntries(needed.map((secret) => [`${secret.toUpperCase()}_FILE`, `/run/secrets/${secret}`])),
  );
  // The file itself contains no secret.
  const variables = new Set(
    (Object.values(settings) as Setting[]).filter(({ secret }) => secret).map(({ env }) => env),
  );
  expect(Object.keys(environment).filter((variable) => variables.has(variable))).toEqual([]);
});

test('`npm run secrets` makes every mounted file, keeps existing ones, and closes the folder to other users', () => {
  expect([made.status, made.stderr]).toEqual([0, '']);
  const mounted = Object.entries(secrets).map(([name, { file }]) => [name, file]);
  expect(mounted).toEqual(Object.keys(secrets).map((name) => [name, `./secrets/${name}`]));
  expect(readdirSync(folder).sort()).toEqual(Object.keys(secrets).sort());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(make().stdout).not.toContain('written');
  for (const ignored of ['.gitignore', '.dockerignore']) expect(textOf(ignored)).toMatch(/^secrets\/?$/m);
  const used = new Set(every.flatMap(([, service]) => service.secrets ?? []));
  expect([...used].sort()).toEqual(Object.keys(secrets).sort());
});

test.each([
  [['--help'], 0],
  [['-f', 'elsewhere'], 2],
  [['here', 'there'], 2],
])('`npm run secrets -- %s` makes no secrets in a wrong folder', (words, code) => {
  const script = join(process.cwd(), 'scripts/make-secrets.mjs');
  const cwd = mkdtempSync(join(folder, 'asked-'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8', cwd });
  const left = readdirSync(cwd);
  rmSync(cwd, { recursive: true });
  expect([status, left]).toEqual([code, []]);
  expect(stdout + stderr).toMatch(/^npm run secrets \[-- <folder>\]/);
});

test.each(processNames)('%s starts in production with these files', (name) => {
  const { environment = {} } = serviceOf(name);
  const here = Object.entries(environment).map(([variable, value]) => [
    variable,
    variable.endsWith('_FILE') ? value.replace('/run/secrets', folder) : value,
  ]);
  const env = {
    ...Object.fromEntries(here),
    GATEWAY_ENVIRONMENT: 'production',
    PUBLIC_BASE_URL: 'https://pay.example.com',
    TRUSTED_PROXIES: '1',
  };
  expect(loadConfigOf([name], env)).toMatchObject({ environment: 'production', allowInsecureStores: true });
});

test.each(every)('%s has no capability, a read-only file system, and limits', (_name, service) => {
  expect(service).toMatchObject({
    cap_drop: ['ALL'],
    read_only: true,
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+[mg]$/),
    cpus: expect.any(Number),
    pids_limit: expect.any(Number),
  });
});

test('a service has a way out only if it needs one, and only the API is published, to this machine', () => {
  expect(Object.keys(networks).sort()).toEqual(['outside', 'stores']);
  expect(networks['stores']).toEqual({ internal: true });
  const shut = every.filter(([, service]) => service.networks?.join() === 'stores').map(([name]) => name);
  expect(shut.sort()).toEqual(['expiry', 'mongodb', 'redis', 'wallet']);
  expect(every.every(([, service]) => service.networks?.includes('stores'))).toBe(true);
  expect(every.filter(([, { ports }]) => ports).map(([name, { ports }]) => [name, ports])).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose fills it in.
    ['web', ['127.0.0.1:${WEB_PORTS:-8080-8081}:8080']],
  ]);
});

test('Redis and MongoDB ask for passwords', () => {
  const page = textOf('docker-compose.yml');
  expect(page).toMatch(/requirepass \$\$\(cat \/run\/secrets\/redis_password\)/);
  expect(page).toMatch(/mongod --replSet rs0 .*--keyFile/);
});
