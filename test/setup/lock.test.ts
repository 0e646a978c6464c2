import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock, withLock } from '../../scripts/setup/lock.mjs';
import { identityOf, isRunning } from '../../scripts/setup/process-identity.mjs';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  file = join(folder, 'start.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const heldBy = (pid: number, identity: string) => writeFileSync(file, JSON.stringify({ pid, identity }));

/** A process that lives until the test ends it. */
function otherProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid ?? 0, end };
}

test('a free lock is taken, names this process, and is gone after its release', () => {
  const lock = tryLock(file);
  expect(lock.held).toBe(true);
  expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a running process is refused, and its holder is named', async () => {
  const other = otherProcess();
  heldBy(other.pid, identityOf(other.pid));
  expect(tryLock(file)).toMatchObject({ held: false, by: { pid: other.pid } });
  await other.end();
  expect(tryLock(file).held).toBe(true);
});

test('the lock of an earlier process whose id is in use again is taken over', () => {
  heldBy(process.pid, 'another boot:42');
  expect(tryLock(file).held).toBe(true);
});

test.each(['', '{', '{"pid":"1"}', 'null'])('a damaged lock (%j) is taken over', (text) => {
  writeFileSync(file, text);
  expect(tryLock(file).held).toBe(true);
});

test('release does not remove a lock that another process has taken meanwhile', () => {
  const lock = tryLock(file);
  heldBy(1, 'x');
  lock.release();
  expect(existsSync(file)).toBe(true);
});

test('withLock admits one at a time, reports the process that it waits for, and releases after a failure', async () => {
  const order: string[] = [];
  const waitedFor: number[] = [];
  const slow = withLock(file, async () => {
    order.push('first in');
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first out');
    throw new Error('broken');
  });
  const second = withLock(file, async () => order.push('second'), { onWait: (pid: number) => waitedFor.push(pid) });
  await expect(slow).rejects.toThrow('broken');
  await second;
  expect(order).toEqual(['first in', 'first out', 'second']);
  expect(waitedFor).toEqual([process.pid]);
});

test('a process that ended is not running, and the id 0 is none', async () => {
  const other = otherProcess();
  const known = { pid: other.pid, identity: identityOf(other.pid) };
  expect(isRunning(known)).toBe(true);
  await other.end();
  expect(isRunning(known)).toBe(false);
  expect(isRunning({ pid: 0, identity: '' })).toBe(false);
});
