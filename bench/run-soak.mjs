#!/usr/bin/env node
// `npm run soak`: payments for many minutes; memory must not grow, nothing may be lost. See soak.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./soak.mjs').then(async ({ runSoak }) => process.exit(await runSoak(process.argv.slice(2))));
