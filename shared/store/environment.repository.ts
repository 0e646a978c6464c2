import { Schema } from 'mongoose';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import { systemClock } from '../clock.js';
import { type Database, isDuplicateKey } from './database.js';

type Environment = Config['environment'];

/** Environment that a database remembers. */
export interface InstallationRow {
  readonly _id: 'environment';
  readonly environment: Environment;
  readonly claimedAt: Date;
}

export const INSTALLATION = 'installation';

export const installationSchema = new Schema<InstallationRow & { readonly check?: string }>(
  {
    _id: { type: String, required: true },
    environment: { type: String, enum: ['testing', 'production'] },
    /** Only in the rows about keys (key-checks.repository.ts). */
    check: String,
    claimedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: INSTALLATION },
);

/** The database was first used in the other environment. */
export class EnvironmentMismatchError extends Error {
  constructor(claimed: Environment, wanted: Environment) {
    super(
      `This database belongs to the ${claimed} environment and this process runs in ${wanted}: ` +
        'name another database in MONGODB_URI or change GATEWAY_ENVIRONMENT.',
    );
    this.name = 'EnvironmentMismatchError';
  }
}

/**
 * Claims a database for the environment of its first start (docs/decisions.md, "environments"). Of two first starts at once one wins;
 * both may be in the same environment.
 * @throws {EnvironmentMismatchError} when the database belongs to the other environment.
 */
export async function claimEnvironment(database: Database, environment: Environment): Promise<void> {
  const installation = database.collection<InstallationRow>(INSTALLATION);
  const claim = () =>
    installation.findOneAndUpdate(
      { _id: 'environment' },
      { $setOnInsert: { environment, claimedAt: systemClock.now() } },
      { upsert: true, returnDocument: 'after', maxTimeMS: limits.mongoQueryMs },
    );
  const row = await claim().catch((error: unknown) => {
    // Two upserts of one id at once: MongoDB may answer the slower one with 11000 instead of the row.
    if (isDuplicateKey(error)) return claim();
    throw error;
  });
  if (row && row.environment !== environment) throw new EnvironmentMismatchError(row.environment, environment);
}

/**
 * Compares as {@link claimEnvironment} does, and claims nothing: looking at a new database does not decide what it is for.
 * @throws {EnvironmentMismatchError} when the database belongs to the other environment.
 */
export async function checkEnvironment(database: Database, environment: Environment): Promise<void> {
  const claimed = await readEnvironment(database);
  if (claimed !== undefined && claimed !== environment) throw new EnvironmentMismatchError(claimed, environment);
}

/** Reads the environment that the database remembers; undefined before its first start. Claims nothing. */
export async function readEnvironment(database: Database): Promise<Environment | undefined> {
  const row = await database
    .collection<InstallationRow>(INSTALLATION)
    .findOne({ _id: 'environment' }, { maxTimeMS: limits.mongoQueryMs });
  return row?.environment;
}
