/** The log of a process whose standard output takes nothing: it goes on, holds little, and ends when it is asked to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../config/limits.js';
import { PATIENCE_MS } from './support/patience.js';

const RECORDS = 20_000;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Logs as many records as it is asked for, answers when it still runs after them, tells its metrics, and ends with code 3 when it is asked to. */
const program = `
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from './config/limits.ts';
import { createLog } from './shared/log.ts';
import { createMetrics } from './shared/metrics.ts';
const log = createLog('test', 'info');
const metrics = createMetrics({ process: 'test' });
process.on('message', async ({ count, exit, scrape }) => {
  if (exit) process.exit(3);
  if (scrape) return process.send(await metrics.text());
  for (let n = 0; n < count; n += 1) {
    log.info('record', { count: n, reason: 'x'.repeat(150) });
    if (n % 200 === 0) await pause(1);
  }
  await pause(3 * limits.logGatherMs);
  process.send('logged');
});
process.send('ready');
`;

async function start(stdout: 'pipe' | number) {
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit', 'ipc'] });
  started.push(child);
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const inTime = (outcome: Promise<unknown>) =>
    Promise.race([outcome, pause(PATIENCE_MS, 'nothing in time', { ref: false })]);
  const said = () =>
    inTime(Promise.race([once(child, 'message').then(([message]) => message), ended.then((how) => `ended: ${how}`)]));
  expect(await said()).toBe('ready');
  const log = async (count: number) => {
    const answer = said();
    child.send({ count });
    return answer;
  };
  /** What its metrics say was dropped. */
  const dropped = async () => {
    const answer = said();
    child.send({ scrape: true });
    return Number(/^gateway_log_records_dropped_total\{.*\} (\d+)$/m.exec(String(await answer))?.[1]);
  };
  const exit = () => {
    child.send({ exit: true });
    return inTime(ended);
  };
  return { child, log, dropped, exit };
}

test('a full disk ends no process, and lets it end', async () => {
  const { log, exit } = await start(openSync('/dev/full', 'w'));
  expect(await log(10)).toBe('logged');
  expect(await log(10)).toBe('logged');
  expect(await exit()).toBe(3);
});

test('a reader that is gone ends no process, and lets it end', async () => {
  const { child, log, exit } = await start('pipe');
  child.stdout?.destroy();
  expect(await log(10)).toBe('logged');
  expect(await log(10)).toBe('logged');
  expect(await exit()).toBe(3);
});

test('a process whose reader stands still ends when it is asked to', async () => {
  const { log, exit } = await start('pipe');
  expect(await log(RECORDS)).toBe('logged');
  expect(await exit()).toBe(3);
});

test('what a reader that stood still missed is bounded, counted, and follows in order', async () => {
  const { child, log, dropped, exit } = await start('pipe');
  expect(await dropped()).toBe(0);
  expect(await log(RECORDS)).toBe('logged');
  const missed = await dropped();
  let text = '';
  const counted = new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('log.records-dropped')) resolve(true);
    });
  });
  await counted;
  expect(await log(1)).toBe('logged');
  expect(await exit()).toBe(3);
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = records.findIndex(({ msg }) => msg === 'log.records-dropped');
  expect(records.slice(0, kept).map(({ count }) => count)).toEqual(Array.from({ length: kept }, (_, n) => n));
  expect(records[kept]).toMatchObject({ level: 40, count: RECORDS - kept });
  expect(missed).toBe(RECORDS - kept);
  expect(records.slice(kept + 1)).toEqual([expect.objectContaining({ msg: 'record', count: 0 })]);
  // What the system's own buffers take comes on top.
  expect(Buffer.byteLength(text)).toBeLessThan(2 * limits.logHeldBytesMax);
});
