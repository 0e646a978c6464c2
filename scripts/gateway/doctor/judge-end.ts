import { limits } from '../../../config/limits.js';
import { after } from '../../../shared/domain/time.js';
import { daysBetween } from './examined.js';
import type { Finding, findingsOf } from './finding.js';

/** Judges when a certificate or key ends: soon is a notice, ended is wrong. */
export function judgeEnd(
  { ok, notice, wrong }: ReturnType<typeof findingsOf>,
  what: string,
  end: Date,
  now: Date,
  todo: string,
): Finding {
  const days = daysBetween(now, end);
  const until = end.toISOString().slice(0, 10);
  if (end <= now) return wrong(`${what} ended on ${until}`, todo);
  if (end <= after(now, limits.certificateWarnMs)) {
    return notice(`${what} ends in ${days} days, on ${until}`, todo);
  }
  return ok(`${what}: until ${until}`);
}
