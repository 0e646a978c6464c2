import type { Database } from '../../shared/store/database.js';

/** All of it: with what backups leave out, which is a database of its own. */
export async function dropDatabase({ connection }: Database): Promise<void> {
  const client = connection.getClient();
  const names = [connection.name, `${connection.name}_ephemeral`];
  await Promise.all(names.map((name) => client.db(name).dropDatabase()));
}
