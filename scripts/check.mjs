#!/usr/bin/env node
// `npm run check`: everything that needs no server, in under a minute. `--json` prints the result for machines.
import { spawnSync } from 'node:child_process';
import { useGitHooks } from './setup/git-hooks.mjs';
import { jestArguments } from './setup/jest.mjs';
import { root } from './setup/paths.mjs';
import { compileTypeScript } from './setup/typescript-ahead.mjs';

const MODULES_MIN = 60;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly string[]} args of node
 * @property {(stdout: string) => string | undefined} [verify] says what is wrong although the command exited with success
 */

/** @type {readonly Step[]} */
const steps = [
  { name: 'format and lint', args: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'] },
  { name: 'types', args: typeCheckArguments('tsconfig.json') },
  { name: 'types of scripts', args: typeCheckArguments('tsconfig.scripts.json') },
  { name: 'types of pages', args: typeCheckArguments('tsconfig.browser.json') },
  {
    name: 'dependency rules',
    args: ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs'].concat([
      'api',
      'workers',
      'shared',
      'config',
      'test',
      'scripts',
    ]),
    verify: verifyModuleCount,
  },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js'] },
  { name: 'unit tests', args: jestArguments(['--selectProjects', 'unit']) },
];

/** Arguments of an incremental compilation: unchanged files are not checked again. @param {string} config */
function typeCheckArguments(config) {
  const incremental = ['--incremental', '--tsBuildInfoFile', `.local/types/${config}.tsbuildinfo`];
  return ['node_modules/typescript7/bin/tsc', '--noEmit', '-p', config, ...incremental];
}

/** @param {string} stdout */
function verifyModuleCount(stdout) {
  const count = Number(/\((\d+) modules/.exec(stdout)?.[1] ?? 0);
  return count > MODULES_MIN
    ? undefined
    : `only ${count} modules were seen: the cruiser does not understand the sources`;
}

/** @param {Step} step */
function run({ name, args, verify }) {
  const startedAt = performance.now();
  const env = { ...process.env, NO_COLOR: '1', TYPESCRIPT_AHEAD: ahead };
  const result = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  const problem = result.status === 0 ? verify?.(result.stdout) : `exit code ${result.status}`;
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
  return { name, seconds, ok: problem === undefined, problem, output: `${result.stdout}${result.stderr}`.trim() };
}

useGitHooks(root);
const ahead = await compileTypeScript();
const json = process.argv.includes('--json');
const results = steps.map((step) => {
  const result = run(step);
  if (!json) {
    if (!result.ok) console.log(`\n${result.output}\n`);
    console.log(
      `${result.ok ? '✓' : '✗'} ${result.name.padEnd(24)} ${result.seconds.toFixed(1).padStart(6)} s  ${result.problem ?? ''}`,
    );
  }
  return result;
});
const ok = results.every((result) => result.ok);
if (json) {
  const rows = results.map(({ output, ...row }) => (row.ok ? row : { ...row, output }));
  console.log(JSON.stringify({ ok, steps: rows }, null, 2));
}
process.exitCode = ok ? 0 : 1;
