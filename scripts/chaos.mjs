#!/usr/bin/env node
// `npm run chaos`: breaks a gateway in every way for minutes and judges it at the end. `npm run elections`: takes the primary of a
// replica set away under load. `npm run faults`: injects one fault after the other under steady load, and reports what clients saw.
// Options: docs/chaos.md.
import { spawn } from 'node:child_process';
import { requireNode } from './setup/node-version.mjs';

requireNode();

const USAGE = `npm run chaos -- [--seed 42] [--secs 300] [--rate 34] [--workers 3] [--mongo] [--processor iso8583] [--json]
                 [--real] [--redis sentinel|cluster] [--mongodb set] [--balancer] [--clocks]
npm run chaos -- --suites
npm run elections -- [--fault ...] [--rate 20] [--heartbeat 2000] [--election 10000]
npm run faults -- [--fault ...] [--rate 20] [--secs 10]
What each means: docs/chaos.md`;

if (process.argv.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}

/** @param {readonly string[]} args @returns {string} the file of test/chaos that is run */
function mainOf(args) {
  if (args.includes('--elections')) return 'test/chaos/elections-main.ts';
  return args.includes('--faults') ? 'test/chaos/faults-main.ts' : 'test/chaos/main.ts';
}

/**
 * Installs and builds what is missing, then runs a file of test/chaos as a process of its own.
 * @returns {Promise<number>} exit code
 */
async function run() {
  // Imported only now: an older Node cannot even parse these modules.
  const { join } = await import('node:path');
  const { tryLock } = await import('./setup/lock.mjs');
  const { local, root } = await import('./setup/paths.mjs');
  const { prepare, findFaketime } = await import('./setup/prepare.mjs');
  const { createProgress } = await import('./setup/progress.mjs');
  const { explain } = await import('./setup/problem.mjs');
  if (process.argv.includes('--suites')) return runSuites();
  const lock = tryLock(join(local, 'test.lock'));
  if (!lock.held) {
    console.error(`A test run is under way as process ${lock.by.pid}, and both use the same folders: wait for it.`);
    return 1;
  }
  try {
    const progress = createProgress((line) => console.error(line));
    const { signal } = new AbortController();
    const { mongodb, redis } = await prepare({ progress, signal, needs: { mongodb: true, redis: true } });
    const main = mainOf(process.argv);
    const steps =
      ['--clocks', '--real'].some((option) => process.argv.includes(option)) || main === 'test/chaos/faults-main.ts';
    const env = {
      ...process.env,
      MONGOD_BIN: mongodb?.binary,
      REDIS_SERVER_BIN: redis?.binary,
      TEST_REDIS_LD_LIBRARY_PATH: redis?.env.LD_LIBRARY_PATH ?? '',
      FAKETIME_LIBRARY: steps ? await findFaketime(progress, signal) : '',
    };
    const args = ['--import', 'tsx', main, ...process.argv.slice(2)];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
    return await new Promise((resolve) => {
      child.once('error', () => resolve(1));
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } catch (error) {
    console.error(explain(error, root));
    return 1;
  }
}

/** Runs all suites of test/chaos at full size. @returns {Promise<number>} exit code */
async function runSuites() {
  const { runTests } = await import('./setup/test-run.mjs');
  process.env.CHAOS_LONG = '1';
  return runTests(['--runInBand', 'test/chaos']);
}

process.exit(await run());
