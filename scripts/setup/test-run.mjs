/** Runs `npm test`: its own servers on separate ports and data, jest, and one line with the count. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unmetStatuses } from './documented-statuses.mjs';
import { useGitHooks } from './git-hooks.mjs';
import { runJest } from './jest.mjs';
import { tryLock } from './lock.mjs';
import { removeMemoryFolder } from './memory-folder.mjs';
import { local, root, testFolders } from './paths.mjs';
import { findBrowser, findFaketime, prepare } from './prepare.mjs';
import { explain, Stopped } from './problem.mjs';
import { endLeftovers } from './program.mjs';
import { createProgress } from './progress.mjs';
import { aborted, stopSignals } from './stop-signals.mjs';
import { createSupervisor } from './supervisor.mjs';
import { startTestServers } from './test-servers.mjs';

const LEFTOVERS_MS = 3_000;
const SETTLE_MS = 5_000;

/** @returns {string | undefined} which other run is under way: two runs would use the same folders */
function otherRun() {
  const lock = tryLock(join(local, 'test.lock'));
  if (lock.held) return undefined;
  return `\`npm test\` runs here already as process ${lock.by.pid}: wait for it, or stop it with \`kill ${lock.by.pid}\`.`;
}

/**
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {readonly string[]} args for jest
 * @param {AbortSignal} signal
 */
async function test(supervisor, args, signal) {
  const progress = createProgress();
  await endLeftovers(testFolders.run, LEFTOVERS_MS);
  removeMemoryFolder(testFolders.data);
  rmSync(join(local, 'test'), { recursive: true, force: true });
  const binaries = await prepare({ progress, signal, needs: { mongodb: true, redis: true } });
  useGitHooks(root);
  const browser = await findBrowser(progress, signal);
  const faketime = await findFaketime(progress, signal);
  const servers = await progress.step('Starting MongoDB and Redis for the tests', () =>
    startTestServers(supervisor, binaries, testFolders.data),
  );
  const report = join(local, 'test/jest.json');
  const seenFolder = join(local, 'test/seen-statuses');
  const env = {
    ...process.env,
    ...servers,
    SEEN_STATUSES_FOLDER: seenFolder,
    CHROMIUM_PATH: browser ?? '',
    FAKETIME_LIBRARY: faketime,
  };
  const result = await runJest({ args, env, report, run: testFolders.run, signal });
  // A part of the suites can only meet a part of the statuses.
  return args.length === 0 ? withUnmetStatuses(result, seenFolder) : result;
}

/**
 * Counts documented statuses that no test met as one failure.
 * @param {Awaited<ReturnType<typeof runJest>>} result
 * @param {string} seenFolder
 */
function withUnmetStatuses(result, seenFolder) {
  const unseen = unmetStatuses(join(root, 'api/openapi.json'), seenFolder);
  if (unseen.length === 0) return { ...result, passed: result.passed + 1 };
  console.error(`\nDocumented answers that no test met:\n${unseen.map((pair) => `  ${pair}`).join('\n')}\n`);
  return { ...result, failed: result.failed + 1, exitCode: result.exitCode || 1 };
}

/**
 * Runs the tests and prints `N passed, N failed` as the last line, after `N skipped` when there were any.
 * @param {readonly string[]} args for jest
 * @returns {Promise<number>} exit code
 */
export async function runTests(args) {
  const refusal = otherRun();
  if (refusal) {
    // Nothing is cleaned up: the running processes belong to the other run.
    console.error(`\n${refusal}`);
    console.log('0 passed, 1 failed');
    return 1;
  }
  const supervisor = createSupervisor(testFolders, (text) => console.error(text));
  const signal = stopSignals(() => supervisor.kill());
  process.once('exit', () => supervisor.kill());
  // Anything that keeps the tests from running counts as one failure.
  let result = { passed: 0, failed: 1, skipped: 0, exitCode: 1 };
  const running = test(supervisor, args, signal);
  try {
    const stopped = aborted(signal).then(() => Promise.reject(new Stopped()));
    result = await Promise.race([running, supervisor.failed, stopped]);
  } catch (error) {
    if (!signal.aborted && !(error instanceof Stopped)) console.error(`\n${explain(error, root)}`);
  }
  await supervisor.stop();
  await Promise.race([running.catch(() => {}), sleep(SETTLE_MS)]);
  await endLeftovers(testFolders.run, LEFTOVERS_MS);
  removeMemoryFolder(testFolders.data);
  if (result.skipped > 0) console.log(`${result.skipped} skipped`);
  console.log(`${result.passed} passed, ${result.failed} failed`);
  return result.exitCode;
}
