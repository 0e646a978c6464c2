/**
 * Reads TypeScript. tsx has esbuild set the name of each function whenever it is made, which is needed for shortened names only. Ours
 * are not shortened, and the call makes creating a function many times as expensive. tsx handles all other files, and resolution.
 */
import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { root } from './paths.mjs';

const TYPESCRIPT = /^file:[^?]*\.ts(?:\?|$)/;
/** Folder in which `typescript-ahead.mjs` has put the compiled files. */
const ahead = process.env.TYPESCRIPT_AHEAD;

/** @param {string} sourcefile absolute @returns {import('esbuild').TransformOptions} */
export const optionsFor = (sourcefile) => ({
  sourcefile,
  loader: 'ts',
  format: 'esm',
  target: `node${process.versions.node}`,
  sourcemap: 'inline',
  // Stack traces are printed on a machine that has the source files.
  sourcesContent: false,
});

/** @param {string} file absolute @returns {string | undefined} compiled text; undefined when missing or when the file has changed since */
function readCompiled(file) {
  if (!ahead) return undefined;
  const compiledFile = join(ahead, relative(root, file));
  const compiledFromMs = statSync(compiledFile, { throwIfNoEntry: false })?.mtime.getTime();
  return compiledFromMs === statSync(file).mtime.getTime() ? readFileSync(compiledFile, 'utf8') : undefined;
}

/**
 * Fits both kinds of hooks of Node: those of the loader’s thread, and those of the thread itself.
 * @template Loaded
 * @template Context
 * @param {string} url
 * @param {Context} context
 * @param {(url: string, context: Context) => Loaded} nextLoad
 */
export function load(url, context, nextLoad) {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = readCompiled(file) ?? transformSync(readFileSync(file, 'utf8'), optionsFor(file)).code;
  return { format: /** @type {const} */ ('module'), source, shortCircuit: true };
}
