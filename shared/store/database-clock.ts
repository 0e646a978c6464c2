/**
 * The time of MongoDB, which all processes share: they compare it with their monotonic clock and count on from there, so that a
 * clock of the machine that is set wrong, or stepped, decides nothing: neither what is too old to be sent nor when a cvc is
 * destroyed. How far the clock of the machine is off is still watched: certificates and logs depend on it.
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Database } from './database.js';

/** The clock of this machine cannot be worked with. */
export class ClockError extends Error {
  constructor(offMs: number) {
    super(`${clockText(offMs)} Set both by NTP: certificates cannot be checked and logs mislead.`);
    this.name = 'ClockError';
  }
}

const clockText = (offMs: number) =>
  `The clock of this machine is ${Math.round(Math.abs(offMs) / 1000)} seconds ${offMs > 0 ? 'ahead of' : 'behind'} that of MongoDB.`;

export interface DatabaseClock extends Clock {
  /** `undefined`: the machine's clock agrees with MongoDB's. Otherwise why this process takes no work. */
  problem(): string | undefined;
  /** Ends the comparisons. */
  stop(): void;
}

export interface ClockDeps {
  readonly database: Pick<Database, 'readClock'>;
  readonly environment: 'testing' | 'production';
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
  /** Milliseconds of the machine's clock; monotonic ones. */
  readonly machine?: { wallMs(): number; monotonicMs(): number };
}

const systemMachine = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * Compares at once and then every `limits.clockLookMs`. A difference of more than `limits.clockOffsetMaxMs` is logged, counted, and
 * a problem until it is gone; it is seen as soon as it is there, without asking MongoDB.
 * @throws {ClockError} in production, when the clock of the machine is off at the start.
 */
export async function openDatabaseClock(deps: ClockDeps): Promise<DatabaseClock> {
  const { database, environment, log, metrics, machine = systemMachine } = deps;
  const compare = async () => {
    const { timeMs, uncertainMs } = await database.readClock();
    return { aheadMs: timeMs - machine.monotonicMs(), uncertainMs };
  };
  /** MongoDB's time is the monotonic clock and this. */
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
      // What agrees as far as the answer is exact changes nothing: time does not jitter by the way to MongoDB.
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
      // A machine that slept is off as well, because its monotonic clock may have stood still: the next comparison tells.
      if (machine.monotonicMs() - comparedMs > limits.clockLookAgainMs) void look();
      return clockText(offMs());
    },
    stop: () => clearInterval(timer),
  };
}
