/** The rule for commit messages: on its own, as the hook of a clone, and for the commits of a branch. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageProblem, subjectProblem } from '../../scripts/setup/commit-subject.mjs';
import { useGitHooks } from '../../scripts/setup/git-hooks.mjs';
import { root } from '../../scripts/setup/paths.mjs';
import { gitEnvironment, gitIn } from './git-in.js';

const LONGEST = `fix(links): ${'x'.repeat(60)}`;

test.each([
  'fix(links): expire unused link sessions after a day',
  'feat(payment-links)!: require an amount',
  'docs: say what a link costs',
  'ci: pin the actions',
  LONGEST,
  `Merge branch 'links' into ${'a-very-long-name'.repeat(6)}`,
  'Revert "fix(links): expire unused link sessions after a day, and say so on the page"',
  'fixup! fix(links): expire unused link sessions after a day',
])('%s is a valid subject', (subject) => expect(subjectProblem(subject)).toBeUndefined());

test.each([
  [`${LONGEST}y`, /has 73 characters: at most 72/],
  ['fixed the links', /is not `type\(scope\)/],
  ['feature(links): expire', /is not `type\(scope\)/],
  ['fix(Links): expire', /is not `type\(scope\)/],
  ['fix(links):expire', /is not `type\(scope\)/],
  ['fix(links): ', /is not `type\(scope\)/],
  ['fix(links): expire.', /ends in a full stop/],
])('%s is refused', (subject, problem) => expect(subjectProblem(subject)).toMatch(problem));

test('a commit that is still to be squashed is not ready to merge', () => {
  expect(subjectProblem('fixup! fix(links): expire', { final: true })).toMatch(/autosquash/);
});

test('a message is checked without git comments, and a blank line must follow its subject', () => {
  const comments = '# Please enter the commit message\n#\n# On branch main\n';
  expect(messageProblem(`fix: expire\n\nBecause of this.\n${comments}`)).toBeUndefined();
  expect(messageProblem(`\nfix: expire\n# ------------------------ >8 ------------------------\ndiff`)).toBeUndefined();
  expect(messageProblem(comments)).toBeUndefined();
  expect(messageProblem(`${comments}fixed it`)).toMatch(/is not/);
  expect(messageProblem('fix: expire\nBecause of this.')).toMatch(/not blank/);
});

describe('in a clone', () => {
  let folder: string;
  let git: ReturnType<typeof gitIn>;
  const environment = gitEnvironment();
  const commit = (...args: string[]) => git('commit', '--quiet', '--allow-empty', ...args);
  const hooksPath = () => git('config', '--get', 'core.hooksPath').stdout.trim();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-clone-'));
    git = gitIn(folder);
    git('init', '--quiet', '--initial-branch=main');
    for (const path of ['.githooks', 'scripts/commits.mjs', 'scripts/setup']) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('the hook refuses a wrong subject with a reason, and accepts a correct one', () => {
    expect(useGitHooks(folder, environment)).toBe('on');
    expect(hooksPath()).toBe('.githooks');
    const refused = commit('--message', 'fixed the links');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('The subject of this commit is not')]);
    expect(commit('--message', 'fix(links): expire').stderr).toBe('');
    expect(git('log', '--format=%s').stdout.trim()).toBe('fix(links): expire');
  });

  test('the hook accepts a merge, and works in a subfolder', () => {
    useGitHooks(folder, environment);
    commit('--message', 'feat: begin');
    git('switch', '--quiet', '--create', 'other');
    commit('--message', 'feat: go on');
    git('switch', '--quiet', 'main');
    expect(git('merge', '--quiet', '--no-ff', 'other').status).toBe(0);
    mkdirSync(join(folder, 'below'));
    expect(gitIn(join(folder, 'below'))('commit', '--allow-empty', '--message', 'no').status).toBe(1);
  });

  test.each([
    ['in CI', { CI: 'true' }, 'not in CI'],
    ['in production', { NODE_ENV: 'production' }, 'not in production'],
    ['without git', { PATH: '/nowhere' }, 'no git'],
  ])('%s the hooks stay off', (_, more, answer) => {
    expect(useGitHooks(folder, { ...environment, ...more })).toBe(answer);
    expect(hooksPath()).toBe('');
  });

  test('an unpacked archive inside another repository does not change that repository', () => {
    mkdirSync(join(folder, 'archive'));
    expect(useGitHooks(join(folder, 'archive'), environment)).toBe('no clone');
    expect(hooksPath()).toBe('');
  });

  test('existing hooks are kept', () => {
    git('config', 'core.hooksPath', 'elsewhere');
    expect(useGitHooks(folder, environment)).toBe('core.hooksPath is elsewhere already');
    git('config', '--unset', 'core.hooksPath');
    writeFileSync(join(folder, '.git/hooks/pre-push'), '#!/bin/sh\n');
    chmodSync(join(folder, '.git/hooks/pre-push'), 0o755);
    expect(useGitHooks(folder, environment)).toBe('hooks of its own');
    expect(hooksPath()).toBe('');
  });

  test('`npm run commits` checks the commits since a base, without merges and older commits', () => {
    const since = (...args: string[]) =>
      spawnSync(process.execPath, ['scripts/commits.mjs', ...args], {
        cwd: folder,
        env: environment,
        encoding: 'utf8',
      });
    commit('--message', 'an old one');
    git('tag', 'base');
    git('switch', '--quiet', '--create', 'other');
    commit('--message', 'fix(links): expire');
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', '--message', 'Taken over', 'other');
    expect(since('base')).toMatchObject({ status: 0, stdout: '1 commits since base, 0 to reword.\n' });
    commit('--message', 'fixup! fix(links): expire');
    commit('--message', LONGEST.repeat(2));
    const { status, stdout, stderr } = since('base');
    expect([status, stdout]).toEqual([1, '3 commits since base, 2 to reword.\n']);
    expect(stderr).toMatch(/^[0-9a-f]{7,} "fix\(links\): x+fix\(links\): x+" has 144 characters/m);
    expect(stderr).toMatch(/"fixup! .*" is still to be squashed/);
    expect(since('not-there')).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be read') });
    expect(since('--output=x')).toMatchObject({ status: 1 });
    expect(since()).toMatchObject({ status: 2 });
  });
});
