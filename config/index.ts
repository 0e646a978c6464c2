/** Reads the settings of a process. Only this folder reads `process.env`; all other code receives a frozen {@link Config}. */

import { adyenProblems, adyenTestingProblems } from './adyen-problems.js';
import type { Config, ConfigOf } from './config.js';
import { iso8583Problems } from './iso8583-problems.js';
import { misspeltSettings } from './misspelt.js';
import { parseSetting } from './parse-setting.js';
import { productionProblems } from './production-problems.js';
import { type ProcessName, processNames, settingsOf } from './readers.js';
import { redisPrefixProblems } from './redis-address.js';
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
    const result = parseSetting(setting, read.text);
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
