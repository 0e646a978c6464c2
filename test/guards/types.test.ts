/** The types of the built code: the build itself does not check them (scripts/bundle.mjs). */
import { spawnSync } from 'node:child_process';

test('the types of all built code are correct', () => {
  const args = ['node_modules/typescript7/bin/tsc', '--noEmit', '--pretty', 'false', '-p', 'tsconfig.build.json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});
