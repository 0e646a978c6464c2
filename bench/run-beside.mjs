#!/usr/bin/env node
// `npm run beside`: compares this gateway and another compiled one in turns. See beside.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./beside.mjs').then(async ({ runBeside }) => process.exit(await runBeside(process.argv.slice(2))));
