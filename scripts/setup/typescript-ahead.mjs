/**
 * Compiles all TypeScript of the checkout to JavaScript ahead of a run: otherwise each thread of the tests would compile most of it again.
 * Compiled files are reused while their source has not changed.
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

/** @param {string} path @returns {number | undefined} time of the file's last change (ms) */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtime.getTime();

/**
 * @param {string} [parent] folder for all versions
 * @param {readonly string[]} [folders] of the checkout
 * @returns {Promise<string>} the folder, for `TYPESCRIPT_AHEAD`; a compiled file has the name and time of its source
 */
export async function compileTypeScript(parent = join(local, 'typescript'), folders = FOLDERS) {
  // Imported only now: packages may not be installed yet when this module is imported.
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
      // Two runs may write the same file at once while a third one reads it.
      const draft = `${made}.${process.pid}`;
      writeFileSync(draft, code);
      utimesSync(draft, mtime, mtime);
      renameSync(draft, made);
    }),
  );
  return folder;
}
