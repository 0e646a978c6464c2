#!/usr/bin/env node
// `npm run test:unit`: runs the suites that need no server. `npm run test:watch` runs them again as files change. See setup/unit-run.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./setup/unit-run.mjs').then(async ({ runUnitTests }) =>
  process.exit(await runUnitTests(process.argv.slice(2))),
);
