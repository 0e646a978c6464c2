#!/usr/bin/env node
// `npm run upgrade-check`: runs the last release and this one side by side on one database, under load and with kills: docs/chaos.md.
import { spawnSync } from 'node:child_process';
import { requireNode } from './setup/node-version.mjs';

requireNode();

const { obtainRelease, planRelease } = await import('./setup/obtain-release.mjs');
const { root } = await import('./setup/paths.mjs');
const { explain } = await import('./setup/problem.mjs');

const [option, given] = process.argv.slice(2);
const from = option === '--from' ? given : undefined;
const own = from === undefined ? process.argv.slice(2) : process.argv.slice(4);

try {
  const commit = planRelease(root, from);
  if (commit === undefined) {
    console.log(
      'Skipped: the history of this checkout has no earlier release. `git fetch --unshallow --tags` gets it.',
    );
    process.exit(0);
  }
  const dist = await obtainRelease(root, commit);
  console.log(`Beside this release: ${commit}`);
  const env = { ...process.env, CHAOS_EARLIER_DIST: dist };
  // At least two processes of each kind, so that one is of each release.
  const args = ['scripts/chaos.mjs', '--secs', '60', '--workers', '2', ...own];
  process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
} catch (error) {
  console.error(explain(error, root));
  process.exit(1);
}
