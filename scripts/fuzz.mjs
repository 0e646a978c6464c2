#!/usr/bin/env node
// `npm run fuzz`: schemathesis sends generated requests, good and bad, to the sandbox that `npm start` runs, and compares every
// answer with /openapi/v2.json: no server error, no undocumented status, no body that breaks its schema.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { local } from './setup/paths.mjs';

/** A version that is known to work with the checks named below. */
const SCHEMATHESIS = 'schemathesis==4.32.5';
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

/** @param {string} sentence @returns {never} */
function exitWithError(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** @param {string} command @param {readonly string[]} args */
const run = (command, args) => spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;

/** Installs schemathesis once into a folder of its own. @returns {string} its program */
function schemathesis() {
  const folder = join(local, 'schemathesis');
  const program = join(folder, 'bin', 'st');
  if (existsSync(program)) return program;
  if (run('python3', ['-m', 'venv', folder]) !== 0)
    exitWithError('Python 3 with venv is needed: install it and try again.');
  if (run(join(folder, 'bin', 'pip'), ['install', '--quiet', SCHEMATHESIS]) !== 0) {
    exitWithError('schemathesis could not be installed from PyPI.');
  }
  return program;
}

const { values } = parseArgs({
  options: { examples: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const file = join(local, 'sandbox.json');
const missing = 'There is no sandbox: start one with `npm start`, then run this beside it.';
if (!existsSync(file)) exitWithError(missing);
const { baseUrl, clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8'));
// The sandbox that the file describes may have been stopped since.
await fetch(baseUrl).catch(() => exitWithError(missing));
process.exit(
  run(schemathesis(), [
    'run',
    `${baseUrl}/openapi/v2.json`,
    ...['--auth', `${clientId}:${apiKey}`],
    ...['--checks', CHECKS],
    ...['--max-examples', String(values.examples)],
    ...['--seed', String(values.seed)],
    ...['--phases', 'examples,coverage,fuzzing'],
    '--continue-on-failure',
  ]),
);
