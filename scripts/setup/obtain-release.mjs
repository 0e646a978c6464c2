/** Obtains an earlier release of the gateway from the history of this checkout, built in a folder of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { local } from './paths.mjs';
import { Problem } from './problem.mjs';

/** The commit of a release, by which it is found where its tag was not fetched. */
const RELEASED = '^chore\\(release\\): [0-9]';
/** Where the history has no release either, the last one is what was there before documents had a schema version. */
const FIRST_OF_NEXT = 'shared/store/schema-version.ts';
const ARCHIVE_BYTES_MAX = 268_435_456;

/** @param {string} root @param {readonly string[]} args @returns {string | undefined} output of git; undefined when it fails or is empty */
function git(root, args) {
  const { status, stdout } = spawnSync('git', [...args], { cwd: root, encoding: 'utf8' });
  return status === 0 && stdout.trim() ? stdout.trim() : undefined;
}

/**
 * Finds the commit of the last release.
 * @param {string} root
 * @param {string} [wanted] a tag, branch or commit
 * @returns {string | undefined} undefined: the history does not reach that far back
 * @throws {Problem} when `wanted` does not exist
 */
export function planRelease(root, wanted) {
  const commitOf = (/** @type {string} */ name) => git(root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  if (wanted !== undefined) {
    const commit = commitOf(wanted);
    if (!commit) throw new Problem(`This checkout has no ${wanted}.`);
    return commit;
  }
  const tag = git(root, ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD']);
  if (tag) return commitOf(tag);
  const released = git(root, ['log', '--extended-regexp', `--grep=${RELEASED}`, '--max-count=1', '--format=%H']);
  if (released) return released;
  const added = git(root, ['log', '--diff-filter=A', '--format=%H', '--', FIRST_OF_NEXT])?.split('\n').at(-1);
  return added && commitOf(`${added}^`);
}

/**
 * Builds the release once. It runs with the packages of this checkout.
 * @param {string} root
 * @param {string} commit
 * @returns {Promise<string>} its `dist`
 */
export async function obtainRelease(root, commit) {
  const folder = join(local, 'releases', commit);
  if (existsSync(folder)) return join(folder, 'dist');
  const staged = `${folder}.new`;
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: ARCHIVE_BYTES_MAX });
  const unpacked = spawnSync('tar', ['-x', '-C', staged], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) throw new Problem(`${commit} cannot be taken from the history.`);
  symlinkSync(join(root, 'node_modules'), join(staged, 'node_modules'));
  const built = spawnSync('npm', ['run', 'build'], { cwd: staged, encoding: 'utf8' });
  if (built.status !== 0) throw new Problem(`${commit} cannot be built:\n${built.stdout}${built.stderr}`);
  renameSync(staged, folder);
  return join(folder, 'dist');
}
