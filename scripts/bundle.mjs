#!/usr/bin/env node
// `npm run build`: bundles each program of the gateway with everything it uses, packages included, into few files in `dist/`. A process
// that loads some dozen files starts in half the time of one that looks for some 1,500. Types are checked by `npm run check`.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');

/** Entry points: `dist/` has a file of the same name for each. The image is built without the programs that only the sandbox runs. */
const programs = [
  'api/main.ts',
  'workers/run.ts',
  'workers/wallet/thread-main.ts',
  'scripts/gateway/main.ts',
  'scripts/generate.ts',
  'scripts/seed-sandbox.ts',
  'scripts/sandbox/simulator/main.ts',
];

/** Packages that other packages would use if they were installed. */
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
 * Parts of packages that nothing here uses, by package. BullMQ: queues in PostgreSQL, and jobs repeated by cron expressions.
 * Express: its body parsers, with the tables of some hundred encodings.
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

/** The MongoDB driver's tables for passwords with special letters, 2 MB. They are loaded with the first password that it prepares. */
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
  // Code that several programs use is written once. Code that is seldom needed is a file of its own, loaded on demand.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // V8 keeps the text of the code it runs: without blanks and comments it is a third shorter, and takes one byte a letter.
  // Names stay, and scripts/where.mjs finds the source of a place in a stack by source maps that no program loads.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'external',
  sourcemap: 'external',
  sourcesContent: false,
  plugins: [withoutUnused, loadedWhenNeeded],
  external: [...optional, 'tsx/esm/api'],
  // Packages in CommonJS expect `require` to exist.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), __dirname = import.meta.dirname;",
  },
  logLevel: 'warning',
});
