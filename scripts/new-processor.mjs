#!/usr/bin/env node
// `npm run new:processor acme`: makes a conforming adapter, enters it in the list, and adds its settings and a test. CONTRIBUTING.md,
// "Adding a processor".
import { spawnSync } from 'node:child_process';
import { makeProcessor } from './new-processor/make-processor.mjs';
import { root } from './setup/paths.mjs';
import { explain, Problem } from './setup/problem.mjs';

/** @param {readonly string[]} args of node */
function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Problem(`${args.join(' ')} failed, so nothing was made:\n${stdout}${stderr}`);
  return stdout;
}

try {
  makeProcessor({
    root,
    code: process.argv[2],
    derive(changed) {
      run(['node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...changed]);
      process.stdout.write(run(['--import', 'tsx', 'scripts/generate.ts']).replaceAll(/^written: /gm, 'derived  '));
    },
    print: (line) => console.log(line),
  });
} catch (error) {
  console.error(explain(error, root));
  process.exitCode = 1;
}
