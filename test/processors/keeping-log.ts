import type { Log, LogFields } from '../../shared/log.js';

/** A log that keeps what it was given. */
export function keepingLog(): Log & { text(): string } {
  const lines: string[] = [];
  const keep = (message: string, fields: LogFields = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log, text: () => lines.join('\n') };
  return log;
}
