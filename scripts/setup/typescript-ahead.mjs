/**
 * Makes JavaScript of all TypeScript of the checkout ahead of a run: each thread of the tests reads most of it, and would make it anew.
 * What was made before stays while its file has not changed.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { local, root } from './paths.mjs';

const FOLDERS = ['api', 'bench', 'config', 'scripts', 'shared', 'test', 'workers'];

/** @param {readonly string[]} folders @returns {string[]} paths from the root */
const sourcesIn = (folders) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      .map((path) => join(folder, path)),
  );

/** @param {string} path @returns {number | undefined} ms, of the file's last change */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtime.getTime();

/**
 * @param {string} [parent] the folder of all versions
 * @param {readonly string[]} [folders] of the checkout
 * @returns {Promise<string>} the folder, for `TYPESCRIPT_AHEAD`; what is made of a file has the file's name and time
 */
export async function makeAhead(parent = join(local, 'typescript'), folders = FOLDERS) {
  // Imported only now: where this is imported, packages may not be installed yet.
  const { transform, version } = await import('esbuild');
  const { optionsFor } = await import('./read-typescript.mjs');
  const name = `esbuild-${version}-node-${process.versions.node}`;
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(parent)) if (other !== name) rmSync(join(parent, other), { recursive: true });
  const changed = sourcesIn(folders).filter((path) => changedAt(join(folder, path)) !== changedAt(join(root, path)));
  await Promise.all(
    changed.map(async (path) => {
      const [file, made] = [join(root, path), join(folder, path)];
      const { mtime } = statSync(file);
      const { code } = await transform(readFileSync(file, 'utf8'), optionsFor(file));
      mkdirSync(dirname(made), { recursive: true });
      // Two runs may make the same file at once, and a third read it.
      const draft = `${made}.${process.pid}`;
      writeFileSync(draft, code);
      utimesSync(draft, mtime, mtime);
      renameSync(draft, made);
    }),
  );
  return folder;
}
