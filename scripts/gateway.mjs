#!/usr/bin/env node
// `./gateway …`: starts the operator command line, which is compiled. See gateway/run.ts.
import { existsSync } from 'node:fs';
import { requireNode } from './setup/node-version.mjs';

requireNode();
const main = new URL('../dist/scripts/gateway/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('gateway: it is not built yet. Run `npm run build` first; `npm start` does so too.');
  process.exitCode = 3;
}
