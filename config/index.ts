/** The only reader of `process.env`. Everything else receives a frozen {@link Config}. */
import { parseOrigins } from './origins.js';
import { parseProxies, type TrustedProxies } from './proxies.js';
import { type Setting, type SettingName, settings } from './schema.js';
import { walletProblems } from './wallet-problems.js';

type Parsed<S extends Setting> = S['kind'] extends 'integer'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'key'
      ? Buffer
      : S['kind'] extends 'keys'
        ? readonly MasterKey[]
        : S['kind'] extends 'proxies'
          ? TrustedProxies
          : S['kind'] extends 'origins'
            ? readonly string[]
            : S extends { values: readonly (infer V)[] }
              ? V
              : string;

/** A master key of the vault: 32 bytes under an id that envelopes remember. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}

type IsOptional<S> = S extends { default: string } | { required: true } ? false : true;

export type { TrustedProxies } from './proxies.js';

/** All settings, parsed. A setting without default that is not required is `undefined` when it is not set. */
export type Config = Readonly<{
  [N in SettingName]:
    | Parsed<(typeof settings)[N]>
    | (IsOptional<(typeof settings)[N]> extends true ? undefined : never);
}>;

/** Thrown at start-up with one line per setting that is wrong. Never holds the value of a secret. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const KEY_BYTES_MIN = 32;
/** A random 32-byte key has about 30 distinct byte values; all zeros, a repeated letter or `0123…` do not reach this. */
const KEY_DISTINCT_BYTES_MIN = 16;

function parseKey(text: string): Buffer | string {
  const key = Buffer.from(text, 'base64');
  if (key.length < KEY_BYTES_MIN) return `must be base64 of at least ${KEY_BYTES_MIN} bytes`;
  if (new Set(key).size < KEY_DISTINCT_BYTES_MIN)
    return 'is weak: use random bytes, for example `openssl rand -base64 32`';
  return key;
}

function parseMasterKeys(text: string): readonly MasterKey[] | string {
  const keys: MasterKey[] = [];
  for (const part of text.split(',')) {
    const at = part.indexOf(':');
    const id = part.slice(0, at).trim();
    if (at < 1 || !/^[A-Za-z0-9_-]{1,32}$/.test(id)) return 'must be a list of id:base64(32 bytes)';
    const key = parseKey(part.slice(at + 1));
    if (typeof key === 'string') return `key ${id} ${key}`;
    if (key.length !== KEY_BYTES_MIN) return `key ${id} must be exactly ${KEY_BYTES_MIN} bytes`;
    if (keys.some((known) => known.id === id)) return `key id ${id} stands twice`;
    keys.push({ id, key });
  }
  return keys;
}

function parseInteger(text: string, setting: Setting): number | string {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = setting;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) return `must be an integer from ${min} to ${max}`;
  return value;
}

function parseUrl(text: string): { url: string } | string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return 'must be an http or https address';
  return { url: text.replace(/\/+$/, '') };
}

/** Without a database name the driver would silently take one called `test`. */
function mongodbProblem(text: string): string | undefined {
  if (!/^mongodb(\+srv)?:\/\/[^/?]/.test(text)) return 'must begin with mongodb:// or mongodb+srv://';
  return /^[^?]*:\/\/[^/?]+\/[^/?]+/.test(text)
    ? undefined
    : 'must name a database in its path: mongodb://host:27017/payment_gateway?replicaSet=rs0';
}

/** Parses one value; an answer `{ problem }` says what is wrong without repeating the value. */
function parse(setting: Setting, text: string): { value: unknown } | { problem: string } {
  const settle = (result: unknown) => (typeof result === 'string' ? { problem: result } : { value: result });
  switch (setting.kind) {
    case 'integer':
      return settle(parseInteger(text, setting));
    case 'boolean':
      return /^(true|false)$/.test(text) ? { value: text === 'true' } : { problem: 'must be true or false' };
    case 'key':
      return settle(parseKey(text));
    case 'keys':
      return settle(parseMasterKeys(text));
    case 'url': {
      const result = parseUrl(text);
      return typeof result === 'string' ? { problem: result } : { value: result.url };
    }
    case 'mongodb': {
      const problem = mongodbProblem(text);
      return problem === undefined ? { value: text } : { problem };
    }
    case 'redis':
      return /^rediss?:\/\/./.test(text) && URL.canParse(text)
        ? { value: text }
        : { problem: 'must be an address such as redis://host:6379, or rediss:// for TLS' };
    case 'proxies':
      return settle(parseProxies(text));
    case 'origins':
      return settle(parseOrigins(text));
    case 'enum':
      return setting.values?.includes(text)
        ? { value: text }
        : { problem: `must be one of ${setting.values?.join(', ')}` };
    case 'string':
      return { value: text };
  }
}

const PASSWORD_LENGTH_MIN = 16;

/** A key that serves two purposes breaks both when it leaks once (docs/security.md, S31). */
function sharedKeyProblems(config: Partial<Config>): string[] {
  const owners = new Map<string, string>();
  for (const { key } of config.vaultMasterKeys ?? []) owners.set(key.toString('hex'), settings.vaultMasterKeys.env);
  const problems: string[] = [];
  for (const name of ['apiKeyPepper', 'accessTokenKey', 'fingerprintKey', 'digestKey'] as const) {
    const key = config[name]?.toString('hex');
    if (key === undefined) continue;
    const owner = owners.get(key);
    if (owner) problems.push(`${settings[name].env} must not be the same key as ${owner}`);
    else owners.set(key, settings[name].env);
  }
  return problems;
}

/** What only production demands, each as a sentence naming the setting. */
function productionProblems(config: Config): string[] {
  const problems: string[] = sharedKeyProblems(config);
  if (config.operatorPassword.length < PASSWORD_LENGTH_MIN) {
    problems.push(`OPERATOR_PASSWORD must have at least ${PASSWORD_LENGTH_MIN} characters`);
  }
  if (config.sandboxProcessorUrl !== undefined) {
    problems.push('SANDBOX_PROCESSOR_URL names the test processor, which production refuses: remove it');
  }
  if (config.sandboxFile !== undefined) {
    problems.push('SANDBOX_FILE would show credentials to everybody, which production refuses: remove it');
  }
  if (!config.publicBaseUrl.startsWith('https:')) problems.push('PUBLIC_BASE_URL must be https in production');
  if (config.callbackAllowPrivateNetworks) {
    problems.push('CALLBACK_ALLOW_PRIVATE_NETWORKS must not be true in production');
  }
  if (config.timeScale !== 1) problems.push('TIME_SCALE must be 1 in production');
  return [...problems, ...walletProblems(config)];
}

/** The values of these settings; what is wrong with them goes to `problems`, each as a sentence. */
function readSettings(env: NodeJS.ProcessEnv, names: readonly SettingName[], problems: string[]) {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const setting: Setting = settings[name];
    const text = env[setting.env] || setting.default;
    if (text === undefined) {
      if (setting.required) problems.push(`${setting.env} is missing: ${setting.about}`);
      continue;
    }
    const result = parse(setting, text);
    if ('problem' in result) problems.push(`${setting.env} ${result.problem}`);
    else values[name] = result.value;
  }
  return values;
}

/** What this process was started with, for a program that lays something over it. */
export const processEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env });

/**
 * Reads some settings only, for a program that needs no more (the operator command line).
 * @throws {ConfigError} naming each of them that is missing or malformed.
 */
export function loadSettings<N extends SettingName>(
  names: readonly N[],
  env: NodeJS.ProcessEnv = process.env,
): Pick<Config, N> {
  const problems: string[] = [];
  const values = readSettings(env, names, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Pick<Config, N>;
}

/**
 * Reads, checks and freezes the configuration.
 * @throws {ConfigError} naming every setting that is missing, malformed or not allowed in this environment.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  const values = readSettings(env, Object.keys(settings) as SettingName[], problems);
  const production = (env[settings.environment.env] || settings.environment.default) === 'production';
  // The production rules look at whatever could be parsed, so that one message names every problem at once.
  if (production) {
    const partial = {
      operatorPassword: 'x'.repeat(PASSWORD_LENGTH_MIN),
      publicBaseUrl: 'https:',
      timeScale: 1,
      ...values,
    } as Config;
    problems.push(...productionProblems(partial));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Config;
}
