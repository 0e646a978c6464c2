/**
 * `shared` contains code that processes of both tiers import. Its share is measured here, from the import lines. Types count too: a
 * type that both tiers use is shared like a function.
 */
import { dirname, join } from 'node:path';
import { filesIn } from './source-tree.js';

/** The shares that were reached (percent of the lines and of the modules). Raise them with the share; never lower them. */
const LINES_PERCENT_MIN = 83;
const MODULES_PERCENT_MIN = 83;

/** Modules that only the operator's commands import, and why they are in `shared` nevertheless. */
const OPERATORS: Readonly<Record<string, string>> = {
  'shared/store/sealed-record.repository.ts': 'only shared/store reads and writes collections',
};

/**
 * The files of one adapter: only workers call a processor, and the API must not know it (.dependency-cruiser.cjs). They are beside
 * their port, no matter how large they are, so they do not count as shared code.
 */
const ADAPTER = /^shared\/(processors|threeds-providers)\/[^/]+\//;

type Texts = ReadonlyMap<string, string>;
const IMPORTED = /\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/gm;

/** Returns these modules and all modules that they import, directly or through others. */
function reachedFrom(roots: readonly string[], texts: Texts): ReadonlySet<string> {
  const reached = new Set(roots);
  // Iterating over a set also visits the elements that are added meanwhile.
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

test('every module of shared is used by a tier, except those of the operator commands', () => {
  expect(measured.byNone).toEqual(Object.keys(OPERATORS));
});

test('imports, types and later imports are followed through other modules', () => {
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
