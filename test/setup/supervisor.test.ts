/** How `npm start` starts a process: if its port was taken meanwhile, and if the machine is slow. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, preferPort, withPortFallback } from '../../scripts/setup/ports.mjs';
import { launch } from '../../scripts/setup/program.mjs';
import { createSupervisor } from '../../scripts/setup/supervisor.mjs';

let folder: string;
let folders: { data: string; logs: string; run: string };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
  folders = { data: join(folder, 'data'), logs: join(folder, 'logs'), run: join(folder, 'run') };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, code: string, more: object = {}) => ({
  name,
  command: process.execPath,
  args: ['-e', code],
  env: { PATH: process.env.PATH },
  stopWithinMs: 5_000,
  ...more,
});

/** A program that listens and reports to be ready, or ends because its port is taken. */
const listener = (port: number) =>
  program(
    'listener',
    `require('node:net').createServer().listen(${port}, '127.0.0.1', () => process.send({ ready: true }))`,
  );

test('a port that is taken between its choice and the start is chosen again', async () => {
  const chosen: number = await freePort();
  const thief = net.createServer().listen(chosen, '127.0.0.1');
  await new Promise((resolve) => thief.once('listening', resolve));
  const supervisor = createSupervisor(folders, () => {});
  const moves: number[] = [];
  try {
    await supervisor.start(withPortFallback(chosen, listener, (port: number) => moves.push(port)));
    expect(moves).toHaveLength(1);
    expect(moves[0]).not.toBe((thief.address() as AddressInfo).port);
    await new Promise<void>((resolve, reject) => {
      const socket = net
        .connect(moves[0] ?? 0, '127.0.0.1', () => resolve(void socket.destroy()))
        .once('error', reject);
    });
  } finally {
    await supervisor.stop();
    thief.close();
  }
});

/**
 * Finds a port that stays free while nothing listens on it: the system gives other suites ports from 32768 on, and `freePort` from
 * 20000 on.
 */
async function portThatStaysFree(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 20_000);
    if ((await preferPort(port)) === port) return port;
  }
}

test('a program that ends for another reason keeps its port and is given up', async () => {
  const supervisor = createSupervisor(folders, () => {});
  const broken = (port: number) => program('broken', `process.exit(${port > 0 ? 3 : 4})`);
  const moves: number[] = [];
  await expect(
    supervisor.start(withPortFallback(await portThatStaysFree(), broken, (port: number) => moves.push(port))),
  ).rejects.toThrow(/broken ended 3 times in a row \(exit code 3\)/);
  expect(moves).toEqual([]);
  await supervisor.stop();
});

describe('a process that takes long to get ready', () => {
  const idleMs = 3_000;
  const done = `setTimeout(() => { process.send({ ready: true }); clearInterval(tell); }, ${2.5 * idleMs});`;
  const works = (work: string) => `${work} ${done} setTimeout(() => {}, 1e6)`;
  const kinds = {
    'writes to its log': works(`const tell = setInterval(() => console.log('step'), 100);`),
    computes: works(
      `const tell = setInterval(() => { const until = Date.now() + 400; while (Date.now() < until); }, 500);`,
    ),
    'does nothing': 'setInterval(() => {}, 1000)',
  } as const;
  let own: string;
  let running: Record<keyof typeof kinds, ReturnType<typeof launch>>;
  // They run side by side, so that their times do not add up.
  beforeAll(() => {
    own = mkdtempSync(join(tmpdir(), 'supervisor-'));
    const folders = { data: join(own, 'data'), logs: join(own, 'logs'), run: join(own, 'run') };
    const start = ([kind, code]: [string, string]) => {
      const name = kind.replaceAll(' ', '-');
      const launched = launch(program(name, code, { idleMs }), folders);
      launched.ready.catch(() => undefined);
      return [kind, launched];
    };
    running = Object.fromEntries(Object.entries(kinds).map(start));
  });
  afterAll(async () => {
    await Promise.all(Object.values(running).map((launched) => launched.stop()));
    rmSync(own, { recursive: true, force: true });
  });

  test.each(['writes to its log', 'computes'] as const)('is waited for while it %s', async (kind) => {
    await expect(running[kind].ready).resolves.toBeUndefined();
  });

  test('is given up when it does nothing', async () => {
    await expect(running['does nothing'].ready).rejects.toThrow('does-nothing is not ready and did nothing for 3 s.');
  });
});
