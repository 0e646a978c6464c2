/** Builds `dist/` (scripts/bundle.mjs) when the sources or `dist/` itself changed since the last build. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';

const LAST_WORDS_LINES = 15;
const BUNDLER = 'scripts/bundle.mjs';
/** Files beside the sources that decide what the build writes. */
const INPUT_FILES = [BUNDLER, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
/** The stamp is inside `dist/`, so that removing `dist/` removes the stamp too. */
const STAMP = '.stamp.json';

/** @param {string} folder @returns {string[]} paths relative to `folder`, sorted; empty when the folder does not exist */
function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

/**
 * Returns a digest of everything that is built: by content, because a checkout changes times.
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
 * Returns a digest of what the build wrote: by size and time, which is enough to see that another program wrote or removed a file.
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

/** Whether `dist/` is the build of the current sources. @param {string} root */
export function isBuilt(root) {
  const stamp = readStamp(join(root, 'dist'));
  return stamp?.output === digestOfOutput(join(root, 'dist')) && stamp.sources === digestOfSources(root);
}

/**
 * @param {string} root
 * @param {import('./progress.mjs').Progress} progress
 * @param {AbortSignal} [signal]
 */
export async function build(root, progress, signal) {
  if (isBuilt(root)) return;
  await progress.step('Building', async () => {
    const dist = join(root, 'dist');
    const sources = digestOfSources(root);
    rmSync(join(dist, STAMP), { force: true });
    const result = await runCommand(process.execPath, [BUNDLER], { cwd: root, signal });
    if (result.code !== 0) throw new Problem(`The build failed:\n${lastOutputLines(result, LAST_WORDS_LINES)}`);
    writeFileSync(join(dist, STAMP), JSON.stringify({ sources, output: digestOfOutput(dist) }));
  });
}
