#!/usr/bin/env node
// `npm run test:unit`: the suites that need no server. `npm run test:watch` runs them again as files change. What it does is in setup/unit-run.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./setup/unit-run.mjs').then(async ({ runUnitTests }) =>
  process.exit(await runUnitTests(process.argv.slice(2))),
);
