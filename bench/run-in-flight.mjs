#!/usr/bin/env node
// `npm run in-flight`: measures the memory of a processor worker with many messages in flight. See in-flight.mjs.
import { requireNode } from '../scripts/setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./in-flight.mjs').then(async ({ runInFlight }) => process.exit(await runInFlight(process.argv.slice(2))));
