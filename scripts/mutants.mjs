#!/usr/bin/env node
// `npm run mutants -- shared/domain/money`: changes the code in small ways, one at a time (StrykerJS), and counts the changes that the tests notice.
// docs/verification.md, "Mutants", has the scores and says how to read them.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { tryLock } from './setup/lock.mjs';
import { removeMemoryFolder } from './setup/memory-folder.mjs';
import { drawPieces } from './setup/mutant-pieces.mjs';
import { readMutants, renderMutants } from './setup/mutant-report.mjs';
import { local, root } from './setup/paths.mjs';
import { prepare } from './setup/prepare.mjs';
import { createProgress } from './setup/progress.mjs';
import { createSupervisor } from './setup/supervisor.mjs';
import { startTestServers } from './setup/test-servers.mjs';

const usage = `npm run mutants -- <file or folder>... [--suites test/domain,test/simulation] [--servers] [--share 5] [--seed 1] [--static] [--hang 20] [--workers 1] [--json mutants.json]
  --suites   folders and files of suites; all suites without servers otherwise
  --servers  brings up MongoDB and Redis, and takes the suites of --suites that need them too
  --share    per cent of the code that is changed, in pieces that the seed draws; all of it otherwise
  --static   also changes what a module makes when it is loaded: every suite has to run for each of these
  --hang     seconds beside what its tests take, after which a change is taken for an endless loop: fewer for quick suites
  --workers  how many changes are tried at once`;
/** Time for one run of the suites on unchanged code, on a slow machine: the simulation alone takes minutes there. */
const FIRST_RUN_MINUTES = 30;

/** Single faults per scenario of the simulation. Trying all of them takes too long for each change. */
const SINGLE_FAULTS = '8';

const { values, positionals } = parseArgs({
  options: {
    suites: { type: 'string', default: 'test' },
    servers: { type: 'boolean', default: false },
    share: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    static: { type: 'boolean', default: false },
    hang: { type: 'string', default: '20' },
    workers: { type: 'string', default: '1' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
process.chdir(root);
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const missing = positionals.filter((path) => !existsSync(path));
const share = Number(values.share);
const isCount = (/** @type {string} */ text) => /^[1-9]\d?$/.test(text);
if (
  positionals.length === 0 ||
  missing.length > 0 ||
  !isCount(values.workers) ||
  !isCount(values.hang) ||
  !(share > 0)
) {
  if (missing.length > 0) console.error(`There is no ${missing.join(', ')} in the project.`);
  console.error(usage);
  process.exit(2);
}
const files = positionals
  .flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : path,
  )
  .filter((path) => path.endsWith('.ts'))
  .sort();
const pieces = drawPieces(
  files.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length })),
  { share, seed: values.seed },
);
const folder = join(local, 'mutants');
mkdirSync(folder, { recursive: true });
const lock = tryLock(join(local, 'mutants.lock'));
if (!lock.held) {
  // Two runs would use the same folders.
  console.error(`\`npm run mutants\` runs here already as process ${lock.by.pid}: wait for it, or stop it.`);
  process.exit(1);
}
// Read by the jest of each worker.
process.env.MUTANT_SUITES = values.suites;
const supervisor = values.servers ? await startServers() : undefined;
process.env.SIMULATION_SINGLES ??= SINGLE_FAULTS;
process.env.SIMULATION_PAIRS ??= '0';
process.env.SIMULATION_SEEDS ??= '1';

const results = await new Stryker({
  mutate: share < 100 ? pieces : files,
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { projectType: 'custom', configFile: 'scripts/setup/jest-for-mutants.mjs', enableFindRelatedTests: true },
  coverageAnalysis: 'perTest',
  ignoreStatic: !values.static,
  concurrency: Number(values.workers),
  timeoutMS: Number(values.hang) * 1000,
  dryRunTimeoutMinutes: FIRST_RUN_MINUTES,
  // Types are not checked: a mutant that tsc would refuse could never be committed, and counts as noticed when tests fail.
  disableTypeChecks: false,
  ignorePatterns: ['.local', 'dist', 'docs'],
  tempDirName: join(folder, 'tree'),
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  logLevel: /** @type {import('@stryker-mutator/api/core').LogLevel} */ ('warn'),
}).runMutationTest();

await supervisor?.stop();
lock.release();
const mutants = readMutants(results, root);
console.log(renderMutants(mutants));
if (values.json) writeFileSync(values.json, `${JSON.stringify(mutants, null, 2)}\n`);

/** Starts MongoDB and Redis. The suites find their addresses in the environment. */
async function startServers() {
  const folders = { data: join(folder, 'data'), logs: join(folder, 'logs'), run: join(folder, 'run') };
  const { signal } = new AbortController();
  const binaries = await prepare({ progress: createProgress(), signal, needs: { mongodb: true, redis: true } });
  removeMemoryFolder(folders.data);
  const servers = createSupervisor(folders, console.error);
  process.once('exit', () => {
    servers.kill();
    removeMemoryFolder(folders.data);
  });
  Object.assign(process.env, await startTestServers(servers, binaries, folders.data), { MUTANT_SERVERS: 'true' });
  return servers;
}
