#!/usr/bin/env node
// `npm run soak`: pays for many minutes. Memory must not grow, and nothing may be lost. See soak.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./soak.mjs').then(async ({ runSoak }) => process.exit(await runSoak(process.argv.slice(2))));
