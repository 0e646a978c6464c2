/** Compiles to `dist/`, when the sources or `dist/` itself changed since the last build. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { lastWords, runCommand } from './run-command.mjs';

const LAST_WORDS_LINES = 15;
/** Beside the sources, what else decides how they compile. */
const INPUT_FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
/** Both are inside `dist/`, so that removing it removes them. */
const STAMP = '.stamp.json';
const INCREMENTAL = '.tsbuildinfo';

/** @param {string} folder @returns {string[]} paths relative to `folder`, sorted; empty when it is not there */
function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

/**
 * Digest of everything that is compiled: by content, because a checkout changes times.
 * @param {string} root
 */
export function digestOfSources(root) {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  const hash = createHash('sha256').update(process.versions.node);
  const add = (/** @type {string} */ path) => hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  for (const file of INPUT_FILES) if (existsSync(join(root, file))) add(file);
  for (const folder of include) {
    for (const path of filesUnder(join(root, folder))) if (/\.(ts|json)$/.test(path)) add(join(folder, path));
  }
  return hash.digest('hex');
}

/**
 * Digest of what the compiler wrote: by size and time, which is enough to see that another program wrote or removed a file.
 * @param {string} dist
 */
export function digestOfOutput(dist) {
  const hash = createHash('sha256');
  for (const path of filesUnder(dist)) {
    if (path === STAMP) continue;
    const { size, mtimeMs } = statSync(join(dist, path));
    hash.update(`\0${path}\0${size}\0${mtimeMs}`);
  }
  return hash.digest('hex');
}

/** @param {string} dist @returns {{ sources: string, output: string } | undefined} */
function readStamp(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, STAMP), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * How much there is to do.
 * @param {string} root
 * @returns {'nothing' | 'changes' | 'everything'}
 */
export function planBuild(root) {
  const stamp = readStamp(join(root, 'dist'));
  if (!stamp || stamp.output !== digestOfOutput(join(root, 'dist'))) return 'everything';
  return stamp.sources === digestOfSources(root) ? 'nothing' : 'changes';
}

/**
 * @param {string} root
 * @param {import('./progress.mjs').Progress} progress
 * @param {AbortSignal} [signal]
 */
export async function build(root, progress, signal) {
  const plan = planBuild(root);
  if (plan === 'nothing') return;
  await progress.step('Building', async () => {
    const dist = join(root, 'dist');
    const sources = digestOfSources(root);
    // Without a stamp its content is unknown, and the compiler's memory of it is worth nothing.
    rmSync(join(dist, STAMP), { force: true });
    if (plan === 'everything') rmSync(join(dist, INCREMENTAL), { force: true });
    const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--incremental'];
    args.push('--tsBuildInfoFile', join('dist', INCREMENTAL));
    const result = await runCommand(process.execPath, args, { cwd: root, signal });
    if (result.code !== 0) throw new Problem(`The build failed:\n${lastWords(result, LAST_WORDS_LINES)}`);
    writeFileSync(join(dist, STAMP), JSON.stringify({ sources, output: digestOfOutput(dist) }));
  });
}
