#!/usr/bin/env node
// `npm run stored`: what stored payments cost: a filled database beside an empty one. It runs as stored/compare.mjs describes.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./stored/compare.mjs').then(async ({ runCompare }) => process.exit(await runCompare(process.argv.slice(2))));
