#!/usr/bin/env node
// `npm run queries`: every filter of the payment query over very many payments. It runs as stored/queries.mjs describes.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./stored/queries.mjs').then(async ({ runQueries }) => process.exit(await runQueries(process.argv.slice(2))));
