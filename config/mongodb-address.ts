/** The address of MongoDB: a connection string with the name of a database that is possible, also for its `<name>_ephemeral`. */

import { decoded } from './decoded.js';

/** Characters that MongoDB does not allow in the name of a database. */
const NOT_IN_A_NAME = /[/\\. "$\0]/;
const NAME_BYTES_MAX = 63 - '_ephemeral'.length;

/**
 * Returns what is wrong with the address; undefined: nothing that can be seen here. Never repeats the address, which may hold a password.
 */
export function mongodbProblem(text: string): string | undefined {
  if (!/^mongodb(\+srv)?:\/\/[^/?]/.test(text)) return 'must begin with mongodb:// or mongodb+srv://';
  const [, path] = /^[^?]*?:\/\/[^/?]+\/([^?]+)/.exec(text) ?? [];
  // Without a name the driver would silently use a database called `test`.
  if (path === undefined) {
    return 'must name a database in its path: mongodb://host:27017/payment_gateway?replicaSet=rs0';
  }
  const name = decoded(path);
  if (name === undefined || NOT_IN_A_NAME.test(name) || Buffer.byteLength(name) > NAME_BYTES_MAX) {
    return (
      `must name a database of at most ${NAME_BYTES_MAX} bytes, without . $ / \\ " and blanks. ` +
      'In a user or password, percent-encode what is no letter or digit (%2F for /)'
    );
  }
  return undefined;
}
