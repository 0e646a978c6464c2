/** Dates and times as fields of a message. */
import { DAY_MS, msBetween } from '../../../domain/time.js';
import type { Profile } from '../profile/profile.js';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const two = '2-digit';
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...parts });
  formats.set(timeZone, format);
  return format;
}

/** Returns a time in a zone as digits, for example `20271122093005`. */
function digitsOf(at: Date, timeZone: string): string {
  if (timeZone === 'UTC') return at.toISOString().replace(/\D/g, '').slice(0, 14);
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) => parts[name]).join('');
}

/** Field 7, MMDDhhmmss in UTC. */
export const transmissionTime = (at: Date): string => digitsOf(at, 'UTC').slice(4);

/** Fields 12 and 13 of 1987 (hhmmss, MMDD), or 12 of 1993 (YYMMDDhhmmss). */
export function localTimes(at: Date, timeZone: string, version: Profile['version']): Record<number, string> {
  const digits = digitsOf(at, timeZone);
  return version === '1993' ? { 12: digits.slice(2) } : { 12: digits.slice(8), 13: digits.slice(4, 8) };
}

/** Field 37: last digit of the year, day of the year, hour and STAN, as terminals number their slips. */
export function retrievalReference(at: Date, stan: string): string {
  const year = at.getUTCFullYear();
  const day = Math.floor(msBetween(new Date(Date.UTC(year, 0, 0)), at) / DAY_MS);
  return `${year % 10}${String(day).padStart(3, '0')}${String(at.getUTCHours()).padStart(2, '0')}${stan}`;
}
