/** `npm run release` in a repository of its own: when it is refused, and what a release consists of. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeRelease } from '../../scripts/release/make-release.mjs';
import { datedChangelog, nextVersion } from '../../scripts/release/plan-release.mjs';
import { gitEnvironment, gitIn } from './git-in.js';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n- Links.\n\n## 0.0.9 - 2026-01-01\n\n### Added\n- All.\n';

test.each([
  ['patch', '1.2.4'],
  ['minor', '1.3.0'],
  ['major', '2.0.0'],
  ['1.10.0', '1.10.0'],
  ['1.2.3', '1.2.3'],
])('after 1.2.3 the version %s is %s', (wanted, version) =>
  expect(nextVersion({ current: '1.2.3', wanted, tags: ['v1.2.2'] })).toBe(version),
);

test.each([
  [undefined, /Which version\?/],
  ['1.2.2', /is not later than 1\.2\.3/],
  ['0.9.9', /is not later than 1\.2\.3/],
  ['2.0', /is not a version/],
  ['v2.0.0', /is not a version/],
  ['2.0.0-rc.1', /is not a version/],
  ['minor', /1\.3\.0 is released already/],
])('the version %s is refused', (wanted, problem) =>
  expect(() => nextVersion({ current: '1.2.3', wanted, tags: ['v1.3.0'] })).toThrow(problem),
);

test('the unreleased section gets the version and the day, below a new empty section', () => {
  const { changelog, notes } = datedChangelog(CHANGELOG, '0.1.0', '2026-02-03');
  expect(notes).toBe('### Added\n- Links.');
  expect(changelog).toBe(CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.1.0 - 2026-02-03\n'));
  expect(() => datedChangelog(changelog, '0.2.0', '2026-02-04')).toThrow(/nothing to release/);
  expect(() => datedChangelog('# Changelog\n', '0.2.0', '2026-02-04')).toThrow(/no section/);
});

describe('a release', () => {
  let folder: string;
  let git: ReturnType<typeof gitIn>;
  const own = { ...process.env };
  const printed: string[] = [];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const release = (more: Record<string, unknown> = {}) =>
    makeRelease({
      root: folder,
      wanted: '0.1.0',
      dryRun: false,
      now: new Date('2026-02-03T23:00:00Z'),
      isGreen: async () => true,
      print: (line: string) => printed.push(line),
      ...more,
    });
  /** Everything that a release could leave behind. */
  const state = () => [git('status', '--porcelain').stdout, git('log', '--format=%H').stdout, git('tag').stdout];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-release-'));
    git = gitIn(folder);
    Object.assign(process.env, gitEnvironment());
    printed.length = 0;
    const locked = { 'node_modules/x': { version: '1.0.0', license: 'MIT' } };
    const entry = { name: 'a-gateway', version: '0.1.0', dependencies: { x: '1.0.0' } };
    write('package.json', json(entry));
    write('package-lock.json', json({ ...entry, lockfileVersion: 3, packages: { '': entry, ...locked } }));
    write('config/version.ts', "/** Of this release. */\nexport const version = '0.1.0';\n");
    write('CHANGELOG.md', CHANGELOG);
    write('api/openapi.json', '{"paths": "new"}\n');
    write('docs/releases/openapi.json', '{"paths": "old"}\n');
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'feat: begin');
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, own);
    rmSync(folder, { recursive: true, force: true });
  });

  test('is one commit with version, notes, API and SBOM, and a tag with the notes', async () => {
    expect(await release({ wanted: 'minor' })).toBe('0.2.0');
    expect(state()).toEqual(['', expect.stringMatching(/^(\w{40}\n){2}$/), 'v0.2.0\n']);
    expect(git('log', '-1', '--format=%s').stdout).toBe('chore(release): 0.2.0\n');
    expect(git('tag', '--list', '--format=%(objecttype) %(contents)').stdout.trim()).toBe(
      'tag 0.2.0\n\n### Added\n- Links.',
    );
    expect(JSON.parse(read('package.json')).version).toBe('0.2.0');
    expect(read('config/version.ts')).toBe("/** Of this release. */\nexport const version = '0.2.0';\n");
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    });
    expect(read('CHANGELOG.md')).toContain('## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n- Links.\n');
    expect(read('docs/releases/openapi.json')).toBe('{"paths": "new"}\n');
    const { bomFormat, metadata, components } = JSON.parse(read('docs/releases/sbom.json'));
    expect([bomFormat, metadata.component.version]).toEqual(['CycloneDX', '0.2.0']);
    expect(components.map(({ name, version }: { name: string; version: string }) => [name, version])).toEqual([
      ['x', '1.0.0'],
    ]);
    expect(printed).toEqual([expect.stringContaining('Released 0.2.0')]);
  });

  test('may have the version of package.json if it is the first one, and that version only once', async () => {
    expect(await release()).toBe('0.1.0');
    await expect(release()).rejects.toThrow('0.1.0 is released already');
    write('CHANGELOG.md', read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- More.\n'));
    git('commit', '--quiet', '--all', '--message', 'docs: more');
    expect(await release({ wanted: 'patch' })).toBe('0.1.1');
    expect(git('tag').stdout).toBe('v0.1.0\nv0.1.1\n');
  });

  test('with --dry-run changes nothing, but runs the checks', async () => {
    const before = state();
    expect(await release({ dryRun: true })).toBe('0.1.0');
    expect(printed).toEqual([expect.stringMatching(/^Would release 0\.1\.0 .* the tag v0\.1\.0\.$/)]);
    await expect(release({ dryRun: true, isGreen: async () => false })).rejects.toThrow(/not green/);
    expect(state()).toEqual(before);
  });

  test.each([false, true])('is checked as it will be committed (dry run: %s)', async (dryRun) => {
    let seen = '';
    const isGreen = async () => {
      seen = read('config/version.ts') + read('CHANGELOG.md');
      return true;
    };
    await release({ wanted: 'minor', dryRun, isGreen });
    expect(seen).toContain("version = '0.2.0'");
    expect(seen).toContain('## 0.2.0 - 2026-02-03');
    expect(JSON.parse(read('package.json')).version).toBe(dryRun ? '0.1.0' : '0.2.0');
  });

  test.each([
    ['a red check', { isGreen: async () => false }, () => {}, /not green/],
    ['a changed file', {}, () => write('CHANGELOG.md', 'x'), /not committed:\nM CHANGELOG\.md/],
    ['a new file', {}, () => write('new.txt', 'x'), /not committed:\n\?\? new\.txt/],
    ['another branch', {}, () => git('switch', '--quiet', '--create', 'other'), /the branch other/],
    ['a checked-out commit', {}, () => git('switch', '--quiet', '--detach'), /no branch/],
    [
      'a check that adds a file',
      { isGreen: async () => write('x', 'x') === undefined },
      () => {},
      /not committed:\nx$/,
    ],
    [
      'a check that changes a file of the release',
      { isGreen: async () => write('package.json', '{}') === undefined },
      () => {},
      /not committed:\npackage\.json$/,
    ],
  ])('is refused with %s', async (_, more, change, problem) => {
    change();
    await expect(release(more)).rejects.toThrow(problem);
    expect(state().slice(1)).toEqual([expect.stringMatching(/^\w{40}\n$/), '']);
    expect(read('config/version.ts')).toContain("version = '0.1.0'");
    expect(git('diff', '--cached', '--name-only').stdout).toBe('');
  });

  test('that a git hook refuses leaves the files unchanged', async () => {
    write('.git/hooks/commit-msg', '#!/bin/sh\necho no >&2\nexit 1\n');
    chmodSync(join(folder, '.git/hooks/commit-msg'), 0o755);
    const before = state();
    await expect(release()).rejects.toThrow('`git commit` failed: no');
    expect(state()).toEqual(before);
    expect(read('CHANGELOG.md')).toBe(CHANGELOG);
  });
});
