/** Settings of the test processor, a separate process that needs no database and no key material. */
import { ConfigError } from './index.js';
import { parseSetting } from './parse-setting.js';
import type { Setting } from './setting.js';

export const simulatorSettings = {
  host: {
    env: 'SIMULATOR_HOST',
    kind: 'string',
    default: '127.0.0.1',
    about: 'Address the test processor listens on.',
  },
  port: {
    env: 'SIMULATOR_PORT',
    kind: 'integer',
    default: '8090',
    min: 0,
    max: 65535,
    about: 'Port of the test processor. 0 picks a free one.',
  },
  ledgerFile: {
    env: 'SIMULATOR_LEDGER_FILE',
    kind: 'string',
    default: '.local/data/simulator-ledger.jsonl',
    about: 'Append-only books of the test processor; they hold no card number.',
  },
  timeScale: {
    env: 'TIME_SCALE',
    kind: 'integer',
    default: '1',
    min: 1,
    max: 100000,
    about: 'Divides every wait of the test processor (late answers, pending refunds, short holds).',
  },
} as const satisfies Record<string, Setting>;

export interface SimulatorConfig {
  readonly host: string;
  readonly port: number;
  readonly ledgerFile: string;
  readonly timeScale: number;
  readonly logLevel: string;
}

/**
 * Reads and checks the settings of the test processor.
 * @throws {ConfigError} naming every setting that is wrong; always in production, where the test processor must not run.
 */
export function loadSimulatorConfig(env: NodeJS.ProcessEnv = process.env): SimulatorConfig {
  const problems: string[] = [];
  if (env.GATEWAY_ENVIRONMENT === 'production') {
    problems.push('GATEWAY_ENVIRONMENT is production: the test processor runs in testing only');
  }
  const text = ({ env: name, default: fallback }: { env: string; default: string }) => env[name] || fallback;
  const integer = (setting: Setting & { default: string }): number => {
    const parsed = parseSetting(setting, text(setting));
    if ('value' in parsed) return parsed.value as number;
    problems.push(`${setting.env} ${parsed.problem}`);
    return Number.NaN;
  };
  const config = {
    host: text(simulatorSettings.host),
    port: integer(simulatorSettings.port),
    ledgerFile: text(simulatorSettings.ledgerFile),
    timeScale: integer(simulatorSettings.timeScale),
    logLevel: env.LOG_LEVEL || 'info',
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}
