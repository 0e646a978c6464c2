#!/usr/bin/env node
// `npm start`: a sandbox on this machine. See setup/sandbox.mjs.
import { requireNode } from './setup/node-version.mjs';

requireNode();
// Imported only now: an older Node could not even read what follows.
import('./setup/sandbox.mjs').then(async ({ runSandbox }) => process.exit(await runSandbox()));
