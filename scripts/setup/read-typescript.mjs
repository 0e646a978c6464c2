/**
 * Reads TypeScript without naming each function anew whenever it is made, as tsx has esbuild do for names that are shortened: ours are
 * not, and making a function costs many times as much by it. Other files, and where files are, are left to tsx.
 */
import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { root } from './paths.mjs';

const TYPESCRIPT = /^file:[^?]*\.ts(?:\?|$)/;
/** Where `typescript-ahead.mjs` has put what it made of the files. */
const ahead = process.env.TYPESCRIPT_AHEAD;

/** @param {string} sourcefile absolute @returns {import('esbuild').TransformOptions} */
export const optionsFor = (sourcefile) => ({
  sourcefile,
  loader: 'ts',
  format: 'esm',
  target: `node${process.versions.node}`,
  sourcemap: 'inline',
  // Stack traces are printed with the file at hand.
  sourcesContent: false,
});

/** @param {string} file absolute @returns {string | undefined} unless the file has changed since */
function madeAhead(file) {
  if (!ahead) return undefined;
  const made = join(ahead, relative(root, file));
  const madeOf = statSync(made, { throwIfNoEntry: false })?.mtime.getTime();
  return madeOf === statSync(file).mtime.getTime() ? readFileSync(made, 'utf8') : undefined;
}

/**
 * As Node asks the hook of the loader’s thread, and that of the thread itself.
 * @template Loaded
 * @template Context
 * @param {string} url
 * @param {Context} context
 * @param {(url: string, context: Context) => Loaded} nextLoad
 */
export function load(url, context, nextLoad) {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = madeAhead(file) ?? transformSync(readFileSync(file, 'utf8'), optionsFor(file)).code;
  return { format: /** @type {const} */ ('module'), source, shortCircuit: true };
}
