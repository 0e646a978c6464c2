#!/usr/bin/env node
// `npm run mutants -- shared/domain/money`: changes the code in small ways, one at a time (StrykerJS), and counts the changes that the tests notice.
// docs/verification.md, "Mutants", has the scores and says how to read them.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { readMutants, renderMutants } from './setup/mutant-report.mjs';
import { local, root } from './setup/paths.mjs';

const usage =
  'npm run mutants -- <file or folder>... [--suites test/domain,test/simulation] [--workers 1] [--json mutants.json]';
/** A mutant that makes a loop endless ends after this time beside what its tests take (ms). */
const TIMEOUT_MS = 20_000;
/** The suites once, unchanged, on a slow machine: the simulation alone takes minutes there. */
const FIRST_RUN_MINUTES = 30;

const { values, positionals } = parseArgs({
  options: {
    suites: { type: 'string', default: 'test' },
    workers: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});
process.chdir(root);
const missing = positionals.filter((path) => !existsSync(path));
if (positionals.length === 0 || missing.length > 0 || !/^[1-9]\d?$/.test(values.workers)) {
  if (missing.length > 0) console.error(`There is no ${missing.join(', ')} in the project.`);
  console.error(usage);
  process.exit(2);
}
const folder = join(local, 'mutants');
mkdirSync(folder, { recursive: true });
// The jest of each worker reads it.
process.env.MUTANT_SUITES = values.suites;

const results = await new Stryker({
  mutate: positionals.map((path) => (statSync(path).isDirectory() ? `${path}/**/*.ts` : path)),
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { projectType: 'custom', configFile: 'scripts/setup/jest-for-mutants.mjs', enableFindRelatedTests: true },
  coverageAnalysis: 'perTest',
  concurrency: Number(values.workers),
  timeoutMS: TIMEOUT_MS,
  dryRunTimeoutMinutes: FIRST_RUN_MINUTES,
  // Types are not looked at: what tsc would refuse is no mutant that a person could commit, and counts as noticed where tests fail.
  disableTypeChecks: false,
  ignorePatterns: ['.local', 'dist', 'docs'],
  tempDirName: join(folder, 'tree'),
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  logLevel: /** @type {import('@stryker-mutator/api/core').LogLevel} */ ('warn'),
}).runMutationTest();

const mutants = readMutants(results, root);
console.log(renderMutants(mutants));
if (values.json) writeFileSync(values.json, `${JSON.stringify(mutants, null, 2)}\n`);
