/**
 * Obtains libfaketime, which steps the clock of one process while it runs: the system's, else Debian's or Ubuntu's packages,
 * unpacked under `.local/`. Chaos runs and one suite use it.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpackDebianPackages } from './debian-packages.mjs';
import { Problem } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

const HOUR_MS = 3_600_000;
/** The variant for programs with several threads. */
const LIBRARY = 'libfaketimeMT.so.1';

/**
 * Finds the library of a `faketime` program, which is in a folder beside it.
 * @param {string} binary
 * @returns {string | undefined}
 */
function libraryOf(binary) {
  const libraries = join(dirname(binary), '../lib');
  try {
    const found = readdirSync(libraries, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(LIBRARY));
    return found && join(libraries, found);
  } catch {
    return undefined;
  }
}

/**
 * Returns the environment with which a process reads the offset of its clock from a file: `+0`, `-1200`, `+1200` seconds. Monotonic time
 * is not changed, because no real clock step moves it.
 * @param {string} library
 * @param {string} file
 * @returns {Record<string, string>}
 */
export const faketimeEnvironment = (library, file) => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  // The library reads the file once a second.
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  // The name of the same option in earlier releases.
  DONT_FAKE_MONOTONIC: '1',
});

/** @param {Setup} setup */
async function fromDebianPackages({ folder, signal }) {
  const home = await stage(join(folder, 'faketime'), (staging) =>
    unpackDebianPackages(['faketime', 'libfaketime'], staging, signal),
  );
  return { binary: join(home, 'usr/bin/faketime') };
}

/**
 * Checks that the library steps the clock of this Node, and only the wall clock.
 * @param {string} binary
 */
async function stepClock(binary) {
  const library = libraryOf(binary);
  if (!library) throw new Problem(`${LIBRARY} is not beside ${binary}`);
  const folder = mkdtempSync(join(tmpdir(), 'faketime-'));
  try {
    const file = join(folder, 'clock');
    const script = `
      const fs = require('node:fs');
      const [wallMs, monotonicMs] = [Date.now(), performance.now()];
      fs.writeFileSync(${JSON.stringify(file)}, '+7200');
      console.log(Date.now() - wallMs, performance.now() - monotonicMs);`;
    const env = { ...process.env, ...faketimeEnvironment(library, file), FAKETIME_NO_CACHE: '1' };
    const result = await runCommand(process.execPath, ['-e', script], { env });
    const [wallMs = 0, monotonicMs = Number.POSITIVE_INFINITY] = result.stdout.trim().split(' ').map(Number);
    if (result.code !== 0 || !(wallMs > HOUR_MS) || !(monotonicMs < HOUR_MS)) {
      throw new Problem(`${library} does not step the clock of Node (${lastOutputLines(result)})`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {import('./obtain.mjs').ServerKind} */
export const faketime = {
  name: 'faketime',
  binVariable: 'FAKETIME_BIN',
  programs: ['faketime'],
  version: /Version ([\d.]+)/,
  majorMin: 0,
  prove: stepClock,
  routes: [{ source: 'Debian packages', download: fromDebianPackages }],
};

/**
 * @param {string} binary of the program that was obtained
 * @returns {string} path of the library
 */
export const faketimeLibrary = (binary) => libraryOf(binary) ?? '';
