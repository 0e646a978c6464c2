import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';

/** With fewer modules the cruiser did not see the tree: it has parsed nothing before and then found nothing wrong. */
const MODULES_MIN = 100;
const FOLDERS = ['api', 'workers', 'shared', 'config', 'scripts', 'test'];
const CRUISER = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const CONFIG = join(root, '.dependency-cruiser.cjs');

interface Cruise {
  readonly modules: { readonly source: string }[];
  readonly summary: { readonly violations: { readonly rule: { readonly name: string }; readonly from: string }[] };
}

/** Runs the cruiser. It exits with the number of violations, so only its report counts. */
function cruise(cwd: string, folders: readonly string[]): Promise<Cruise> {
  const args = [CRUISER, '--config', CONFIG, '--output-type', 'json', ...folders];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(stderr));
      }
    });
  });
}

const violationsOf = ({ summary }: Cruise) => summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);

test('the tree keeps the direction of dependencies', async () => {
  const result = await cruise(root, FOLDERS);
  const own = result.modules.filter(({ source }) => FOLDERS.some((folder) => source.startsWith(`${folder}/`)));
  expect(own.length).toBeGreaterThan(MODULES_MIN);
  expect(violationsOf(result)).toEqual([]);
});

describe('a planted violation is found', () => {
  let folder: string;
  let found: string[];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  /** Path of a file that breaks a rule, the path that it imports, and the name of the rule. */
  const planted = [
    ['api/tier.ts', '../workers/processor/processor-pool.js', 'tiers-do-not-meet'],
    ['workers/expiry/pool.ts', '../processor/processor-pool.js', 'pools-do-not-meet'],
    ['shared/up.ts', '../api/fine.js', 'shared-stands-below'],
    ['shared/script.ts', '../scripts/seed.js', 'shared-stands-below'],
    ['config/up.ts', '../shared/fine.js', 'config-stands-alone'],
    ['api/tested.ts', '../test/support.js', 'product-imports-no-test-or-script'],
    ['api/sandbox.ts', '../scripts/sandbox/simulator.js', 'product-imports-no-test-or-script'],
    ['workers/processor/sandbox.ts', '../../scripts/sandbox/simulator.js', 'product-imports-no-test-or-script'],
    ['shared/sandbox.ts', '../scripts/sandbox/simulator.js', 'shared-stands-below'],
    ['shared/domain/config.ts', '../../config/fine.js', 'domain-is-pure'],
    ['shared/domain/library.ts', 'express', 'domain-imports-pure-libraries'],
    ['shared/domain/io.ts', 'node:fs', 'domain-does-no-io'],
    ['api/database.ts', 'mongoose', 'mongoose-in-store'],
    ['workers/processor/queue.ts', 'bullmq', 'bullmq-in-queue'],
    ['shared/http.ts', 'express', 'express-in-api'],
    ['api/adapter.ts', '../shared/processors/sandbox/adapter.js', 'api-knows-no-adapter'],
    ['shared/nowhere.ts', './not-there.js', 'no-unresolvable'],
    ['shared/ring-a.ts', './ring-b.js', 'no-cycles'],
  ] as const;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rules-'));
    write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'NodeNext', moduleResolution: 'NodeNext' } }));
    write(
      'package.json',
      JSON.stringify({ type: 'module', dependencies: { express: '1', mongoose: '1', bullmq: '1' } }),
    );
    for (const name of ['express', 'mongoose', 'bullmq']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
      write(`node_modules/${name}/index.js`, '');
    }
    const innocent = [
      'workers/processor/processor-pool',
      'api/fine',
      'scripts/seed',
      'scripts/sandbox/simulator',
      'shared/fine',
      'config/fine',
      'test/support',
    ];
    for (const path of [...innocent, 'shared/processors/sandbox/adapter']) write(`${path}.ts`, 'export const x = 1;');
    write('shared/ring-b.ts', `import './ring-a.js';`);
    write('shared/store/database.ts', `import 'mongoose';`);
    write('shared/queue/redis.ts', `import 'bullmq';`);
    for (const [path, imported] of planted) write(path, `import '${imported}';`);
    found = violationsOf(await cruise(folder, FOLDERS));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(planted)('%s importing %s breaks %s', (path, _, rule) => {
    expect(found).toContain(`${rule}: ${path}`);
  });

  test('allowed imports are not violations', () => {
    const guilty = new Set([...planted.map(([path]) => path as string), 'shared/ring-b.ts']);
    expect(found.filter((line) => !guilty.has(line.split(': ')[1] ?? ''))).toEqual([]);
  });
});
