import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planRelease } from '../../scripts/setup/obtain-release.mjs';
import { gitIn } from './git-in.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'release-'));
  git('init', '--quiet', '--initial-branch', 'main');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = gitIn(root)(...args);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

function commit(path: string, message = path): string {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), path);
  git('add', '.');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}
const FIRST_OF_NEXT = 'shared/store/schema-version.ts';

test('the last release is the newest tag', () => {
  const released = commit('a');
  git('tag', 'v1.0.0');
  commit(FIRST_OF_NEXT);
  commit('b');
  expect(planRelease(root)).toBe(released);
});

test('without a tag, the last release is the newest commit that made one', () => {
  commit(FIRST_OF_NEXT, 'chore(release): 1.0.0');
  const released = commit('a', 'chore(release): 1.1.0');
  commit('b', 'fix: undo chore(release): 1.1.0');
  expect(planRelease(root)).toBe(released);
});

test('without a release, it is the last commit before documents had a schema version', () => {
  commit('a');
  const before = commit('b');
  commit(FIRST_OF_NEXT);
  commit('c');
  expect(planRelease(root)).toBe(before);
});

test('there is no last release if the history is too short or missing', () => {
  commit(FIRST_OF_NEXT);
  expect(planRelease(root)).toBeUndefined();
  rmSync(join(root, '.git'), { recursive: true });
  expect(planRelease(root)).toBeUndefined();
});

test('a wanted release is used, and must exist', () => {
  const wanted = commit('a');
  git('tag', 'beta');
  commit('b');
  expect(planRelease(root, 'beta')).toBe(wanted);
  expect(() => planRelease(root, 'v9')).toThrow('This checkout has no v9.');
});
