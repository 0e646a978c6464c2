#!/usr/bin/env node
// `npm run callbacks`: how many callbacks a second leave one process. See callbacks.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./callbacks.mjs').then(async ({ runCallbacks }) => process.exit(await runCallbacks(process.argv.slice(2))));
