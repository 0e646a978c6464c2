#!/usr/bin/env node
// `npm start`: runs a sandbox on this machine. See setup/sandbox.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node cannot even parse this module.
import('./setup/sandbox.mjs').then(async ({ runSandbox }) => process.exit(await runSandbox()));
