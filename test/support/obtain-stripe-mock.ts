/**
 * Counterparts of the processor `stripe` by other authors, fetched when they are first needed into a cache outside the repository:
 * stripe-mock (Go), Stripe's own, which checks requests against the published API and has no state; localstripe (Python), which has.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/setup/ports.mjs';

const MOCK = { name: 'stripe-mock', version: 'v0.203.0' } as const;
const LOCAL = { name: 'localstripe', version: '1.15.10' } as const;
const FETCHED_MS = 280_000;
const STARTED_MS = 30_000;

type Obtained = { readonly program: string } | { readonly problem: string };

const cacheOf = ({ name, version }: { name: string; version: string }) =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'payment-gateway', `${name}-${version}`);

/** Fetches into a temporary folder first: a run that is stopped leaves no incomplete cache. */
function obtain(
  what: typeof MOCK | typeof LOCAL,
  program: string,
  fetch: (folder: string) => string | undefined,
): Obtained {
  const cache = cacheOf(what);
  if (existsSync(join(cache, program))) return { program: join(cache, program) };
  const folder = `${cache}-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    const problem = fetch(folder);
    if (problem !== undefined) return { problem };
    if (!existsSync(cache)) renameSync(folder, cache);
    return existsSync(join(cache, program))
      ? { program: join(cache, program) }
      : { problem: `${what.name} is not there` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}): string | undefined {
  const options = { timeout: FETCHED_MS, stdio: 'ignore', env: { ...process.env, ...env } } as const;
  const { status, error } = spawnSync(program, args, options);
  if (error) return `${program} is not here`;
  return status === 0 ? undefined : `${program} could not fetch it`;
}

export const obtainStripeMock = (): Obtained =>
  obtain(MOCK, 'stripe-mock', (folder) =>
    run('go', ['install', `github.com/stripe/stripe-mock@${MOCK.version}`], { GOBIN: folder, GOFLAGS: '-mod=mod' }),
  );

/** Scripts of a virtual environment contain the path of its folder, so the module is run instead of its script. */
export const obtainLocalStripe = (): Obtained =>
  obtain(LOCAL, join('bin', 'python'), (folder) => {
    const packages = [`localstripe==${LOCAL.version}`, 'setuptools'];
    return (
      run('python3', ['-m', 'venv', folder]) ??
      run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '-q', ...packages])
    );
  });

export interface Counterpart {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the program and waits until it answers. */
async function start(program: string, argsOf: (port: number) => readonly string[]): Promise<Counterpart> {
  const port = await freePort();
  const child = spawn(program, argsOf(port), { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = Date.now() + STARTED_MS;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`${program} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

const programOf = (obtained: Obtained): string => {
  if ('problem' in obtained) throw new Error(obtained.problem);
  return obtained.program;
};

export const startStripeMock = () =>
  start(programOf(obtainStripeMock()), (port) => ['-http-addr', `127.0.0.1:${port}`]);

export const startLocalStripe = () =>
  start(programOf(obtainLocalStripe()), (port) => ['-m', 'localstripe', '--port', String(port), '--from-scratch']);

/** Declares a suite that needs one of the counterparts. Without it one skipped test says why. */
export function describeWith(obtained: Obtained, name: string, body: () => void): void {
  if ('program' in obtained) describe(name, body);
  else describe(name, () => it.skip(`needs a counterpart: ${obtained.problem}`, () => undefined));
}
