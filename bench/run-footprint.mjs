#!/usr/bin/env node
// `npm run footprint`: what each process of the gateway takes to start, and holds when idle. See footprint.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./footprint.mjs').then(async ({ runFootprint }) => process.exit(await runFootprint(process.argv.slice(2))));
