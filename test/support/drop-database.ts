import type { Database } from '../../shared/store/database.js';

/** All of it: with what backups leave out, which is a database of its own. */
export async function dropDatabase({ connection }: Database): Promise<void> {
  const client = connection.getClient();
  await client.db(connection.name).dropDatabase();
  await client.db(`${connection.name}_ephemeral`).dropDatabase();
}
