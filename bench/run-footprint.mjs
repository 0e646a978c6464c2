#!/usr/bin/env node
// `npm run footprint`: measures what each process of the gateway needs to start, and its memory when idle. See footprint.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./footprint.mjs').then(async ({ runFootprint }) => process.exit(await runFootprint(process.argv.slice(2))));
