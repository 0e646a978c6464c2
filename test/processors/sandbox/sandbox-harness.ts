/** The test processor in this process, for suites that talk to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../../scripts/sandbox/simulator/start-simulator.js';
import type { LedgerEntry, ProcessorCard } from '../../../shared/processors/processor.js';

export interface TestSimulator extends Simulator {
  readonly ledgerFile: string;
  books(): Promise<LedgerEntry[]>;
  post(path: string, body: unknown): Promise<Response>;
}

export async function newLedgerFile(): Promise<{ ledgerFile: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  return { ledgerFile: join(folder, 'ledger.jsonl'), remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function startTestSimulator(timeScale = 1): Promise<TestSimulator> {
  const { ledgerFile, remove } = await newLedgerFile();
  const simulator = await startSimulator({ port: 0, ledgerFile, timeScale });
  return {
    ...simulator,
    ledgerFile,
    books: async () => (await (await fetch(`${simulator.url}/ledger`)).json()) as LedgerEntry[],
    post: (path, body) => fetch(simulator.url + path, { method: 'POST', body: JSON.stringify(body) }),
    async close() {
      await simulator.close();
      await remove();
    },
  };
}

export const cardOf = (number: string): ProcessorCard => ({ number, expMonth: 12, expYear: 2040, cvc: '7391' });
