/** Switches on the hooks of this repository (`.githooks`) in a contributor's clone. `npm install` cannot do it: `.npmrc` switches scripts off. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = '.githooks';

/**
 * Does nothing unless this is a contributor's clone, and never replaces existing hooks.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} what was done, or why nothing was
 */
export function useGitHooks(root, env = process.env) {
  const git = (/** @type {readonly string[]} */ ...args) =>
    spawnSync('git', ['-C', root, ...args], { env, encoding: 'utf8' });
  if (env.CI) return 'not in CI';
  if (env.NODE_ENV === 'production') return 'not in production';
  // An archive that was unpacked inside another repository must not change the hooks of that repository.
  if (!existsSync(join(root, '.git'))) return 'no clone';
  const folder = git('rev-parse', '--git-path', 'hooks');
  if (folder.status !== 0) return 'no git';
  const path = git('config', '--get', 'core.hooksPath');
  if (path.status === 0) return `core.hooksPath is ${path.stdout.trim()} already`;
  const own = resolve(root, folder.stdout.trim());
  if (existsSync(own) && readdirSync(own).some((name) => !name.endsWith('.sample'))) return 'hooks of its own';
  return git('config', 'core.hooksPath', FOLDER).status === 0 ? 'on' : 'the configuration cannot be written';
}
