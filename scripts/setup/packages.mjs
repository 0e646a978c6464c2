/** Runs `npm ci` when the installed packages differ from package-lock.json. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';

const LAST_WORDS_LINES = 6;

/**
 * The part of a lock file that is read here.
 * @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }> }} Lock
 */

/**
 * Whether every package of the lock file is installed in its version. npm writes `node_modules/.package-lock.json` as the last step
 * of an installation, so an installation that was broken off has none.
 * @param {Lock} wanted package-lock.json
 * @param {Lock | undefined} installed node_modules/.package-lock.json
 */
export function isInstalled(wanted, installed) {
  if (!installed?.packages) return false;
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    const have = installed.packages?.[path];
    // The lock file also names builds for other machines. These are rightly missing.
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

/** Returns the npm that runs this process, else the one on PATH. @returns {[string, string[]]} */
export function npm() {
  const running = process.env.npm_execpath;
  return running && basename(running) === 'npm-cli.js' ? [process.execPath, [running]] : ['npm', []];
}

/**
 * Finds signs of a full disk: npm exits with success although files were cut short, and only warns about them.
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
    // The build needs the development packages, even if NODE_ENV is `production`.
    const result = await runCommand(command, [...args, 'ci', '--include=dev', '--no-progress'], { cwd: root, signal });
    if (result.code !== 0) throw new Problem(`npm ci failed:\n${lastOutputLines(result, LAST_WORDS_LINES)}`);
    const broken = brokenFiles(result.stderr);
    if (broken) {
      rmSync(marker, { force: true });
      throw new Problem(`npm ci could not write all files:\n${broken}`);
    }
  });
}
