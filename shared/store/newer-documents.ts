/** Documents of a newer release: how many there are, so that an operator hears that a process of that release has to run. */
import { limits } from '../../config/limits.js';
import type { Database } from './database.js';
import { unknownUpdates } from './processor-update.repository.js';
import { ofNewer, schemaVersions, type VersionedCollection } from './schema-version.js';

const newer: Partial<Record<VersionedCollection, object>> = { processor_updates: unknownUpdates };

/** By collection, of those that have any; counted up to `limits.queueDepthCountedMax`. */
export async function countNewer(database: Database): Promise<readonly (readonly [VersionedCollection, number])[]> {
  const collections = Object.keys(schemaVersions) as VersionedCollection[];
  const counts = await Promise.all(
    collections.map(async (name) => {
      const bounded = { maxTimeMS: limits.mongoQueryMs, limit: limits.queueDepthCountedMax };
      return [name, await database.collection(name).countDocuments(newer[name] ?? ofNewer(name), bounded)] as const;
    }),
  );
  return counts.filter(([, count]) => count > 0);
}
