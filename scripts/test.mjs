#!/usr/bin/env node
// `npm test`: prepares what the suites need and runs all of them. `npm test -- test/store` runs a part. See setup/test-run.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./setup/test-run.mjs').then(async ({ runTests }) => process.exit(await runTests(process.argv.slice(2))));
