/** Runs the acquirer of the tests (Acquirer.java) as a process, and declares suites that need it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { obtainJpos } from './obtain-jpos.js';

export type Packager = 'ISO87APackager' | 'ISO87BPackager' | 'ISO93APackager' | 'ISO93BPackager';

/** A line of the acquirer's books. A message is identified by `terminal|STAN|time`. */
export interface AcquirerLine {
  readonly at: string;
  readonly kind: string;
  readonly key: string;
  readonly original: string | null;
  readonly amountMinor: number;
  /** ISO 4217 number. */
  readonly currency: string;
  readonly result: string;
}

export interface Acquirer {
  readonly port: number;
  books(): Promise<readonly AcquirerLine[]>;
  /** Returns the fields of the last message with a card, as the acquirer received them. */
  last(): Promise<Readonly<Record<string, string>>>;
  counts(): Promise<{ readonly network: number; readonly repeats: number; readonly connections: number }>;
  /** `silent-reversals/2`, `silent-advices/1`, `drop`, `echo` */
  control(what: string): Promise<void>;
  close(): Promise<void>;
}

/** Amounts by which the acquirer misbehaves. */
export const amounts = {
  partial: 90_010,
  silent: 90_068,
  late: 90_069,
  dropped: 90_070,
  unseen: 90_071,
  anotherAmount: 90_072,
  anotherCurrency: 90_073,
  anotherStan: 90_074,
  anotherTerminal: 90_075,
  broken: 90_096,
} as const;

const jpos = obtainJpos();

/** Declares a suite that needs jPOS. Without jPOS one skipped test says why. */
export function describeWithJpos(name: string, body: () => void): void {
  if ('classPath' in jpos) describe(name, body);
  else describe(name, () => it.skip(`needs jPOS as the acquirer: ${jpos.problem}`, () => undefined));
}

export async function startAcquirer(packager: Packager = 'ISO87APackager'): Promise<Acquirer> {
  if (!('classPath' in jpos)) throw new Error(jpos.problem);
  const source = new URL('Acquirer.java', import.meta.url).pathname;
  const child = spawn('java', ['-Xmx256m', '-cp', jpos.classPath, source, packager], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error('the acquirer did not start'))),
  ])) as [string];
  const [, port, control] = line.split(' ').map(Number);
  const ask = async (what: string) => (await fetch(`http://127.0.0.1:${control}/${what}`)).json();
  return {
    port: port as number,
    books: () => ask('books') as Promise<readonly AcquirerLine[]>,
    last: () => ask('last') as Promise<Readonly<Record<string, string>>>,
    counts: () => ask('counts') as ReturnType<Acquirer['counts']>,
    control: async (what) => void (await ask(what)),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
