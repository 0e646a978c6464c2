#!/usr/bin/env node
// `npm run callbacks`: measures how many callbacks a second one process sends. See callbacks.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./callbacks.mjs').then(async ({ runCallbacks }) => process.exit(await runCallbacks(process.argv.slice(2))));
