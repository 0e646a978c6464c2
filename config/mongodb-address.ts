/** The address of MongoDB: a connection string that names a database which can be there, and its `<name>_ephemeral` beside it. */

/** What MongoDB takes no database with. */
const NOT_IN_A_NAME = /[/\\. "$\0]/;
const NAME_BYTES_MAX = 63 - '_ephemeral'.length;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** What is wrong with it; undefined: nothing that can be seen here. Never repeats it: it may hold a password. */
export function mongodbProblem(text: string): string | undefined {
  if (!/^mongodb(\+srv)?:\/\/[^/?]/.test(text)) return 'must begin with mongodb:// or mongodb+srv://';
  const [, path] = /^[^?]*?:\/\/[^/?]+\/([^?]+)/.exec(text) ?? [];
  // Without a name the driver would silently take one called `test`.
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
