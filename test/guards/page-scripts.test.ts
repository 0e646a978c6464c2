/** The scripts of the pages are sent to browsers as they are written: no build checks their types, so `npm run check` does. */
import { spawnSync } from 'node:child_process';
import { root } from '../../scripts/setup/paths.mjs';
import { files, textOf } from './source-tree.js';

const COMPILER = 'node_modules/typescript7/bin/tsc';
const scripts = files.filter(({ path }) => path.endsWith('.js'));

/** Files that the compiler reads with a config, without its own libraries; after a mistake in a type, the mistakes too. */
function checkedWith(config: string): string[] {
  const args = [COMPILER, '--noEmit', '--pretty', 'false', '--listFiles', '-p', config];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const lines = stdout.trimEnd().replaceAll('\\', '/').split('\n');
  return lines.filter((line) => !/\/lib\/lib\.[\w.]*d\.ts$/.test(line)).map((line) => line.replace(`${root}/`, ''));
}

test('every script has correct types, with those of browsers only', () => {
  expect(scripts.length).toBeGreaterThan(10);
  expect(checkedWith('tsconfig.browser.json').sort()).toEqual(scripts.map(({ path }) => path).sort());
});

test('no script hides a line from the compiler', () => {
  expect(scripts.filter(({ text }) => text.includes('@ts-')).map(({ path }) => path)).toEqual([]);
});

test('`npm run check` checks the types with every config', () => {
  const configs = files.map(({ path }) => path).filter((path) => /^tsconfig(\.\w+)?\.json$/.test(path));
  // Another guard uses the config of the build, which is a part of the first one.
  const checked = configs.filter((path) => path !== 'tsconfig.build.json');
  expect(checked.length).toBeGreaterThan(2);
  const steps = textOf('scripts/check.mjs');
  expect(checked.filter((path) => !steps.includes(`typeCheckArguments('${path}')`))).toEqual([]);
});
