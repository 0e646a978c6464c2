/**
 * `shared` holds what a process of each tier imports: how much of it does is measured here, from the lines of import. Types count
 * as well: a type that both tiers speak of is shared like a function.
 */
import { dirname, join } from 'node:path';
import { filesIn } from './source-tree.js';

/** What was reached, in percent of the lines and of the modules. Raise them with the share; they never go down. */
const LINES_PERCENT_MIN = 83;
const MODULES_PERCENT_MIN = 83;

/** Modules that only the operator's commands import, and why they are in `shared` all the same. */
const OPERATORS: Readonly<Record<string, string>> = {
  'shared/store/sealed-record.repository.ts': 'only shared/store reads and writes collections',
};

/**
 * What one adapter is made of: only workers call a processor, and the API must not know it (.dependency-cruiser.cjs). They are
 * beside their port whatever their size, so they say nothing about what is shared.
 */
const ADAPTER = /^shared\/(processors|threeds-providers)\/[^/]+\//;

type Texts = ReadonlyMap<string, string>;
const IMPORTED = /\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/gm;

/** The modules that these import, however far away, and they themselves. */
function reachedFrom(roots: readonly string[], texts: Texts): ReadonlySet<string> {
  const reached = new Set(roots);
  // A set that grows is walked to its new end.
  for (const path of reached) {
    for (const [, from, bare, loaded] of (texts.get(path) ?? '').matchAll(IMPORTED)) {
      const target = join(dirname(path), from ?? bare ?? loaded ?? '').replace(/\.js$/, '.ts');
      if (texts.has(target)) reached.add(target);
    }
  }
  return reached;
}

function measure(texts: Texts) {
  const paths = [...texts.keys()];
  const from = (tier: string) =>
    reachedFrom(
      paths.filter((path) => path.startsWith(tier)),
      texts,
    );
  const [api, workers] = [from('api/'), from('workers/')];
  const shared = paths.filter((path) => path.startsWith('shared/') && !ADAPTER.test(path));
  const linesOf = (list: readonly string[]) =>
    list.reduce((sum, path) => sum + (texts.get(path) ?? '').trimEnd().split('\n').length, 0);
  const both = shared.filter((path) => api.has(path) && workers.has(path));
  return {
    modules: shared.length,
    linesPercent: (100 * linesOf(both)) / linesOf(shared),
    modulesPercent: (100 * both.length) / shared.length,
    byNone: shared.filter((path) => !api.has(path) && !workers.has(path)),
  };
}

const tree = new Map(filesIn(['api', 'workers', 'shared', 'config'], /\.ts$/).map(({ path, text }) => [path, text]));
const measured = measure(tree);
const percent = (share: number) => `${share.toFixed(1)} %`;

test(`${LINES_PERCENT_MIN} % of the lines of shared are reached by both tiers, and ${MODULES_PERCENT_MIN} % of the modules`, () => {
  const { modules, linesPercent, modulesPercent } = measured;
  process.stdout.write(
    `shared: ${percent(linesPercent)} of the lines and ${percent(modulesPercent)} of ${modules} modules are reached by both tiers\n`,
  );
  expect(modules).toBeGreaterThan(100);
  expect(linesPercent).toBeGreaterThanOrEqual(LINES_PERCENT_MIN);
  expect(modulesPercent).toBeGreaterThanOrEqual(MODULES_PERCENT_MIN);
});

test('every module of shared is reached by a tier: what only a script or a test imports is there', () => {
  expect(measured.byNone).toEqual(Object.keys(OPERATORS));
});

test('imports, types and what is loaded later are followed through other modules', () => {
  const texts = new Map([
    ['api/main.ts', "import type { A } from '../shared/a.js';\n"],
    ['workers/run.ts', "const later = () => import('../shared/b.js');\nimport '../shared/c.js';\n"],
    ['shared/a.ts', "export {\n  b,\n} from './b.js';\n"],
    ['shared/b.ts', 'one\ntwo\nthree\n'],
    ['shared/c.ts', 'one\n'],
    ['shared/d.ts', "import { b } from './b.js';\n"],
  ]);
  expect(measure(texts)).toEqual({
    modules: 4,
    linesPercent: 37.5,
    modulesPercent: 25,
    byNone: ['shared/d.ts'],
  });
});
