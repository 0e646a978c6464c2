/** Which suites are unit tests follows from their imports (scripts/setup/suites.mjs): a unit test cannot reach a server. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import jestConfig from '../../jest.config.mjs';
import { workersFor } from '../../scripts/setup/jest.mjs';
import { root } from '../../scripts/setup/paths.mjs';
import { longSuites, serverSetUp, suitesOf } from '../../scripts/setup/suites.mjs';
import { testTimeout } from '../../scripts/setup/test-process.mjs';
import { PATIENCE_MS } from '../support/patience.js';
import { filesIn } from './source-tree.js';

/** A variable, because a literal in an import would make this suite an integration test. */
const SERVICES = '../support/services.js';
const { unit, integration }: { unit: string[]; integration: string[] } = suitesOf(root);

test('every suite belongs to one project', () => {
  const all = filesIn(['test'], /\.test\.ts$/).map(({ path }) => path);
  expect([...unit, ...integration].sort()).toEqual(all.sort());
  expect(unit.length).toBeGreaterThan(100);
  expect(integration.length).toBeGreaterThan(100);
});

test('every named suite exists, and a long suite is named only if nothing else makes it an integration test', () => {
  expect([...serverSetUp, ...longSuites].filter((path: string) => !existsSync(join(root, path)))).toEqual([]);
  const alsoServer = suitesOf(root, { long: [] }).integration;
  expect(longSuites.filter((path: string) => alsoServer.includes(path))).toEqual([]);
});

test('no other file of the tests looks for a server or the browser, or starts one', () => {
  const asking =
    /process\.env(\.|\[')(MONGODB_URI|REDIS_URL|MONGOD_BIN|REDIS_SERVER_BIN|CHROMIUM_PATH)\b|from '.*\/setup\/servers\.mjs'/;
  const suites = filesIn(['test'], /\.ts$/).filter(({ text }) => asking.test(text));
  expect(suites.map(({ path }) => path).filter((path) => !serverSetUp.includes(path))).toEqual([]);
});

test('only suites make hooks and tests: a module beside them is loaded once for all suites of a thread', () => {
  const made = /^(beforeAll|beforeEach|afterEach|afterAll|describe|test|it)\b/m;
  const modules = filesIn(['test'], /\.ts$/).filter(({ path }) => !path.endsWith('.test.ts'));
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter(({ text }) => made.test(text)).map(({ path }) => path)).toEqual([]);
});

test('every suite has the same time limit, longer than any wait', () => {
  expect(testTimeout).toBeGreaterThan(2 * PATIENCE_MS);
  expect(jestConfig.projects.map(({ setupFiles }: { setupFiles: string[] }) => setupFiles)).toEqual(
    jestConfig.projects.map(() => ['<rootDir>/scripts/setup/test-process.mjs']),
  );
});

describe('a suite', () => {
  let folder: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-suites-'));
    write('test/support/services.ts', '');
    write(
      'test/support/gateway.ts',
      `import { createApp } from '../../api/app.js';\nimport { x } from './services.js';`,
    );
    write('test/support/bodies.ts', `import { other } from '../a/bodies.js';`);
    write('test/a/bodies.ts', `import { one } from '../support/bodies.js';`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['imports one', `import { x } from '../support/services.js';`],
    ['imports one by another file', `import {\n  type A,\n  startGateway,\n} from '../support/gateway.js';`],
    ['imports one for its effect', `import '../support/services.js';`],
    ['loads one later', `const { x } = await import('${SERVICES}');`],
    ['hands one on', `export { x } from '../support/services.js';`],
  ])('that %s is not a unit test', (_, text) => {
    write('test/a/one.test.ts', text);
    expect(suitesOf(folder)).toEqual({ unit: [], integration: ['test/a/one.test.ts'] });
  });

  test.each([
    ['imports nothing of the kind', `import { one } from './bodies.js';\nimport fc from 'fast-check';`],
    ['knows a type of it', `import type { TestGateway } from '../support/gateway.js';`],
  ])('that %s is a unit test', (_, text) => {
    write('test/a/one.test.ts', text);
    expect(suitesOf(folder)).toEqual({ unit: ['test/a/one.test.ts'], integration: [] });
  });

  test('that takes long is not a unit test', () => {
    write('test/a/one.test.ts', '');
    expect(suitesOf(folder, { long: ['test/a/one.test.ts'] }).integration).toEqual(['test/a/one.test.ts']);
  });
});

test.each([
  [1, 8, 3],
  [2, 8, 4],
  [4, 16, 6],
  [4, 7, 4],
  [32, 16, 10],
  [2, 1, 2],
])('%i processors and %i GB run %i suites at once', (processors, gigabytes, workers) => {
  expect(workersFor(processors, gigabytes * 2 ** 30)).toBe(workers);
});
