/** Where redis-server comes from on a machine without it: Debian's or Ubuntu's packages, unpacked under `.local/`. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, osRelease } from './operating-system.mjs';
import { Problem } from './problem.mjs';
import { lastWords, runCommand } from './run-command.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

/** Package name in a line of `apt-get --print-uris`: `'<address>' <name>_<version>_<arch>.deb <size> <hash>`. */
const URI_LINE = /^'\S+' ([^_\s]+)_/;

/**
 * Names of the packages that an installation would fetch.
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
 * Options under which apt knows redis-server. Where the system's package lists are missing, as in a bare container, apt
 * gets lists of its own under `folder`: that needs no root and changes nothing outside.
 * @param {string} folder
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<string[]>}
 */
async function aptOptions(folder, signal) {
  // Root's apt would otherwise hand downloads to the user _apt, who may not write here.
  const asRoot = isRoot() ? ['-o', 'APT::Sandbox::User=root'] : [];
  const known = await runCommand('apt-cache', ['policy', 'redis-server'], { signal });
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
  if (updated.code !== 0) throw new Problem(`apt-get update failed: ${lastWords(updated)}`);
  return own;
}

/** Folders of `home` that hold shared libraries. @param {string} home */
function libraryFolders(home) {
  return ['usr/lib', 'lib'].flatMap((name) => {
    const folder = join(home, name);
    if (!existsSync(folder)) return [];
    const perMachine = readdirSync(folder).filter((entry) => entry.endsWith('-linux-gnu'));
    return [folder, ...perMachine.map((entry) => join(folder, entry))];
  });
}

/** @param {Setup} setup */
async function fromDebianPackages({ folder, signal }) {
  await requireApt(signal);
  const home = await stage(join(folder, 'redis'), async (staging) => {
    const apt = join(staging, 'apt');
    const options = await aptOptions(apt, signal);
    const install = ['install', '--print-uris', '-qq', '-y', '--no-install-recommends', 'redis-server'];
    const planned = await runCommand('apt-get', [...options, ...install], { signal });
    // redis-server's program stands in redis-tools; both may be on the system without being on PATH.
    const names = [...new Set(['redis-server', 'redis-tools', ...packagesToFetch(planned.stdout)])];
    const fetched = await runCommand('apt-get', [...options, 'download', '-q', ...names], { cwd: staging, signal });
    if (fetched.code !== 0) throw new Problem(`apt-get download failed: ${lastWords(fetched)}`);
    for (const name of readdirSync(staging).filter((entry) => entry.endsWith('.deb'))) {
      const unpacked = await runCommand('dpkg-deb', ['-x', name, '.'], { cwd: staging, signal });
      if (unpacked.code !== 0) throw new Problem(`unpacking ${name} failed: ${lastWords(unpacked)}`);
      rmSync(join(staging, name));
    }
    rmSync(apt, { recursive: true, force: true });
  });
  const libraries = libraryFolders(home);
  return {
    binary: join(home, 'usr/bin/redis-server'),
    ...(libraries.length > 0 && { env: { LD_LIBRARY_PATH: libraries.join(':') } }),
  };
}

/** @type {import('./obtain.mjs').ServerKind} */
export const redis = {
  name: 'Redis',
  uriVariable: 'REDIS_URL',
  binVariable: 'REDIS_SERVER_BIN',
  programs: ['redis-server', 'valkey-server'],
  version: /\bv=([\d.]+)/,
  majorMin: 6,
  routes: [{ source: 'Debian packages', download: fromDebianPackages }],
};
