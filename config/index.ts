/** The only reader of `process.env`. All other code receives a frozen {@link Config}. */

import { adyenProblems, adyenTestingProblems } from './adyen-problems.js';
import type { Config, ConfigOf, MasterKey } from './config.js';
import { ENCODE, hasReadableUser } from './decoded.js';
import { iso8583Problems } from './iso8583-problems.js';
import { limits } from './limits.js';
import { misspeltSettings } from './misspelt.js';
import { mongodbProblem } from './mongodb-address.js';
import { parseOrigins } from './origins.js';
import { productionProblems } from './production-problems.js';
import { parseProxies } from './proxies.js';
import { type ProcessName, processNames, settingsOf } from './readers.js';
import { readRedisAddress, redisPrefixProblems } from './redis-address.js';
import { type Setting, type SettingName, settings } from './schema.js';
import { readSecret, textOf } from './secret-file.js';
import { storeProblems } from './store-problems.js';
import { stripeProblems } from './stripe-problems.js';
import { threeDsServerProblems } from './threeds-problems.js';

export type { Config, ConfigOf, MasterKey, WebConfig } from './config.js';
export type { TrustedProxies } from './proxies.js';

/** Thrown at start-up with one line per wrong setting. Never contains the value of a secret. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const KEY_BYTES_MIN = 32;
/** A random 32-byte key has about 30 distinct byte values; all zeros, a repeated letter or `0123…` have fewer than this. */
const KEY_DISTINCT_BYTES_MIN = 16;

function parseKey(text: string): Buffer | string {
  // Node stops reading at the padding: of two keys the second would be left out.
  if (/=\s*[^=\s]/.test(text))
    return 'is one key in base64, and has something behind its end (=) that would not be used';
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
    if (keys.some((known) => known.id === id)) return `key id ${id} is repeated`;
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
  if (!hasReadableUser(new URL(text))) return ENCODE;
  return { url: text.replace(/\/+$/, '') };
}

const HTTPS_ADDRESS = `must be an https address without user name, of at most ${limits.pageAddressLengthMax} characters`;

/** Checks an address to which a payer is sent; the address is used as it was written. */
function httpsProblem(text: string): string | undefined {
  if (text.length > limits.pageAddressLengthMax || !URL.canParse(text)) return HTTPS_ADDRESS;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' ? undefined : HTTPS_ADDRESS;
}

/** Whether a text is one line that can be shown to people. */
const isName = (text: string): boolean =>
  text.trim() !== '' && text.length <= limits.operatorNameLengthMax && !/\p{C}/u.test(text);

/** Some readers of files with settings keep the quotes around a value, as `docker run --env-file` does. */
const IN_QUOTES = /^(["']).*\1$/s;
const QUOTES = 'is in quotes, which would be a part of it: write it without them';

/** Parses one value; the result `{ problem }` says what is wrong without repeating the value. */
function parse(setting: Setting, text: string): { value: unknown } | { problem: string } {
  if (IN_QUOTES.test(text)) return { problem: QUOTES };
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
    case 'https': {
      const problem = httpsProblem(text);
      return problem === undefined ? { value: text } : { problem };
    }
    case 'name':
      return isName(text)
        ? { value: text.trim() }
        : { problem: `must be one line of 1 to ${limits.operatorNameLengthMax} characters` };
    case 'mongodb': {
      const problem = mongodbProblem(text);
      return problem === undefined ? { value: text } : { problem };
    }
    case 'redis': {
      const read = readRedisAddress(text);
      return typeof read === 'string' ? { problem: read } : { value: text };
    }
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

/** Returns the values of these settings; adds a sentence to `problems` for each setting that is wrong. */
function readSettings(env: NodeJS.ProcessEnv, names: readonly SettingName[], problems: string[]): Partial<Config> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const setting: Setting = settings[name];
    const read = setting.secret ? readSecret(env, setting.env) : { text: textOf(env, setting.env) ?? setting.default };
    if ('problem' in read) {
      problems.push(read.problem);
      continue;
    }
    if (read.text === undefined) {
      const orFile = setting.secret ? ` ${setting.env}_FILE may name a file that holds it.` : '';
      if (setting.required) problems.push(`${setting.env} is missing: ${setting.about}${orFile}`);
      continue;
    }
    const result = parse(setting, read.text);
    if ('problem' in result) problems.push(`${setting.env} ${result.problem}`);
    else values[name] = result.value;
  }
  return values;
}

/** Returns a copy of the environment of this process, for a program that overrides some variables. */
export const processEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env });

const isProduction = (env: NodeJS.ProcessEnv) =>
  (textOf(env, settings.environment.env) ?? settings.environment.default) === 'production';

/**
 * Reads only some settings, for a program that needs no more (the operator command line).
 * @throws {ConfigError} naming each of them that is missing or malformed.
 */
export function loadSettings<N extends SettingName>(
  names: readonly N[],
  env: NodeJS.ProcessEnv = process.env,
): Pick<Config, N> {
  const problems: string[] = [];
  const values = readSettings(env, [...names, 'allowInsecureStores'], problems);
  if (isProduction(env)) problems.push(...storeProblems(values));
  if (problems.length > 0) throw new ConfigError([...problems, ...misspeltSettings(env)]);
  return Object.freeze(values) as Pick<Config, N>;
}

/** The readable settings of some processes, and everything that is wrong with their settings. */
export interface ConfigReading<P extends ProcessName> {
  /** Missing or malformed settings are absent. */
  readonly values: Partial<ConfigOf<P>>;
  /** One sentence per problem, naming the setting and never its value. */
  readonly problems: readonly string[];
}

/** Reads and checks the settings of the named processes (`readers.ts`), for a program that continues in spite of problems. */
export function readConfigOf<P extends ProcessName>(
  names: readonly P[],
  env: NodeJS.ProcessEnv = process.env,
): ConfigReading<P> {
  const problems: string[] = [];
  const read = settingsOf(names);
  const values = readSettings(env, read, problems);
  problems.push(...redisPrefixProblems(values));
  problems.push(...iso8583Problems(values), ...stripeProblems(values), ...adyenProblems(values));
  if (!isProduction(env)) problems.push(...adyenTestingProblems(values));
  problems.push(...threeDsServerProblems(values, (read as SettingName[]).includes('emv3dsApiKey')));
  if (isProduction(env)) {
    if ((read as SettingName[]).includes('trustedProxies') && !textOf(env, settings.trustedProxies.env)) {
      problems.push(
        'TRUSTED_PROXIES is required in production: the number of proxies in front of the API, or their networks; 0 when callers connect directly',
      );
    }
    problems.push(...productionProblems(values));
  }
  return { values: Object.freeze(values) as Partial<ConfigOf<P>>, problems };
}

/**
 * Reads, checks and freezes the settings of the named processes (`readers.ts`); other settings are not read at all.
 * @throws {ConfigError} naming every setting that is missing, malformed or not allowed in this environment.
 */
export function loadConfigOf<P extends ProcessName>(
  names: readonly P[],
  env: NodeJS.ProcessEnv = process.env,
): ConfigOf<P> {
  const { values, problems } = readConfigOf(names, env);
  if (problems.length > 0) throw new ConfigError([...problems, ...misspeltSettings(env)]);
  return values as ConfigOf<P>;
}

/** Does the same for a program that does the work of all processes: tests, and programs that set up a sandbox. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => loadConfigOf(processNames, env);

/**
 * Removes every secret from the environment of this process, also those of other processes, so that nothing that is started or dumped later
 * finds them there. Call it after the configuration was read.
 */
export function forgetSecrets(env: NodeJS.ProcessEnv = process.env): void {
  for (const { env: name, secret } of Object.values(settings) as Setting[]) if (secret) delete env[name];
}
