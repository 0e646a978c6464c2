/** How every process of the gateway starts and ends: one clear message when it cannot start, a bounded, graceful stop. */
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../config/index.js';
import { limits } from '../config/limits.js';
import type { Log } from './log.js';
import { databaseProblem } from './store/database.js';
import { ClockError } from './store/database-clock.js';
import { EnvironmentMismatchError } from './store/environment.repository.js';
import { KeyMismatchError } from './store/key-checks.repository.js';
import { ServerVersionError } from './store/server-version.js';
import { MasterKeyNeededError } from './vault/report-keys.js';

/** Logs an uncaught error with its stack and ends the process. The supervisor then starts a clean one. */
export function exitOnCrash(log: Log): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error('process.crashed', { kind: event, error });
      process.exit(1);
    });
  }
}

/**
 * Ends the process when it has stopped gracefully, when it has not stopped within `withinMs`, or when it is interrupted (Ctrl-C) while it
 * stops. A repeated SIGTERM is no such request: platforms send several, and supervisors send one beside that of their whole group.
 */
export function stopOnSignals(stop: () => Promise<void>, log: Log, withinMs: number = limits.shutdownMs): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping && signal === 'SIGINT') process.exit(1);
    if (stopping) return;
    stopping = true;
    log.info('process.stopping', { reason: signal });
    setTimeout(() => {
      log.error('process.stop-too-slow', { ms: withinMs });
      process.exit(1);
    }, withinMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('process.stop-failed', { error });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
}

/** Why an address cannot be listened on, by the code of the system's error. */
const listenProblems: Record<string, string> = {
  EADDRINUSE:
    'is in use by another process: stop that one, or choose another port (PORT, OPERATOR_PORT, WORKER_OPERATOR_PORT)',
  EACCES: 'may not be listened on by this user: choose a port from 1024 on (PORT, OPERATOR_PORT, WORKER_OPERATOR_PORT)',
  EADDRNOTAVAIL: 'is no address of this machine (HOST, OPERATOR_HOST)',
};

type ListenError = NodeJS.ErrnoException & Partial<AddressInfo> & { readonly hostname?: string };

function listenProblem(error: unknown): string | undefined {
  const { syscall, code = '', hostname, address, port } = (error ?? {}) as ListenError;
  // Drivers wrap their DNS errors. An unwrapped one is about an address that the process listens on.
  if (syscall === 'getaddrinfo') {
    return `${hostname} is no address, and no name that leads to one: ${code} (HOST, OPERATOR_HOST).`;
  }
  const problem = syscall === 'listen' ? listenProblems[code] : undefined;
  return problem && `${address}:${port} ${problem}.`;
}

const plainErrors = [
  ConfigError,
  EnvironmentMismatchError,
  KeyMismatchError,
  MasterKeyNeededError,
  ClockError,
  ServerVersionError,
];

/**
 * Ends the process with a message. A problem that only the operator can solve is one message; any other error is a fault and is
 * written with its stack.
 */
export function endWith(error: unknown): never {
  const plain = plainErrors.some((kind) => error instanceof kind);
  const { message, stack = message } = error instanceof Error ? error : { message: String(error) };
  const text = plain ? message : (listenProblem(error) ?? databaseProblem(error) ?? stack);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
