/** What the checks look at. */
import type { Config } from '../../../config/index.js';
import type { ProcessName } from '../../../config/readers.js';
import type { Clock } from '../../../shared/clock.js';
import { DAY_MS, msBetween } from '../../../shared/domain/time.js';
import type { Database } from '../../../shared/store/database.js';
import type { Finding } from './finding.js';

export interface Examined {
  /** The processes whose settings are here. */
  readonly processes: readonly ProcessName[];
  readonly environment: Config['environment'];
  /** What could be read; what is missing or malformed is absent, and said by the check of the settings. */
  readonly config: Partial<Config>;
  readonly problems: readonly string[];
  /** What is nearly a setting and none, a sentence each. */
  readonly misspelt: readonly string[];
  /** Connect to processors too. */
  readonly connects: boolean;
  readonly clock: Clock;
}

/** With a MongoDB that answers. */
export interface Opened extends Examined {
  readonly database: Database;
}

export type Check<E extends Examined = Examined> = (examined: E) => Promise<readonly Finding[]> | readonly Finding[];

export const isProduction = ({ environment }: Pick<Examined, 'environment'>): boolean => environment === 'production';

export const daysBetween = (from: Date, to: Date): number => Math.floor(msBetween(from, to) / DAY_MS);

/** Name and code only: a message may quote what the other side sent. */
export function reasonOf(error: unknown): string {
  const { code, name } = (error ?? {}) as NodeJS.ErrnoException;
  return code ?? name ?? 'an error';
}
