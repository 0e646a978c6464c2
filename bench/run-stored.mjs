#!/usr/bin/env node
// `npm run stored`: measures the cost of stored payments: a filled database beside an empty one. See stored/compare.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./stored/compare.mjs').then(async ({ runCompare }) => process.exit(await runCompare(process.argv.slice(2))));
