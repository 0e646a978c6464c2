/** A database of a suite's own on the real MongoDB, with the indexes of the collections that it names. */

import { createIndexes, storedModels } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { modelOn } from '../../shared/store/model-on.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

export interface Store {
  readonly database: Database;
  /** Removes every document of the collections. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** @param models names of `storedModels` */
export async function openStore(name: string, models: readonly string[]): Promise<Store> {
  const database = await openDatabase(testMongoUri(name));
  const made = models.map((model) => {
    const stored = storedModels.find((one) => one.name === model);
    if (!stored) throw new Error(`there is no model ${model}`);
    return modelOn(database.connection, stored.name, stored.schema);
  });
  for (const model of made) await createIndexes(model);
  return {
    database,
    clear: async () => {
      for (const model of made) await model.deleteMany({});
    },
    close: async () => {
      await dropDatabase(database);
      await database.close();
    },
  };
}

/** Of a document that a later release wrote. */
export const OF_LATER_RELEASE = 99;
