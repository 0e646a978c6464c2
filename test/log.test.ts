/** What a log record can hold and what it cannot (docs/security.md#logs, docs/security.md#log-format), as it is written to standard output. */
import { execFileSync, spawnSync } from 'node:child_process';

const card = '4242424242424242';
const hostile = 'a\r\n{"level":50,"msg":"forged"}\u2028\u2029\u001b[31m\u0000';

const program = `
import { createLog } from './shared/log.ts';
const log = createLog('test', 'debug');
const hostile = ${JSON.stringify(hostile)};
const error = Object.assign(new Error('card ${card} of ' + hostile), { details: [{ context: { value: '${card}' } }], cvc: '123' });
error.cause = new TypeError('caused by 4242 4242 4242 4242');
log.info('plain', { paymentId: 'pay_1', number: '${card}', cvc: '123', body: { a: 1 } });
log.with({ reason: hostile, apiKey: 'sk_test_secret' }).warn('child', { host: 'pays ${card} here', count: 3 });
log.error('failed', { error });
log.error('odd', { error: 'a text that was thrown: ${card}' });
`;

const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
  encoding: 'utf8',
});
const lines = output.trimEnd().split('\n');
const records = lines.map((line) => JSON.parse(line));

test('one record is one line, whatever the texts hold', () => {
  expect(records.map(({ msg }) => msg)).toEqual(['plain', 'child', 'failed', 'odd']);
  expect(records[1].reason).toContain('forged');
  // Neither a terminal nor a reader of lines takes a part of it for anything else.
  for (const sign of ['\u0000', '\u001b', '\r']) expect(output).not.toContain(sign);
});

test('fields that are not listed are dropped, also those of a child', () => {
  const base = ['level', 'time', 'name', 'pid', 'msg'];
  expect(Object.keys(records[0]).filter((key) => !base.includes(key))).toEqual(['paymentId']);
  expect(output).not.toMatch(/sk_test_secret|cvc|apiKey/);
});

test('an error is logged with its name, message, stack and cause, and no card number', () => {
  expect(Object.keys(records[2].error).sort()).toEqual(['cause', 'message', 'name', 'stack']);
  expect(records[2].error.cause).toBe('TypeError: caused by [digits]');
  expect(records[3].error).toEqual({ name: 'string' });
  expect(output).not.toMatch(/4242/);
});

test('what is logged is written a moment later, without a timer that runs where nothing is logged', () => {
  const killed = `
import { createLog } from './shared/log.ts';
import { limits } from './config/limits.ts';
let intervals = 0;
const { setInterval } = globalThis;
globalThis.setInterval = (...args) => { intervals += 1; return setInterval(...args); };
const log = createLog('test', 'info');
log.info('first', { count: intervals });
log.info('second', { count: intervals });
// Killed, it writes nothing more.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20 * limits.logGatherMs);
`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', killed];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(signal).toBe('SIGKILL');
  const written = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(written).toEqual([
    expect.objectContaining({ msg: 'first', count: 0 }),
    expect.objectContaining({ msg: 'second', count: 0 }),
  ]);
});
