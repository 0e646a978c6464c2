/** The real git in a folder of a test: with an identity of its own, deaf to the settings of the person and of an outer git. */
import { spawnSync } from 'node:child_process';

export function gitEnvironment(): NodeJS.ProcessEnv {
  const outer = Object.entries(process.env).filter(([name]) => !/^GIT_|^CI$|^NODE_ENV$/.test(name));
  const who = { NAME: 'Test', EMAIL: 'test@example.com' };
  return {
    ...Object.fromEntries(outer),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
  };
}

export const gitIn =
  (folder: string) =>
  (...args: readonly string[]) =>
    spawnSync('git', args, { cwd: folder, env: gitEnvironment(), encoding: 'utf8' });
