/** `npm run new:processor`: its files pass every check in a copy of the project, and it overwrites nothing. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { makeProcessor } from '../../scripts/new-processor/make-processor.mjs';
import { namesOf } from '../../scripts/new-processor/processor-names.mjs';
import { jestArguments } from '../../scripts/setup/jest.mjs';
import { root } from '../../scripts/setup/paths.mjs';

/** A code that no processor has. */
const CODE = 'example-of-tests';
const LISTS = ['shared/processors/registry.ts', 'config/processor-settings.ts'];
const SKIPPED = new Set(['node_modules', '.git', '.local', 'dist', 'coverage']);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-processor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const filesBelow = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));

describe('a code', () => {
  test('consists of lowercase words, from which all names follow', () => {
    expect(namesOf('acme-bank2')).toEqual({
      code: 'acme-bank2',
      Pascal: 'AcmeBank2',
      camel: 'acmeBank2',
      CONSTANT: 'ACME_BANK2',
    });
  });

  test.each([
    undefined,
    '',
    'a',
    'Acme',
    'acme_bank',
    '2acme',
    '-acme',
    'acme-',
    'a--b',
    '../acme',
    'acme bank',
    'a'.repeat(33),
  ])('%p is refused', (code) => expect(() => namesOf(code)).toThrow(/For example/));

  test('is refused if it says nothing about the processor', () =>
    expect(() => namesOf('payment-service')).toThrow(/says nothing/));
});

describe('in a project with only the lists', () => {
  const make = (code: string, derive: () => void = () => undefined) =>
    makeProcessor({ root: folder, code, derive, print: () => undefined });

  beforeEach(() => {
    for (const path of [...LISTS, 'config/schema.ts']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(root, path), join(folder, path));
    }
  });

  /** Returns why the processor is refused, and checks that no file has changed. */
  const refusal = (code: string, derive?: () => void): string => {
    const contents = () =>
      filesBelow(folder)
        .sort()
        .map((path) => [path, readFileSync(join(folder, path), 'utf8')]);
    const before = contents();
    let printed = '';
    try {
      make(code, derive);
    } catch (error) {
      printed = (error as Error).message;
    }
    expect(contents()).toEqual(before);
    return printed;
  };

  test('an existing processor and an existing setting are refused', () => {
    expect(refusal('sandbox')).toMatch(/There is a processor sandbox already/);
    expect(refusal('sandbox-lagging')).toMatch(/There is a processor sandbox-lagging already/);
    expect(refusal('redis')).toMatch(/REDIS_URL is another setting already/);
  });

  test.each([
    `shared/processors/${CODE}/notes.md`,
    `test/conformance/${CODE}.test.ts`,
    `test/processors/${CODE}/${CODE}-server.ts`,
  ])('%s is not overwritten', (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'mine');
    expect(refusal(CODE)).toMatch(/is there already, and nothing is overwritten/);
  });

  test('a processor that cannot be finished leaves nothing behind', () => {
    const fail = () => {
      expect(existsSync(join(folder, `shared/processors/${CODE}/wire.ts`))).toBe(true);
      throw new Error('the formatter failed');
    };
    expect(refusal(CODE, fail)).toBe('the formatter failed');
  });

  test('a list that was rearranged is reported, and nothing is made', () => {
    writeFileSync(join(folder, LISTS[0] ?? ''), 'export const adapters = {};\n');
    expect(refusal(CODE)).toMatch(/registry\.ts has not one line .*: enter it by hand/);
  });

  test('several processors can be made one after the other', () => {
    make(CODE);
    make('another-example');
    expect(refusal(CODE)).toMatch(/There is a processor example-of-tests already/);
    const [registry = '', settings = ''] = LISTS.map((path) => readFileSync(join(folder, path), 'utf8'));
    for (const name of ['exampleOfTests', 'anotherExample']) {
      expect(registry).toContain(`${name}ApiKey: apiKey`);
      expect(settings).toContain(`${name}ApiKey: {`);
    }
  });
});

/** A suite that checks bodies for credentials that merchants may get later: a processor shows and stores its bodies. */
const bodiesTest = `
import { text } from 'node:stream/consumers';
import { createExampleOfTestsProcessor } from '../../shared/processors/${CODE}/create-${CODE}-processor.js';
import { keepingLog } from '../processors/keeping-log.js';
import { authorizeRequest } from '../processors/port-requests.js';
import { startPeer } from './http-peers.js';

test('bodies have the merchant without its credentials', async () => {
  const bodies: string[] = [];
  const peer = await startPeer(async (request, response) => {
    bodies.push(await text(request));
    response.end('{}');
  });
  const options = { baseUrl: peer.url, apiKey: 'key', timeoutMs: 2_000, log: keepingLog() };
  const processor = createExampleOfTestsProcessor(options);
  const merchant = { id: 1, name: 'Casa Lumbre', credentials: { apiKey: 'secret-of-the-merchant' } };
  await processor.authorize(authorizeRequest('4242424242424242', { merchant }));
  await processor.close();
  await peer.close();
  expect(bodies).toEqual([expect.stringContaining('Casa Lumbre')]);
  expect(bodies.join()).not.toContain('secret-of-the-merchant');
});
`;

describe('a new processor in a copy of the project', () => {
  let copy: string;
  const run = (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, NO_COLOR: '1' },
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  };
  const succeeds = (args: readonly string[]) => {
    const { status, output } = run(args);
    if (status !== 0) throw new Error(`${args.join(' ')}: ${output}`);
    return output;
  };

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'gateway-processor-copy-'));
    cpSync(root, copy, {
      recursive: true,
      filter: (path) => !SKIPPED.has(path.slice(root.length + 1).split('/')[0] ?? ''),
    });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    expect(succeeds(['scripts/new-processor.mjs', CODE])).toContain(
      `npm run test:unit -- test/conformance/${CODE}.test.ts`,
    );
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test.each([
    ['biome', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.']],
    ['the compiler', ['node_modules/typescript7/bin/tsc', '--noEmit', '-p', '.']],
    ['knip', ['node_modules/knip/bin/knip.js']],
  ])('%s has no complaint', (_name, args) => void succeeds(args));

  test('it conforms, and the guards accept it', () => {
    writeFileSync(join(copy, 'test/conformance/bodies.test.ts'), bodiesTest);
    const suites = [
      `conformance/${CODE}`,
      'conformance/bodies',
      'processors/registry',
      'guards/files',
      'guards/lists',
      'guards/openapi.test',
      'guards/links',
      'config/readers',
      'merchants/payment-methods',
    ];
    const report = succeeds(jestArguments(['-i', ...suites.map((suite) => `test/${suite}`)]));
    expect(report).toMatch(/Test Suites: 9 passed, 9 total/);
  });

  test('it is not made twice', () => {
    const again = run(['scripts/new-processor.mjs', CODE]);
    expect([again.status, again.output]).toEqual([1, expect.stringContaining('already')]);
  });

  test('its mock answers', async () => {
    const standIn = spawn(process.execPath, ['--import', 'tsx', 'scripts/mock-processor.mjs', CODE], {
      cwd: copy,
      env: { ...process.env, MOCK_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [printed] = (await once(standIn.stdout, 'data')) as [Buffer];
      const url = /http:\S+\/books/.exec(printed.toString())?.[0] ?? '';
      expect(await (await fetch(url)).json()).toEqual([]);
    } finally {
      standIn.kill();
      await once(standIn, 'exit');
    }
  });
});
