import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { limits } from '../../../config/limits.js';
import { formatEntry } from '../../../scripts/sandbox/simulator/entry-line.js';
import { openLedgerFile } from '../../../scripts/sandbox/simulator/ledger-file.js';
import { startSimulator } from '../../../scripts/sandbox/simulator/start-simulator.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import {
  createSandboxProcessor,
  type SandboxProcessor,
} from '../../../shared/processors/sandbox/create-sandbox-processor.js';
import { keepingLog } from '../../processors/keeping-log.js';
import { authorizeRequest, followUpRequest, inquireRequest, reverseRequest } from '../../processors/port-requests.js';
import { newLedgerFile } from '../../processors/sandbox/sandbox-harness.js';
import { PATIENCE_MS } from '../../support/patience.js';

const NUMBER = '4000000000007726';
const request = (key: string) => authorizeRequest(NUMBER, { key });
const connect = (baseUrl: string): SandboxProcessor =>
  createSandboxProcessor({ baseUrl, personality: 'idempotent', timeoutMs: PATIENCE_MS, log: keepingLog() });

async function allLines(file: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of file) lines.push(line);
  return lines;
}

let temporary: Awaited<ReturnType<typeof newLedgerFile>>;
beforeEach(async () => {
  temporary = await newLedgerFile();
});
afterEach(() => temporary.remove());

describe('the ledger file', () => {
  it('is on the disk before an append is acknowledged, in order, with few writes for many lines', async () => {
    const file = await openLedgerFile(temporary.ledgerFile);
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}`);
    const promises = lines.map((line) => file.append(line));
    expect(new Set(promises).size).toBeLessThan(5);
    await file.flushed();
    expect(await readFile(temporary.ledgerFile, 'utf8')).toBe(`${lines.join('\n')}\n`);
    expect(await allLines(file.lines())).toEqual(lines);
    await file.close();
  });

  it('drops a line that a kill tore, and continues after the last complete line', async () => {
    for (const torn of ['torn', 'x'.repeat(200_000)]) {
      const { ledgerFile, remove } = await newLedgerFile();
      await appendFile(ledgerFile, `one\ntwo\n${torn}`);
      const file = await openLedgerFile(ledgerFile);
      await file.append('three');
      expect(await allLines(file.lines())).toEqual(['one', 'two', 'three']);
      await file.close();
      await remove();
    }
  });

  it('acknowledges nothing after a write failed', async () => {
    // Linux has a device that is always full. On other systems there is nothing to test.
    if (!existsSync('/dev/full')) return;
    const file = await openLedgerFile('/dev/full');
    await expect(file.append('lost')).rejects.toThrow(/ENOSPC/);
    await expect(file.append('lost too')).rejects.toThrow(/ENOSPC/);
    await file.close();
  });
});

describe('a test processor that is restarted', () => {
  it('knows its keys, what settles later and what was reversed', async () => {
    const options = { port: 0, ledgerFile: temporary.ledgerFile, timeScale: 30 };
    const first = await startSimulator(options);
    const before = connect(first.url);
    const approved = await before.authorize(request('txn_1'));
    await before.authorize(request('txn_2'));
    await before.reverse(reverseRequest('txn_2'));
    await before.reverse(reverseRequest('txn_3'));
    expect(await before.refund(followUpRequest('txn_1', { key: 'txn_4' }))).toMatchObject({ kind: 'pending' });
    await before.close();
    await first.close();

    const second = await startSimulator(options);
    const after = connect(second.url);
    expect(await after.authorize(request('txn_1'))).toEqual(approved);
    expect(await after.authorize(request('txn_2'))).toMatchObject({ kind: 'failed' });
    expect(await after.authorize(request('txn_3'))).toMatchObject({ kind: 'failed' });
    await new Promise((done) => setTimeout(done, 130));
    const inquiry = await after.inquire(inquireRequest('txn_4'));
    expect(inquiry).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    await after.close();
    await second.close();
  });

  it('returns the books of a period, in pages, per personality, without card numbers', async () => {
    const simulator = await startSimulator({ port: 0, ledgerFile: temporary.ledgerFile });
    const processor = connect(simulator.url);
    for (const key of ['txn_1', 'txn_2', 'txn_3']) await processor.authorize(request(key));
    const read = async (path: string) => (await (await fetch(simulator.url + path)).json()) as LedgerEntry[];
    const keys = async (path: string) => (await read(path)).map(({ key }) => key);

    const all = await read('/ledger');
    const fields = ['at', 'kind', 'key', 'original', 'amountMinor', 'currency', 'result', 'referenceId', 'merchantId'];
    expect(Object.keys(all[0] ?? {})).toEqual(fields);
    expect(all[0]).toMatchObject({ referenceId: 'order-1', merchantId: 1 });
    expect(all.map(({ key }) => key)).toEqual(['txn_1', 'txn_2', 'txn_3']);
    expect(await keys('/ledger?skip=1&take=1')).toEqual(['txn_2']);
    expect(await keys(`/ledger?since=${all[2]?.at}`)).toContain('txn_3');
    expect(await keys('/ledger?since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await keys(`/ledger?until=${all[0]?.at}`)).toEqual([]);
    expect(await keys(`/ledger?since=${all[0]?.at}&until=2999-01-01T00:00:00Z`)).toHaveLength(3);
    expect((await fetch(`${simulator.url}/ledger?until=tomorrow`)).status).toBe(400);
    expect(await keys('/idempotent/ledger')).toHaveLength(3);
    expect(await keys('/lagging/ledger')).toEqual([]);
    expect((await fetch(`${simulator.url}/ledger?since=yesterday`)).status).toBe(400);
    expect(await readFile(temporary.ledgerFile, 'utf8')).not.toContain(NUMBER);
    await processor.close();
    await simulator.close();
  });

  it('lists more than one page, each entry once', async () => {
    const COUNT = limits.processorListPage + 100;
    const lines = Array.from({ length: COUNT }, (_, index) =>
      formatEntry({
        line: {
          at: new Date(1_800_000_000_000 + index).toISOString(),
          kind: 'purchase',
          key: `txn_${index}`,
          original: null,
          amountMinor: 1_000,
          currency: 'USD',
          result: 'approved',
        },
        details: { personality: 'idempotent' },
      }),
    );
    await appendFile(temporary.ledgerFile, `${lines.join('\n')}\n`);
    const simulator = await startSimulator({ port: 0, ledgerFile: temporary.ledgerFile });
    const processor = connect(simulator.url);
    const listed = await processor.listSince?.(new Date(0));
    expect(listed?.map(({ key }) => key)).toEqual(lines.map((_, index) => `txn_${index}`));
    await processor.close();
    await simulator.close();
  });
});

describe('the process', () => {
  const main = resolve('scripts/sandbox/simulator/main.ts');
  let child: ChildProcess | undefined;

  async function start(env: NodeJS.ProcessEnv = {}): Promise<string> {
    child = fork(main, {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        PATH: process.env.PATH,
        SIMULATOR_PORT: '0',
        SIMULATOR_LEDGER_FILE: temporary.ledgerFile,
        LOG_LEVEL: 'silent',
        ...env,
      },
    });
    const port = await new Promise<number>((ready, failed) => {
      child?.once('message', (message) => ready((message as { ready: true; port: number }).port));
      child?.once('exit', (code) => failed(new Error(`it ended with ${code}`)));
    });
    return `http://127.0.0.1:${port}`;
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const exited = new Promise<number | null>((done) => child?.once('exit', done));
    child?.kill(signal);
    return exited;
  }

  afterEach(() => child?.kill('SIGKILL'));

  it('still knows everything that it has answered after it is killed', async () => {
    const before = connect(await start());
    const keys = Array.from({ length: 300 }, (_, index) => `txn_${index}`);
    const answered: string[] = [];
    const sending = keys.map(async (key) => {
      if ((await before.authorize(request(key))).kind === 'approved') answered.push(key);
      if (answered.length === 100) child?.kill('SIGKILL');
    });
    await Promise.all(sending);
    await before.close();
    expect(answered.length).toBeGreaterThanOrEqual(100);

    const url = await start();
    const books = (await (await fetch(`${url}/ledger`)).json()) as LedgerEntry[];
    const known = new Set(books.map(({ key }) => key));
    expect(answered.filter((key) => !known.has(key))).toEqual([]);
    const after = connect(url);
    await Promise.all(keys.map((key) => after.authorize(request(key))));
    const charges = ((await (await fetch(`${url}/ledger`)).json()) as LedgerEntry[]).map(({ key }) => key);
    expect(charges.sort()).toEqual([...keys].sort());
    await after.close();
    expect(await end('SIGTERM')).toBe(0);
  });

  it('does not start in production', async () => {
    await expect(start({ GATEWAY_ENVIRONMENT: 'production' })).rejects.toThrow('it ended with 1');
  });
});
