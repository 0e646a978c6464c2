/**
 * Leases follow MongoDB's clock, due dates and expiries that of the process: where the two differ much, a worker fails payments
 * as too old and destroys cvcs that are still needed. The cause would be hard to find, so it is measured and logged.
 */
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Database } from './database.js';

/** The clock of this machine cannot be worked with. */
export class ClockError extends Error {
  constructor(offsetMs: number) {
    const seconds = Math.round(Math.abs(offsetMs) / 1000);
    super(
      `The clock of this machine is ${seconds} seconds ${offsetMs > 0 ? 'ahead of' : 'behind'} that of MongoDB. ` +
        'Set both by NTP: payments would be failed as too old, and card data destroyed too soon or too late.',
    );
    this.name = 'ClockError';
  }
}

interface Watched {
  readonly database: Pick<Database, 'clockOffsetMs'>;
  readonly environment: 'testing' | 'production';
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/**
 * Looks at once and then every `limits.clockLookMs`; a difference of more than `limits.clockOffsetMaxMs` is logged and counted.
 * @returns ends the watch.
 * @throws {ClockError} at the first look, in production.
 */
export async function watchClock({ database, environment, log, metrics }: Watched): Promise<() => void> {
  const look = async () => {
    const offsetMs = await database.clockOffsetMs();
    if (Math.abs(offsetMs) <= limits.clockOffsetMaxMs) return 0;
    metrics.event('clock-off');
    log.error('clock.off', { ms: offsetMs });
    return offsetMs;
  };
  const offsetMs = await look();
  if (offsetMs !== 0 && environment === 'production') throw new ClockError(offsetMs);
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn('clock.not-compared', { error }));
  }, limits.clockLookMs);
  timer.unref();
  return () => clearInterval(timer);
}
