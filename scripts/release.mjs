#!/usr/bin/env node
// `npm run release -- minor` (or `major`, `patch`, `0.2.0`; `--dry-run` changes nothing): CONTRIBUTING.md, "Releasing".
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { makeRelease } from './release/make-release.mjs';
import { root } from './setup/paths.mjs';
import { explain } from './setup/problem.mjs';

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});

// Ctrl-C ends the check, and the release then takes back what it wrote.
process.once('SIGINT', () => undefined);

try {
  await makeRelease({
    root,
    wanted: positionals[0],
    dryRun: values['dry-run'],
    now: new Date(),
    isGreen: async () =>
      spawnSync(process.execPath, ['scripts/check.mjs'], { cwd: root, stdio: 'inherit' }).status === 0,
    print: (line) => console.log(line),
  });
} catch (error) {
  console.error(explain(error, root));
  process.exitCode = 1;
}
