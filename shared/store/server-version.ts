/** Checks the MongoDB release of production: supported releases are tested (docs/production.md#settings). */
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';
import type { Database } from './database.js';

/** The server is older than production may run on. */
export class ServerVersionError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'ServerVersionError';
  }
}

/** Returns what is wrong with a version such as `6.0.5`, as a sentence; undefined when it is new enough. */
export function serverVersionProblem(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  if (major >= limits.mongodbMajorMin) return undefined;
  return (
    `MongoDB ${version} is older than ${limits.mongodbMajorMin}.0, which production needs: upgrade it. ` +
    'ALLOW_OLD_MONGODB=true starts all the same, at your own risk.'
  );
}

interface Checked {
  readonly database: Pick<Database, 'serverVersion'>;
  readonly environment: 'testing' | 'production';
  readonly allowOldMongodb: boolean;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Asks the server for its version; testing accepts any.
 * @throws {ServerVersionError} in production when the server is too old and the operator did not allow it. If it is allowed, it is
 *   logged.
 */
export async function checkServerVersion({ database, environment, allowOldMongodb, log }: Checked): Promise<void> {
  if (environment !== 'production') return;
  const problem = serverVersionProblem(await database.serverVersion());
  if (problem === undefined) return;
  if (!allowOldMongodb) throw new ServerVersionError(problem);
  log.warn('mongodb.old', { reason: problem });
}
