/**
 * The time of MongoDB, which all processes share. Each compares it with its monotonic clock and counts on from there, so that a machine's
 * clock that is wrong, or is set, affects nothing: neither what is too old to be sent nor when a cvc is destroyed. The offset of the
 * machine's clock is still watched, because certificates and logs depend on it.
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Database } from './database.js';

/** The clock of this machine is too far off to work with. */
export class ClockError extends Error {
  constructor(offMs: number) {
    super(`${clockText(offMs)} Set both by NTP: certificates cannot be checked and logs mislead.`);
    this.name = 'ClockError';
  }
}

const clockText = (offMs: number) =>
  `The clock of this machine is ${Math.round(Math.abs(offMs) / 1000)} seconds ${offMs > 0 ? 'ahead of' : 'behind'} that of MongoDB.`;

export interface DatabaseClock extends Clock {
  /** Returns why this process takes no work; `undefined` when the machine's clock agrees with MongoDB's. */
  problem(): string | undefined;
  /** Ends the comparisons. */
  stop(): void;
}

export interface ClockDeps {
  readonly database: Pick<Database, 'readClock'>;
  readonly environment: 'testing' | 'production';
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
  /** The machine's wall clock and its monotonic clock (ms). */
  readonly machine?: { wallMs(): number; monotonicMs(): number };
}

const systemMachine = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * Compares the clocks at once and then every `limits.clockLookMs`. A difference of more than `limits.clockOffsetMaxMs` is logged,
 * counted, and a problem until it is gone. It is noticed as soon as it is there, without asking MongoDB.
 * @throws {ClockError} in production, when the clock of the machine is off at the start.
 */
export async function openDatabaseClock(deps: ClockDeps): Promise<DatabaseClock> {
  const { database, environment, log, metrics, machine = systemMachine } = deps;
  const compare = async () => {
    const { timeMs, uncertainMs } = await database.readClock();
    return { aheadMs: timeMs - machine.monotonicMs(), uncertainMs };
  };
  /** MongoDB's time is the monotonic clock plus this (ms). */
  let { aheadMs } = await compare();
  let comparing = false;
  let comparedMs = machine.monotonicMs();
  const nowMs = () => machine.monotonicMs() + aheadMs;
  const offMs = () => machine.wallMs() - nowMs();
  const isOff = () => Math.abs(offMs()) > limits.clockOffsetMaxMs;

  let notedMs = Number.NEGATIVE_INFINITY;
  const noteWhileOff = () => {
    if (!isOff() || machine.monotonicMs() - notedMs < limits.clockLookMs) return;
    notedMs = machine.monotonicMs();
    metrics.event('clock-off');
    log.error('clock.off', { ms: offMs() });
  };

  const look = async () => {
    if (comparing) return;
    comparing = true;
    comparedMs = machine.monotonicMs();
    try {
      const found = await compare();
      // A difference within the uncertainty of the answer changes nothing: the time does not jitter with the network delay.
      if (Math.abs(found.aheadMs - aheadMs) > found.uncertainMs) aheadMs = found.aheadMs;
      noteWhileOff();
    } catch (error) {
      log.warn('clock.not-compared', { error });
    } finally {
      comparing = false;
    }
  };

  noteWhileOff();
  if (isOff() && environment === 'production') throw new ClockError(offMs());
  const timer = setInterval(() => void look(), limits.clockLookMs);
  timer.unref();
  return {
    now: () => new Date(nowMs()),
    problem() {
      if (!isOff()) return undefined;
      // A machine that slept is off as well, because its monotonic clock may have stopped: the next comparison shows it.
      if (machine.monotonicMs() - comparedMs > limits.clockLookAgainMs) void look();
      return clockText(offMs());
    },
    stop: () => clearInterval(timer),
  };
}
