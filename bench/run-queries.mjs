#!/usr/bin/env node
// `npm run queries`: measures every filter of the payment query over very many payments. See stored/queries.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./stored/queries.mjs').then(async ({ runQueries }) => process.exit(await runQueries(process.argv.slice(2))));
