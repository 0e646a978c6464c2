#!/usr/bin/env node
// `npm test`: everything it needs and all suites. `npm test -- test/store` runs a part. See setup/test-run.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./setup/test-run.mjs').then(async ({ runTests }) => process.exit(await runTests(process.argv.slice(2))));
