/** Where a browser for the tests of pages comes from on a machine without it: Playwright's own build, under `.local/`. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './paths.mjs';
import { Problem } from './problem.mjs';
import { lastWords, runCommand } from './run-command.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('./obtain.mjs').Setup} Setup */

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const PROGRAMS = new Set(['headless_shell', 'chrome-headless-shell']);

/** @param {Setup} setup */
async function fromPlaywright({ folder, signal }) {
  const home = await stage(join(folder, 'chromium'), async (staging) => {
    const cli = join(root, 'node_modules/playwright-core/cli.js');
    const env = { ...process.env, PLAYWRIGHT_BROWSERS_PATH: staging };
    const options = { cwd: root, env, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal };
    const result = await runCommand(process.execPath, [cli, 'install', 'chromium-headless-shell'], options);
    const [, why = lastWords(result)] = /^Error: (.+)$/m.exec(result.stderr) ?? [];
    if (result.code !== 0) throw new Problem(`the download failed: ${why}`);
  });
  const program = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((path) => PROGRAMS.has(basename(path)));
  if (!program) throw new Problem('the download holds no browser');
  return { binary: join(home, program) };
}

/** @type {import('./obtain.mjs').ServerKind} */
export const chromium = {
  name: 'Chromium',
  binVariable: 'CHROMIUM_PATH',
  programs: ['chromium', 'chromium-browser', 'google-chrome'],
  version: /(\d+(?:\.\d+)+)/,
  majorMin: 120,
  routes: [{ source: 'Playwright', download: fromPlaywright }],
};
