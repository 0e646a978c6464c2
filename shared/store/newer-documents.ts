/** Counts documents of a newer release, so that an operator notices that a process of that release has to run. */
import { limits } from '../../config/limits.js';
import type { Database } from './database.js';
import { unknownUpdates } from './processor-update.repository.js';
import { isNewerVersion, schemaVersions, type VersionedCollection } from './schema-version.js';

const newer: Partial<Record<VersionedCollection, object>> = { processor_updates: unknownUpdates };

/** Returns the counts of the collections that have any, up to `limits.queueDepthCountedMax` each. */
export async function countNewer(database: Database): Promise<readonly (readonly [VersionedCollection, number])[]> {
  const collections = Object.keys(schemaVersions) as VersionedCollection[];
  const counts = await Promise.all(
    collections.map(async (name) => {
      const bounded = { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax };
      return [
        name,
        await database.collection(name).countDocuments(newer[name] ?? isNewerVersion(name), bounded),
      ] as const;
    }),
  );
  return counts.filter(([, count]) => count > 0);
}
