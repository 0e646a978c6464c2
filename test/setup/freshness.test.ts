import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOfOutput, digestOfSources, isBuilt } from '../../scripts/setup/build.mjs';
import { brokenFiles, isInstalled } from '../../scripts/setup/packages.mjs';

describe('packages', () => {
  const wanted = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/express': { version: '5.3.0' },
      'node_modules/@swc/core-darwin-arm64': { version: '1.0.0', optional: true },
    },
  };

  test('are installed if every version is present; builds for other machines may be missing', () => {
    expect(isInstalled(wanted, { packages: { 'node_modules/express': { version: '5.3.0' } } })).toBe(true);
  });

  test.each([
    ['nothing is installed, or an installation was broken off', undefined],
    ['npm wrote an empty list', {}],
    ['one is missing', { packages: {} }],
    ['one has another version', { packages: { 'node_modules/express': { version: '5.2.0' } } }],
    [
      'an optional one has another version',
      {
        packages: {
          'node_modules/express': { version: '5.3.0' },
          'node_modules/@swc/core-darwin-arm64': { version: '0.9.0' },
        },
      },
    ],
  ])('are installed again when %s', (_, installed) => {
    expect(isInstalled(wanted, installed)).toBe(false);
  });
});

test('npm has not installed if it warned about files cut short by a full disk', () => {
  const warning = 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write';
  expect(brokenFiles(`npm warn deprecated x\n${warning}\n`)).toBe(warning);
  expect(brokenFiles('npm warn deprecated x\nadded 500 packages\n')).toBeUndefined();
});

describe('build', () => {
  let root: string;
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  /** Writes the stamp of a finished build. */
  const stamp = () =>
    write(
      'dist/.stamp.json',
      JSON.stringify({ sources: digestOfSources(root), output: digestOfOutput(join(root, 'dist')) }),
    );

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    write('tsconfig.build.json', '{ "include": ["api", "missing"] }');
    write('api/main.ts', 'export {};');
    write('api/README.md', 'text');
    write('dist/api/main.js', 'export {};');
    stamp();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('is not needed if nothing changed but times and files that are not built', () => {
    utimesSync(join(root, 'api/main.ts'), 1, 1);
    write('api/README.md', 'another text');
    expect(isBuilt(root)).toBe(true);
  });

  test.each([
    ['a source changed', () => write('api/main.ts', 'export const x = 1;')],
    ['a source was added', () => write('api/deep/new.ts', '')],
    ['a source was removed', () => rmSync(join(root, 'api/main.ts'))],
    ['data that is built in changed', () => write('api/cards.json', '[]')],
    ['it is set otherwise', () => write('tsconfig.json', '{}')],
    ['it is another one', () => write('scripts/bundle.mjs', '')],
    ['there was no build, or it was broken off', () => rmSync(join(root, 'dist/.stamp.json'))],
    ['dist is gone', () => rmSync(join(root, 'dist'), { recursive: true })],
    ['a file of dist is gone', () => rmSync(join(root, 'dist/api/main.js'))],
    ['another process wrote to dist', () => write('dist/api/main.js', 'export const other = 1;')],
  ])('is needed when %s', (_, change) => {
    change();
    expect(isBuilt(root)).toBe(false);
  });
});
