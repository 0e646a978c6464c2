/** Unpacks Debian's or Ubuntu's packages into a folder of ours: nothing is installed on the system, and no root is needed. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, osRelease } from './operating-system.mjs';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';

/** Package name in a line of `apt-get --print-uris`: `'<address>' <name>_<version>_<arch>.deb <size> <hash>`. */
const URI_LINE = /^'\S+' ([^_\s]+)_/;

/**
 * Returns the names of the packages that an installation would fetch.
 * @param {string} printed what `apt-get install --print-uris` printed
 */
export const packagesToFetch = (printed) => printed.split('\n').flatMap((line) => URI_LINE.exec(line)?.[1] ?? []);

/** @param {AbortSignal | undefined} signal */
async function requireApt(signal) {
  const { ID = '', ID_LIKE = '' } = osRelease();
  if (!/\b(debian|ubuntu)\b/.test(`${ID} ${ID_LIKE}`)) throw new Problem('this is neither Debian nor Ubuntu');
  if ((await runCommand('apt-get', ['--version'], { signal })).code !== 0)
    throw new Problem('apt-get is not installed');
}

/**
 * Returns the options under which apt knows a package. When the system has no package lists, as in a bare container, apt
 * gets lists of its own under `folder`: that needs no root and changes nothing outside.
 * @param {string} folder
 * @param {string} name
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<string[]>}
 */
async function aptOptions(folder, name, signal) {
  // Otherwise root's apt would let the user _apt download, who may not write here.
  const asRoot = isRoot() ? ['-o', 'APT::Sandbox::User=root'] : [];
  const known = await runCommand('apt-cache', ['policy', name], { signal });
  if (/Candidate: \d/.test(known.stdout)) return asRoot;
  mkdirSync(join(folder, 'lists/partial'), { recursive: true });
  mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true });
  const own = [
    '-o',
    `Dir::State::Lists=${join(folder, 'lists')}`,
    '-o',
    `Dir::Cache=${join(folder, 'cache')}`,
    ...asRoot,
  ];
  const updated = await runCommand('apt-get', [...own, '-qq', 'update'], { signal });
  if (updated.code !== 0) throw new Problem(`apt-get update failed: ${lastOutputLines(updated)}`);
  return own;
}

/**
 * Downloads and unpacks packages, with their dependencies that the system lacks.
 * @param {readonly [string, ...string[]]} wanted names of packages; the first decides whether apt knows them. They are
 *   unpacked even when they are installed: their programs may not be on PATH
 * @param {string} folder where they are unpacked
 * @param {AbortSignal | undefined} signal
 * @throws {Problem} when there is no apt, or it cannot fetch them
 */
export async function unpackDebianPackages(wanted, folder, signal) {
  await requireApt(signal);
  const apt = join(folder, 'apt');
  const options = await aptOptions(apt, wanted[0], signal);
  const install = ['install', '--print-uris', '-qq', '-y', '--no-install-recommends', ...wanted];
  const planned = await runCommand('apt-get', [...options, ...install], { signal });
  const names = [...new Set([...wanted, ...packagesToFetch(planned.stdout)])];
  const fetched = await runCommand('apt-get', [...options, 'download', '-q', ...names], { cwd: folder, signal });
  if (fetched.code !== 0) throw new Problem(`apt-get download failed: ${lastOutputLines(fetched)}`);
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
    const unpacked = await runCommand('dpkg-deb', ['-x', name, '.'], { cwd: folder, signal });
    if (unpacked.code !== 0) throw new Problem(`unpacking ${name} failed: ${lastOutputLines(unpacked)}`);
    rmSync(join(folder, name));
  }
  rmSync(apt, { recursive: true, force: true });
}

/** Finds the folders with shared libraries among unpacked packages. @param {string} folder */
export function libraryFolders(folder) {
  return ['usr/lib', 'lib'].flatMap((name) => {
    const libraries = join(folder, name);
    if (!existsSync(libraries)) return [];
    const perMachine = readdirSync(libraries).filter((entry) => entry.endsWith('-linux-gnu'));
    return [libraries, ...perMachine.map((entry) => join(libraries, entry))];
  });
}
