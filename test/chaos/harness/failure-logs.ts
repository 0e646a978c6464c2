/** Finds in the gateway's logs why it answered with server errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from './caller.js';

const TRACES_MAX = 10;

/** Returns the log lines of a folder with the `traceId` of one of the first few answers. */
export function findLogLines(folder: string, failed: readonly Exchange[]): string[] {
  const traceIds = failed.slice(0, TRACES_MAX).map(({ answer }) => String(answer?.body?.traceId));
  if (traceIds.length === 0) return [];
  const logs = join(folder, 'logs');
  const lines = readdirSync(logs).flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'));
  return lines.filter((line) => traceIds.some((traceId) => line.includes(traceId)));
}
