#!/usr/bin/env node
// `npm run bench`: payments per second through the whole pipeline, beside floors of the same run. See benchmark.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./benchmark.mjs').then(async ({ runBenchmark }) => process.exit(await runBenchmark(process.argv.slice(2))));
