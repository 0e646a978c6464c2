/** Suites run as they are written: no call is added that names functions when they are made, and stack traces lead to the source. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';
import { compileTypeScript } from '../../scripts/setup/typescript-ahead.mjs';

/** Fails inside a function that is made at each call. */
const fail = () => {
  const inner = () => {
    throw new Error('on purpose');
  };
  inner();
};

test('no call is added that names a function', () => {
  expect(fail.toString()).toContain('const inner = () =>');
});

test('a stack trace has the names and the lines of the source', () => {
  const stack = (() => {
    try {
      return fail();
    } catch (error) {
      return (error as Error).stack;
    }
  })();
  expect(stack).toMatch(/at inner \(.*test\/setup\/read-typescript\.test\.ts:12:\d+\)/);
  expect(stack).toMatch(/at fail \(.*test\/setup\/read-typescript\.test\.ts:14:\d+\)/);
});

const folder = mkdtempSync(join(tmpdir(), 'typescript-ahead-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCE = 'test/support/patience.ts';
const timeOf = (path: string) => statSync(path).mtime;

/** Returns the value that a new process reads from the file. */
function read(ahead: string): string {
  const code = `console.log((await import('./${SOURCE}')).PATIENCE_MS)`;
  const args = ['--import', './scripts/setup/typescript.mjs', '--input-type=module', '--eval', code];
  const env = { ...process.env, TYPESCRIPT_AHEAD: ahead };
  return spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }).stdout.trim();
}

test('a file that was compiled ahead is read until its source changes', () => {
  const made = join(folder, 'made', SOURCE);
  mkdirSync(join(made, '..'), { recursive: true });
  writeFileSync(made, "export const PATIENCE_MS = 'made ahead';");
  expect(read(join(folder, 'made'))).toMatch(/^\d+$/);
  const time = timeOf(join(root, SOURCE));
  utimesSync(made, time, time);
  expect(read(join(folder, 'made'))).toBe('made ahead');
});

test('all files are compiled ahead for this version only, and unchanged ones are kept', async () => {
  const parent = join(folder, 'versions');
  mkdirSync(join(parent, 'of-an-older-version'), { recursive: true });
  const ahead = await compileTypeScript(parent, ['test/support']);
  expect(existsSync(join(parent, 'of-an-older-version'))).toBe(false);
  expect(readdirSync(join(ahead, 'test/support/jpos')).length).toBeGreaterThan(1);
  expect(timeOf(join(ahead, SOURCE))).toEqual(timeOf(join(root, SOURCE)));
  expect(read(ahead)).toMatch(/^\d+$/);

  const kept = join(ahead, SOURCE);
  const time = timeOf(kept);
  writeFileSync(kept, "export const PATIENCE_MS = 'kept';");
  utimesSync(kept, time, time);
  await compileTypeScript(parent, ['test/support']);
  expect(read(ahead)).toBe('kept');
});
