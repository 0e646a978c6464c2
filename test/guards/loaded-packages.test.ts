/**
 * Packages that a process loads at its start cost memory and time as long as it runs (docs/performance.md): these and no others.
 * A package that is rarely needed is imported where it is used (`await import(…)`), and a pool where it runs.
 */
import { dirname, join } from 'node:path';
import type { PoolName } from '../../workers/pool.js';
import { poolNames } from '../../workers/pools.js';
import { filesIn } from './source-tree.js';

const tree = new Map(filesIn(['api', 'workers', 'shared', 'config'], /\.ts$/).map(({ path, text }) => [path, text]));

/** An import or export that exists when the program runs; `import type` does not. */
const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^'";]*? from )?'([^']+)'/gm;
const NODE_MODULE = /^node:/;

/** Returns the packages that these files load before they run, sorted. */
function loadedBy(entries: readonly string[], files: ReadonlyMap<string, string> = tree): string[] {
  const packages = new Set<string>();
  const seen = new Set(entries);
  for (const path of seen) {
    const text = files.get(path);
    if (text === undefined) throw new Error(`${path} is imported and not there`);
    for (const [, from = ''] of text.matchAll(STATIC_IMPORT)) {
      if (from.startsWith('.')) seen.add(join(dirname(path), from).replace(/\.js$/, '.ts'));
      else if (!NODE_MODULE.test(from)) packages.add(from);
    }
  }
  return [...packages].sort();
}

/** The vault is only opened for pools with master keys. */
const VAULT = 'shared/vault/open-vault.ts';
const everyPool = [
  'bullmq',
  'ioredis',
  'joi',
  'mongodb-connection-string-url',
  'mongoose',
  'pino',
  'prom-client',
  'rate-limiter-flexible',
];
const pools: Record<PoolName, { readonly besides: readonly string[]; readonly packages: readonly string[] }> = {
  wallet: { besides: [VAULT, 'shared/wallets/load-trust.ts'], packages: ['jose', 'lru-cache'] },
  threeds: {
    besides: [VAULT],
    packages: ['card-validator', 'decimal.js', 'iso-3166/1.js', 'jose', 'lru-cache', 'undici'],
  },
  processor: { besides: [VAULT], packages: ['card-validator', 'decimal.js', 'jose', 'lru-cache', 'undici'] },
  qr: { besides: [], packages: ['decimal.js', 'lru-cache', 'qrcode', 'undici'] },
  expiry: { besides: [], packages: ['decimal.js', 'lru-cache'] },
  callback: { besides: [], packages: ['undici'] },
};

test('the API loads no certificate parser, no HTTP client and nothing that draws or reads files', () => {
  expect(loadedBy(['api/main.ts'])).toEqual(
    [
      ...everyPool,
      'card-validator',
      'celebrate',
      'cookie',
      'decimal.js',
      'escape-html',
      'express',
      'helmet',
      'iso-3166/1.js',
      'jose',
      'lru-cache',
    ].sort(),
  );
});

test.each(poolNames)('the %s pool loads only what it needs', (name) => {
  const { besides, packages } = pools[name];
  expect(loadedBy(['workers/run.ts', `workers/${name}/${name}-pool.ts`, ...besides])).toEqual(
    [...everyPool, ...packages].sort(),
  );
});

test('imports are followed, and types and later imports are not', () => {
  const files = new Map([
    ['a/main.ts', "import type { X } from 'types';\nimport {\n  one,\n} from './one.js';\nimport './two.js';\n"],
    ['a/one.ts', "export { y } from 'direct';\nconst later = () => import('later');\n"],
    ['a/two.ts', "import 'node:fs';\nimport all, { type B } from '@some/package/part.js';\n"],
  ]);
  expect(loadedBy(['a/main.ts'], files)).toEqual(['@some/package/part.js', 'direct']);
});
