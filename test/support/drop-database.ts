import type { Database } from '../../shared/store/database.js';

/** Drops both databases: the main one, and the one for data that backups leave out. */
export async function dropDatabase({ connection }: Database): Promise<void> {
  const client = connection.getClient();
  const names = [connection.name, `${connection.name}_ephemeral`];
  await Promise.all(names.map((name) => client.db(name).dropDatabase()));
}
