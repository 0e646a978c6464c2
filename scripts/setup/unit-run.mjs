/** Runs `npm run test:unit` and `npm run test:watch`: jest's project `unit`, without servers, and one line with the count. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { useGitHooks } from './git-hooks.mjs';
import { jestArguments, runJest } from './jest.mjs';
import { installPackages } from './packages.mjs';
import { local, root } from './paths.mjs';
import { explain, Stopped } from './problem.mjs';
import { createProgress } from './progress.mjs';
import { stopSignals } from './stop-signals.mjs';
import { compileTypeScript } from './typescript-ahead.mjs';

/** These arguments come last: jest would take a path after them for another project. */
const PROJECT = ['--selectProjects', 'unit'];
const RADIX = 36;
/** Variables with the servers of `npm test`: a unit test that asks for a server has to fail. */
const SERVERS = ['MONGODB_URI', 'REDIS_URL', 'MONGOD_BIN', 'REDIS_SERVER_BIN', 'CHROMIUM_PATH', 'SEEN_STATUSES_FOLDER'];

/** @returns {NodeJS.ProcessEnv} */
const unitEnvironment = () => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !SERVERS.includes(name))),
  TEST_RUN_ID: `unit-${process.pid}-${Date.now().toString(RADIX)}`,
});

/**
 * Runs the suites again that changed files concern, until the person ends it.
 * @param {readonly string[]} args for jest
 * @returns {Promise<number>} exit code
 */
async function watch(args) {
  const jest = jestArguments([...args, ...PROJECT]);
  // Not detached, unlike a single run: jest reads keys.
  const env = { ...unitEnvironment(), TYPESCRIPT_AHEAD: await compileTypeScript() };
  const child = spawn(process.execPath, jest, { cwd: root, env, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * @param {readonly string[]} args for jest
 * @returns {Promise<number>} exit code
 */
export async function runUnitTests(args) {
  const signal = stopSignals(() => {});
  // Anything that keeps the tests from running counts as one failure.
  let result = { passed: 0, failed: 1, skipped: 0, exitCode: 1 };
  try {
    await installPackages(root, createProgress(), signal);
    useGitHooks(root);
    if (args.some((arg) => arg.startsWith('--watch'))) return await watch(args);
    const folder = join(local, 'unit');
    result = await runJest({
      args: [...args, ...PROJECT],
      env: unitEnvironment(),
      report: join(folder, `${process.pid}.json`),
      run: join(folder, 'run'),
      signal,
    });
  } catch (error) {
    if (!(error instanceof Stopped)) console.error(`\n${explain(error, root)}`);
  }
  if (result.skipped > 0) console.log(`${result.skipped} skipped`);
  console.log(`${result.passed} passed, ${result.failed} failed`);
  return result.exitCode;
}
