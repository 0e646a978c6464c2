/**
 * The contents of the production image, without Docker: the COPY lines of the Dockerfile are done in a folder, its build is run there,
 * and the files of the last stage are listed. Programs of the sandbox, seeds and tests are not among them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';
import { readProcfile } from '../../scripts/setup/procfile.mjs';
import { textOf } from './source-tree.js';

interface Copy {
  /** Whether the files come from the stage before; otherwise from the checkout. */
  readonly built: boolean;
  readonly sources: readonly string[];
  readonly target: string;
}

/** Returns the COPY lines of each stage. */
function stagesOf(dockerfile: string): readonly (readonly Copy[])[] {
  const [, ...stages] = dockerfile.split(/^FROM /m);
  return stages.map((stage) =>
    [...stage.matchAll(/^COPY (--from=build )?(.+)$/gm)].map(([, built, paths = '']) => {
      const words = paths.split(' ');
      return { built: built !== undefined, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
    }),
  );
}

/** Copies like Docker: a target that ends in `/` is a folder to copy into, and a source folder is copied as its contents. */
function copyInto(folder: string, { sources, target }: Copy, from: string): void {
  for (const source of sources) {
    const path = source.replace(/^\/app\//, '');
    const to = target.endsWith('/') ? join(folder, target, basename(path)) : join(folder, target);
    cpSync(join(from, path), to, { recursive: true });
  }
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Imports that are loaded together with the file. */
const IMPORTED = /\b(?:import|from)"(\.[^"]+)"/g;

let folder: string;
let image: string;
let files: readonly string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-image-'));
  const [build, run] = [join(folder, 'build'), join(folder, 'image')];
  const [buildStage = [], runStage = []] = stagesOf(textOf('Dockerfile'));
  for (const copy of buildStage) copyInto(build, copy, root);
  symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
  const { build: script } = JSON.parse(readFileSync(join(build, 'package.json'), 'utf8')).scripts;
  expect(script).toMatch(/^node \S+$/);
  execFileSync(process.execPath, script.split(' ').slice(1), { cwd: build });
  for (const copy of runStage) copyInto(run, copy, copy.built ? build : root);
  image = run;
  files = filesOf(image);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image contains these folders and files, and nothing else', () => {
  const places = files.map((path) => {
    if (path.startsWith('dist/chunks/')) return 'dist/chunks';
    if (path.startsWith('node_modules/')) return path.split('/', 2).join('/');
    if (path.startsWith('api/pages/assets/')) return 'api/pages/assets';
    // Beside a program: the map to its sources, and the licences of its packages.
    return path.replace(/\.js\.(?:map|LEGAL\.txt)$/, '.js');
  });
  expect([...new Set(places)].sort()).toEqual([
    'LICENSE',
    'Procfile',
    'api/pages/assets',
    'config/threeds-providers.json',
    'dist/api/main.js',
    'dist/chunks',
    'dist/scripts/gateway/main.js',
    'dist/workers/run.js',
    'dist/workers/wallet/thread-main.js',
    'gateway',
    'node_modules/swagger-ui-dist',
    'package.json',
    'scripts/gateway.mjs',
    'scripts/setup/node-version.mjs',
    'scripts/where.mjs',
  ]);
});

const builtFiles = () => files.filter((path) => path.startsWith('dist/') && path.endsWith('.js'));

/** Returns the sources of a built file, as paths of the checkout. */
const sourcesOf = (path: string): string[] =>
  JSON.parse(readFileSync(join(image, `${path}.map`), 'utf8')).sources.map((source: string) =>
    join(dirname(path), source),
  );

test('the programs contain no test processor, seed or test', () => {
  const sources = builtFiles().flatMap(sourcesOf);
  expect(sources.filter((path) => !path.startsWith('node_modules/')).length).toBeGreaterThan(400);
  expect(
    sources.filter((path) =>
      /^(?!node_modules\/).*(?:simulator\/|seed|sandbox-logo|\.test\.)|^(?:test|bench)\//.test(path),
    ),
  ).toEqual([]);
});

/** Returns the program and the files that it loads before it runs. */
function loadedBy(program: string): string[] {
  const loaded = new Set([program]);
  for (const path of loaded) {
    const text = readFileSync(join(image, path), 'utf8');
    for (const [, from = ''] of text.matchAll(IMPORTED)) loaded.add(join(dirname(path), from));
  }
  return [...loaded];
}

test('only the testing endpoint has the forge of wallet tokens, and no program loads it at its start', () => {
  const forge = (path: string) => /\/forge\/(?:forge-wallet-[ab]|mint-token)\.ts$/.test(path);
  expect([...new Set(builtFiles().flatMap(sourcesOf).filter(forge).map(dirname))]).toEqual(['api/testing/forge']);
  for (const program of ['dist/api/main.js', 'dist/workers/run.js']) {
    const loaded = loadedBy(program);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.flatMap(sourcesOf).filter(forge)).toEqual([]);
  }
});

test('the image has each process of the Procfile', () => {
  const lines: { args: string[] }[] = readProcfile(image);
  const entries = lines.map(({ args }) => args.find((word) => !word.startsWith('-')) ?? '');
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.filter((entry: string) => !files.includes(entry))).toEqual([]);
});

test('the image has every file that its modules import', () => {
  const LATER = /\bimport\("(\.[^"]+)"\)|new URL\("(\.[^"]+\.js)"/g;
  const missing = builtFiles().flatMap((path) => {
    const text = readFileSync(join(image, path), 'utf8');
    return [...text.matchAll(IMPORTED), ...text.matchAll(LATER)]
      .map(([, ...found]) => join(dirname(path), found.find(Boolean) ?? ''))
      .filter((imported) => !existsSync(join(image, imported)))
      .map((imported) => `${path}: ${imported}`);
  });
  expect(missing).toEqual([]);
});

test('a position in a stack trace leads to its source', () => {
  const WANTED = 'function linkTo(';
  const path = builtFiles().find((file) => readFileSync(join(image, file), 'utf8').includes(WANTED)) ?? '';
  const before = readFileSync(join(image, path), 'utf8').split(WANTED)[0]?.split('\n') ?? [];
  const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const line = JSON.stringify({
    stack: `Error: no\n    at linkTo (file:///app/${place})\n    at file:///dist/other.js:1:2`,
  });
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/where.mjs'], {
    cwd: image,
    encoding: 'utf8',
    input: line,
  });
  expect(stderr).toBe('');
  const declared = textOf('shared/store/audit-chain.ts').split(WANTED)[0]?.split('\n').length;
  expect(stdout).toBe(`${line.replace(place, `shared/store/audit-chain.ts:${declared}:8`)}\n`);
});

test('V8 keeps the text of the programs in one byte per character', () => {
  const beyondLatin1 = builtFiles().filter((path) => /[^\0-\xff]/.test(readFileSync(join(image, path), 'utf8')));
  expect(beyondLatin1).toEqual([]);
});

test('all chunks can be loaded in the image, which has no packages', () => {
  const chunks = builtFiles().filter((path) => path.startsWith('dist/chunks/'));
  const script = `for (const path of ${JSON.stringify(chunks)}) await import('./' + path); console.log('loaded');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: image,
    encoding: 'utf8',
    env: {},
  });
  expect([stdout, stderr]).toEqual(['loaded\n', '']);
});

test('the command line of the operator runs in the image', () => {
  const { status, stdout } = spawnSync(join(image, 'gateway'), ['--help'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('merchants')]);
});

test('COPY lines are read as Docker reads them', () => {
  expect(stagesOf('FROM a AS build\nCOPY x y ./\nFROM b\nCOPY --from=build /app/dist ./dist\n')).toEqual([
    [{ built: false, sources: ['x', 'y'], target: './' }],
    [{ built: true, sources: ['/app/dist'], target: './dist' }],
  ]);
});
