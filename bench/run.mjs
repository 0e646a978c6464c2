#!/usr/bin/env node
// `npm run bench`: measures payments per second through the whole pipeline, beside floors of the same run. See benchmark.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./benchmark.mjs').then(async ({ runBenchmark }) => process.exit(await runBenchmark(process.argv.slice(2))));
