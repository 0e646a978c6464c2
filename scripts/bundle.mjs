#!/usr/bin/env node
// `npm run build`: each program of the gateway with everything that it uses, its packages too, as few files in `dist/`. A process that
// loads some dozen files starts in half the time of one that looks for some 1,500. Types are checked by `npm run check`.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');

/** Where Node begins: `dist/` has a file of the same name for each. The image is built without what only the sandbox runs. */
const programs = [
  'api/main.ts',
  'workers/run.ts',
  'workers/wallet/thread-main.ts',
  'scripts/gateway/main.ts',
  'scripts/generate.ts',
  'scripts/seed-sandbox.ts',
  'scripts/sandbox/simulator/main.ts',
];

/** Packages that others would use if they were there. */
const optional = [
  '@aws-sdk/credential-providers',
  '@mongodb-js/zstd',
  'aws4',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/**
 * What packages bring and nothing here asks for, by package. BullMQ: queues in PostgreSQL, and jobs repeated by cron expressions.
 * Express: its readers of bodies, with the tables of some hundred encodings.
 */
const unused = {
  bullmq: { './postgres': '', 'cron-parser': 'export const CronExpressionParser = undefined;' },
  express: { 'body-parser': '' },
};

/** @type {import('esbuild').Plugin} */
const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    for (const [by, contents] of Object.entries(unused)) {
      onResolve({ filter: /^[./\w-]+$/ }, ({ path, importer }) =>
        path in contents && importer.includes(`/node_modules/${by}/`) ? { path, namespace: `unused-${by}` } : undefined,
      );
      onLoad({ filter: /./, namespace: `unused-${by}` }, ({ path }) => ({
        contents: contents[/** @type {keyof typeof contents} */ (path)],
      }));
    }
  },
};

/** The driver's tables for passwords with special letters, 2 MB: loaded with the first password that it prepares. */
const PASSWORDS = '@mongodb-js/saslprep';

/** @type {import('esbuild').Plugin} */
const loadedWhenNeeded = {
  name: 'loaded-when-needed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${PASSWORDS}$`) }, ({ path, importer }) =>
      importer.includes('/node_modules/mongodb/') ? { path, namespace: 'loaded-when-needed' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'loaded-when-needed' }, () => ({
      contents: `exports.saslprep = (...args) => require('${PASSWORDS}').saslprep(...args);`,
      resolveDir: join(root, 'node_modules/mongodb'),
    }));
  },
};

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: programs.filter((path) => existsSync(join(root, path))),
  outbase: '.',
  outdir,
  bundle: true,
  // What several programs use is there once; what is seldom needed is a file of its own, loaded when it is.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // V8 keeps the text of what it runs: without blanks and comments it is a third shorter, and takes one byte a letter.
  // Names stay, and scripts/where.mjs finds the source of a place in a stack by maps that no program loads.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'external',
  sourcemap: 'external',
  sourcesContent: false,
  plugins: [withoutUnused, loadedWhenNeeded],
  external: [...optional, 'tsx/esm/api'],
  // What packages in CommonJS expect to be there.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), __dirname = import.meta.dirname;",
  },
  logLevel: 'warning',
});
