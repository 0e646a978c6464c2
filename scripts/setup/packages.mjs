/** `npm ci`, when what is installed is not what package-lock.json asks for. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Problem } from './problem.mjs';
import { lastWords, runCommand } from './run-command.mjs';

const LAST_WORDS_LINES = 6;

/**
 * The part of a lock file that is looked at.
 * @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }> }} Lock
 */

/**
 * True when every package of the lock file is installed in its version. npm writes what it installed into
 * `node_modules/.package-lock.json` as its last step, so an installation that was broken off has none.
 * @param {Lock} wanted package-lock.json
 * @param {Lock | undefined} installed node_modules/.package-lock.json
 */
export function isInstalled(wanted, installed) {
  if (!installed?.packages) return false;
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    const have = installed.packages?.[path];
    // Builds for other machines are in the lock file too and are rightly missing.
    if (path === '' || (!have && (entry.optional || entry.devOptional || entry.peer))) return true;
    return have?.version === entry.version;
  });
}

/** @param {string} file @returns {Lock | undefined} */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The npm that runs us, else the one on PATH. @returns {[string, string[]]} */
export function npm() {
  const running = process.env.npm_execpath;
  return running && basename(running) === 'npm-cli.js' ? [process.execPath, [running]] : ['npm', []];
}

/**
 * npm ends content although a full disk cut files short: it only warns about them.
 * @param {string} stderr
 * @returns {string | undefined} the first warning
 */
export const brokenFiles = (stderr) => stderr.split('\n').find((line) => /TAR_ENTRY_ERROR|ENOSPC/.test(line));

/**
 * @param {string} root
 * @param {import('./progress.mjs').Progress} progress
 * @param {AbortSignal} [signal]
 */
export async function installPackages(root, progress, signal) {
  const marker = join(root, 'node_modules/.package-lock.json');
  const wanted = readLock(join(root, 'package-lock.json'));
  if (!wanted) throw new Problem('package-lock.json is missing or damaged: restore it from the repository.');
  if (isInstalled(wanted, readLock(marker))) return;
  await progress.step('Installing packages with npm ci', async () => {
    if (existsSync(marker)) rmSync(marker);
    const [command, args] = npm();
    // Whatever NODE_ENV says, the build needs the development packages.
    const result = await runCommand(command, [...args, 'ci', '--include=dev', '--no-progress'], { cwd: root, signal });
    if (result.code !== 0) throw new Problem(`npm ci failed:\n${lastWords(result, LAST_WORDS_LINES)}`);
    const broken = brokenFiles(result.stderr);
    if (broken) {
      rmSync(marker, { force: true });
      throw new Problem(`npm ci could not write all files:\n${broken}`);
    }
  });
}
