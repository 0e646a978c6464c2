/**
 * Reads TypeScript without naming each function anew whenever it is made, as tsx has esbuild do for names that are shortened: ours are
 * not, and making a function costs many times as much by it. Other files, and where files are, are left to tsx.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const TYPESCRIPT = /^file:[^?]*\.ts(?:\?|$)/;

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
  const sourcefile = fileURLToPath(url);
  const { code } = transformSync(readFileSync(sourcefile, 'utf8'), {
    sourcefile,
    loader: 'ts',
    format: 'esm',
    target: `node${process.versions.node}`,
    sourcemap: 'inline',
    // Stack traces are printed with the file at hand.
    sourcesContent: false,
  });
  return { format: /** @type {const} */ ('module'), source: code, shortCircuit: true };
}
