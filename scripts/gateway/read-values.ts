/** Turns words into values. Each error says what is expected. */
import { parseDateTime } from '../../shared/contract/joi-types.js';
import { merchantIdOf } from '../../shared/domain/merchant.js';
import { after } from '../../shared/domain/time.js';
import { UsageError } from './command.js';

const DURATION = /^(\d{1,6})(s|m|h|d)$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

/** Reads `90d`, `24h`, `15m`, `30s` as milliseconds. @throws {UsageError} */
export function readDuration(text: string, option: string): number {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined) throw new UsageError(`--${option} takes a duration: 30s, 15m, 24h or 90d.`);
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/**
 * Reads a moment in the past: a date or a date-time, in UTC if it has no offset (as in the API), or how long ago.
 * @throws {UsageError} when it is not a moment, or is in the future
 */
export function readPastMoment(text: string, option: string, now: Date): Date {
  if (DURATION.test(text)) return after(now, -readDuration(text, option));
  const moment = parseDateTime(text);
  if (!moment) {
    throw new UsageError(`--${option} takes a date (2027-01-31, 2027-01-31T12:00:00Z) or how long ago (24h).`);
  }
  if (moment > now) throw new UsageError(`--${option} is in the future.`);
  return moment;
}

/**
 * Reads a moment in the future: a date-time with its offset, a date (its start in UTC), or a duration from now.
 * @throws {UsageError} when it is not a moment, or has passed
 */
export function readMoment(text: string, option: string, now: Date): Date {
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const dated = iso ? parseDateTime(text) : undefined;
  const moment = DURATION.test(text) ? after(now, readDuration(text, option)) : dated;
  if (!moment) {
    throw new UsageError(`--${option} takes a date (2027-01-31, 2027-01-31T12:00:00Z) or a duration (90d).`);
  }
  if (moment <= now) throw new UsageError(`--${option} must be in the future.`);
  return moment;
}

/** Reads the number of a merchant. @throws {UsageError} */
export function readMerchantId(text: string): number {
  const id = merchantIdOf(text);
  if (id === undefined) throw new UsageError('A merchant id is a whole number from 1 to 2147483647.');
  return id;
}

/** Reads one of the values that an option takes. @throws {UsageError} that names them, and the help of the command `path` */
export function readOneOf<T extends string>(
  text: string,
  option: string,
  values: readonly T[],
  path: readonly string[],
): T {
  const found = values.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--${option} is one of ${values.join(', ')}.`, path);
  return found;
}
