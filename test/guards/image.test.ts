/**
 * What the Dockerfile puts into the image of production, without Docker: its COPY lines are done in a folder, its build is run there,
 * and what is left for the last stage is listed. Programs of the sandbox, seeds and tests are not there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';
import { readProcfile } from '../../scripts/setup/procfile.mjs';
import { textOf } from './source-tree.js';

const TSC = join(root, 'node_modules/typescript/bin/tsc');

interface Copy {
  /** Of the stage before; otherwise of the checkout. */
  readonly built: boolean;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The COPY lines of each stage. */
function stagesOf(dockerfile: string): readonly (readonly Copy[])[] {
  const [, ...stages] = dockerfile.split(/^FROM /m);
  return stages.map((stage) =>
    [...stage.matchAll(/^COPY (--from=build )?(.+)$/gm)].map(([, built, paths = '']) => {
      const words = paths.split(' ');
      return { built: built !== undefined, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
    }),
  );
}

/** A target that ends in `/` is a folder to copy into; a folder that is copied is copied as what it holds. */
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
  expect(script).toMatch(/^tsc -p \S+$/);
  execFileSync(process.execPath, [TSC, ...script.split(' ').slice(1)], { cwd: build });
  for (const copy of runStage) copyInto(run, copy, copy.built ? build : root);
  image = run;
  files = filesOf(image);
  symlinkSync(join(root, 'node_modules'), join(image, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image holds these folders and files, and nothing else', () => {
  const places = files.map((path) => {
    const [top = '', ...rest] = path.split('/');
    if (top === 'dist') return ['dist', ...rest.slice(0, rest[0] === 'scripts' ? 2 : 1)].join('/');
    return path.startsWith('api/pages/assets/') ? 'api/pages/assets' : path;
  });
  expect([...new Set(places)].sort()).toEqual([
    '.npmrc',
    'LICENSE',
    'Procfile',
    'api/pages/assets',
    'config/threeds-providers.json',
    'dist/api',
    'dist/config',
    'dist/scripts/gateway',
    'dist/scripts/provisioning',
    'dist/shared',
    'dist/workers',
    'gateway',
    'package-lock.json',
    'package.json',
    'scripts/gateway.mjs',
    'scripts/setup/node-version.mjs',
  ]);
});

test('no test processor, seed or test is among them', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(
    files.filter((path) => /simulator\/|seed|sandbox-logo|\.test\.|^(?:dist\/)?(?:test|bench)\//.test(path)),
  ).toEqual([]);
});

test('the forge of wallet tokens belongs to the testing endpoint, and the API loads it where it mints', () => {
  const forge = files.filter((path) => /\/forge\/.*\.js$/.test(path));
  expect([...new Set(forge.map(dirname))]).toEqual(['dist/api/testing/forge']);
  const LOADED_AT_ONCE = /\bfrom '[^']*\/(?:forge-wallet-[ab]|mint-token)\.js'/;
  const importing = files.filter(
    (path) =>
      /^dist\/(?:api|workers|shared)\/.*\.js$/.test(path) &&
      LOADED_AT_ONCE.test(readFileSync(join(image, path), 'utf8')),
  );
  expect(importing).toEqual(['dist/api/testing/forge/mint-token.js']);
});

test('each process of the Procfile is there', () => {
  const lines: { args: string[] }[] = readProcfile(image);
  const entries = lines.map(({ args }) => args.find((word) => !word.startsWith('-')) ?? '');
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.filter((entry: string) => !files.includes(entry))).toEqual([]);
});

test('whatever its modules import is there too', () => {
  const IMPORTED = /\bfrom '(\.[^']+)'|^import '(\.[^']+)'|\bimport\(\s*'(\.[^']+)'|new URL\('(\.[^']+\.js)'/gm;
  const missing = files
    .filter((path) => path.startsWith('dist/') && path.endsWith('.js'))
    .flatMap((path) =>
      [...readFileSync(join(image, path), 'utf8').matchAll(IMPORTED)]
        .map(([, ...found]) => join(dirname(path), found.find(Boolean) ?? ''))
        .filter((imported) => !existsSync(join(image, imported)))
        .map((imported) => `${path}: ${imported}`),
    );
  expect(missing).toEqual([]);
});

test('the command line of the operator runs there', () => {
  const { status, stdout } = spawnSync(join(image, 'gateway'), ['--help'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('merchants')]);
});

test('COPY lines are read as Docker reads them', () => {
  expect(stagesOf('FROM a AS build\nCOPY x y ./\nFROM b\nCOPY --from=build /app/dist ./dist\n')).toEqual([
    [{ built: false, sources: ['x', 'y'], target: './' }],
    [{ built: true, sources: ['/app/dist'], target: './dist' }],
  ]);
});
