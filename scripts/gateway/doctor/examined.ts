/** Input of the checks. */
import type { Config } from '../../../config/index.js';
import type { ProcessName } from '../../../config/readers.js';
import type { Clock } from '../../../shared/clock.js';
import { DAY_MS, msBetween } from '../../../shared/domain/time.js';
import type { Database } from '../../../shared/store/database.js';
import type { Finding } from './finding.js';

export interface Examined {
  /** Processes whose settings are present here. */
  readonly processes: readonly ProcessName[];
  readonly environment: Config['environment'];
  /** The settings that could be read. Missing and malformed ones are absent, and reported by the check of the settings. */
  readonly config: Partial<Config>;
  readonly problems: readonly string[];
  /** A sentence for each variable that looks like a misspelt setting. */
  readonly misspelt: readonly string[];
  /** Whether processors are connected to as well. */
  readonly connects: boolean;
  readonly clock: Clock;
}

/** Input of checks that need a MongoDB which answers. */
export interface ExaminedDatabase extends Examined {
  readonly database: Database;
}

export type Check<E extends Examined = Examined> = (examined: E) => Promise<readonly Finding[]> | readonly Finding[];

export const isProduction = ({ environment }: Pick<Examined, 'environment'>): boolean => environment === 'production';

export const daysBetween = (from: Date, to: Date): number => Math.floor(msBetween(from, to) / DAY_MS);

/** Returns name and code only: a message may quote what the other side sent. */
export function reasonOf(error: unknown): string {
  const { code, name } = (error ?? {}) as NodeJS.ErrnoException;
  return code ?? name ?? 'an error';
}
