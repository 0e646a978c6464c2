/** Makes MongoDB check every write to a database by the descriptions of its collections. */
import { storedModels } from '../../shared/store/collections.js';
import type { Database } from '../../shared/store/database.js';
import { modelOn } from '../../shared/store/model-on.js';

/** From now on a write that differs from the description fails with code 121. Only in tests: decision 37 says why. */
export async function refuseDrift({ connection }: Database): Promise<void> {
  for (const { name, schema, shapes } of storedModels) {
    if (!shapes) continue;
    const model = modelOn(connection, name, schema);
    await model.createCollection();
    await connection.db?.command({
      collMod: model.collection.collectionName,
      validator: { $or: shapes.map(($jsonSchema) => ({ $jsonSchema })) },
      validationLevel: 'moderate',
      validationAction: 'error',
    });
  }
}
