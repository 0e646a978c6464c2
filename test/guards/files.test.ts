/** How files are named, how long they may be and what they must not contain (ARCHITECTURE.md). */
import { filesIn, type SourceFile } from './source-tree.js';

const CODE = /\.(ts|mjs|cjs|js)$/;
const PRODUCT = ['api', 'workers', 'shared', 'config'];
/** Code of the operator's commands and the sandbox: in scripts/, but under the rules of product code. */
const ACTIONS = ['scripts/provisioning', 'scripts/sandbox'];
const LINES_MAX = 300;

const product = filesIn([...PRODUCT, ...ACTIONS], CODE);
const code = filesIn([...PRODUCT, 'scripts', 'test', 'bench'], CODE);

const BANNED = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'service', 'data', 'info']);
/** `services.ts` of the test support is named after the services beside the gateway: MongoDB and Redis. */
const SPARED = new Set(['test/support/services.ts']);
const ROLES = ['view', 'schema', 'job', 'handler', 'model', 'repository', 'test', 'd'];
/** Each role has its folders. A file with a role in another folder is misnamed. */
const PLACES: Record<string, RegExp> = {
  view: /^api\/pages\//,
  schema: /^(api|shared\/(contract|processors|threeds-providers))\//,
  job: /^shared\/queue\//,
  handler: /^workers\//,
  model: /^shared\/store\//,
  repository: /^shared\/store\//,
  test: /^test\//,
};

/** Returns what is wrong with the name of a file. */
function nameProblem(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [stem = '', ...rest] = name.split('.');
  // The test of a file with a role has both in its name.
  const [role, ...more] = rest.slice(0, -1).at(-1) === 'test' ? ['test', ...rest.slice(1, -2)] : rest.slice(0, -1);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) return 'is not kebab-case';
  if (!SPARED.has(path) && (BANNED.has(stem) || stem.split('-').some((word) => BANNED.has(word) && word !== 'data'))) {
    return 'says nothing (banned name)';
  }
  if (more.length > 0) return 'has two roles';
  if (role === undefined) return undefined;
  if (!ROLES.includes(role)) return `has the unknown role .${role}`;
  return PLACES[role] && !PLACES[role].test(path) ? `is a .${role} in the wrong place` : undefined;
}

const found = (list: readonly SourceFile[], pattern: RegExp) =>
  list.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );

test('the guards see the files of the tree', () => {
  expect(product.length).toBeGreaterThan(100);
  for (const folder of PRODUCT) expect(product.some(({ path }) => path.startsWith(folder))).toBe(true);
});

test(`no file has more than ${LINES_MAX} lines`, () => {
  const long = filesIn([...PRODUCT, 'scripts', 'bench'], CODE).filter(
    ({ text }) => text.trimEnd().split('\n').length > LINES_MAX,
  );
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('names are kebab-case with at most one known role, in a folder of that role', () => {
  const problems = code.flatMap(({ path }) => {
    const problem = nameProblem(path);
    return problem ? [`${path} ${problem}`] : [];
  });
  expect(problems).toEqual([]);
});

test.each([
  ['shared/domain/utils.ts', 'banned'],
  ['shared/store/payment-manager.ts', 'banned'],
  ['shared/store/PaymentStore.ts', 'kebab-case'],
  ['api/http/send_answer.ts', 'kebab-case'],
  ['api/http/pay.handler.ts', 'wrong place'],
  ['api/payments/pay.controller.ts', 'unknown role'],
  ['api/pages/pay.page.view.ts', 'two roles'],
])('%s is refused: %s', (path, problem) => expect(nameProblem(path)).toContain(problem));

test('no folder has a banned name', () => {
  const folders = new Set(code.flatMap(({ path }) => path.split('/').slice(0, -1)));
  expect([...folders].filter((folder) => BANNED.has(folder))).toEqual([]);
});

test('no folder has a single file and nothing else', () => {
  const entries = new Map<string, Set<string>>();
  for (const { path } of filesIn([...PRODUCT, 'scripts', 'bench', 'test'], /./)) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] ?? ''));
    }
  }
  expect(entries.size).toBeGreaterThan(100);
  // Each adapter has a folder, and a new adapter begins with its mock (`npm run new:processor`).
  const single = [...entries].filter(([folder, names]) => names.size === 1 && !/^test\/processors\//.test(folder));
  expect(single.map(([folder]) => folder)).toEqual([]);
});

test('only config reads process.env', () => {
  expect(
    found(
      filesIn(['api', 'workers', 'shared', ...ACTIONS], CODE),
      /process\.env\b|process\[['"]env|from 'node:process'/,
    ),
  ).toEqual([]);
});

test('only scripts and the bench write to the console', () => {
  expect(found(product, /\bconsole\.\w+\(/)).toEqual([]);
});

test('lists of the tiers contain imports and exports, and no code that runs', () => {
  // config/index.ts is left out: only that file reads the environment.
  const lists = [...filesIn(['api', 'workers', 'shared'], /^index\.ts$/), ...filesIn(['api'], /^routes\.ts$/)];
  expect(lists.length).toBeGreaterThan(0);
  const running = found(lists, /=>|\bfunction\b|\bclass\b|\bif\b|\bfor\b|\bnew\b|\bawait\b/).filter((place) => place);
  expect(running).toEqual([]);
});

test('no comment leaves work for later', () => {
  const words = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK', 'XXX' + ':'].join('|')})\\b`);
  const soft = new RegExp(
    `\\b(${['not' + ' implemented', 'for' + ' now', 'stub' + 'bed', 'lorem' + ' ipsum'].join('|')})\\b`,
    'i',
  );
  expect([...found(code, words), ...found(product, soft)]).toEqual([]);
});

test('no test is skipped or runs alone', () => {
  const marks = new RegExp(
    `\\b(test|it|describe)\\.(${'on' + 'ly'}|${'sk' + 'ip'}|${'to' + 'do'})\\b|\\b[xf](it|describe|test)\\(`,
  );
  expect(found(filesIn(['test'], /\.test\.ts$/), marks)).toEqual([]);
});

test('every source is text with a line feed at its end', () => {
  expect(code.filter(({ text }) => text.includes('\r') || !text.endsWith('\n')).map(({ path }) => path)).toEqual([]);
});
