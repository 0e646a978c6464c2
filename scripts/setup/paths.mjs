/** Where the scripts keep what they obtain and write. Everything is under `.local/`, which git ignores. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const root = resolve(fileURLToPath(import.meta.url), '../../..');

/** Root of everything that the scripts write, except `node_modules` and `dist`. */
export const local = join(root, '.local');

/** Folders of `npm start`. They are kept when it ends. */
export const startFolders = { data: join(local, 'data'), logs: join(local, 'logs'), run: join(local, 'run') };

/** Folders of `npm test`. They are emptied when it starts. */
export const testFolders = {
  data: join(local, 'test/data'),
  logs: join(local, 'test/logs'),
  run: join(local, 'test/run'),
};

/** Folders as {@link startFolders}. @typedef {{ data: string, logs: string, run: string }} Folders */
