/**
 * Reads TypeScript without naming each function anew whenever it is made, as tsx has esbuild do for names that are shortened: ours are
 * not, and making a function costs many times as much by it. Other files, and where files are, are left to tsx.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const TYPESCRIPT = /^file:[^?]*\.ts(?:\?|$)/;

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!TYPESCRIPT.test(url)) return nextLoad(url, context);
  const sourcefile = fileURLToPath(url);
  const { code } = await transform(await readFile(sourcefile, 'utf8'), {
    sourcefile,
    loader: 'ts',
    format: 'esm',
    target: `node${process.versions.node}`,
    sourcemap: 'inline',
    // Stack traces are printed with the file at hand.
    sourcesContent: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
