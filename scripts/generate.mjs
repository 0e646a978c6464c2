#!/usr/bin/env node
// `npm run generate`: builds, then writes the files that are derived from the code (dist/scripts/generate.js).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './setup/build.mjs';
import { root } from './setup/paths.mjs';
import { explain } from './setup/problem.mjs';
import { createProgress } from './setup/progress.mjs';

const generator = join(root, 'dist/scripts/generate.js');
try {
  await build(root, createProgress());
  if (existsSync(generator)) {
    const { status } = spawnSync(process.execPath, [generator, ...process.argv.slice(2)], {
      cwd: root,
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  } else {
    console.log('There is nothing to generate: dist/scripts/generate.js does not exist.');
  }
} catch (error) {
  console.error(explain(error, root));
  process.exitCode = 1;
}
