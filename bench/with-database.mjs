import { Problem } from '../scripts/setup/problem.mjs';

/**
 * Returns the address of another database on the same server.
 * @param {string} uri
 * @param {string} database
 */
export function withDatabase(uri, database) {
  const [, server, query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  if (!server) throw new Problem('MONGODB_URI is not a connection string of MongoDB.');
  return `${server}/${database}${query}`;
}
