/** Obtains redis-server on a machine without it: Debian's or Ubuntu's packages, unpacked under `.local/`. */
import { join } from 'node:path';
import { libraryFolders, unpackDebianPackages } from './debian-packages.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

/** @param {Setup} setup */
async function fromDebianPackages({ folder, signal }) {
  // The program of redis-server is in the package redis-tools.
  const home = await stage(join(folder, 'redis'), (staging) =>
    unpackDebianPackages(['redis-server', 'redis-tools'], staging, signal),
  );
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
