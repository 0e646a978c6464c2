/** Why the gateway answered with server errors, in its own words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from './caller.js';

const SERVER_ERROR = 500;
const LINES_MAX = 10;

/** Lines of the logs in a folder that have the `traceId` of such an answer, the first few. */
export function causesOf(folder: string, exchanges: readonly Exchange[]): string[] {
  const traceIds = exchanges.flatMap(({ answer }) =>
    answer && answer.status >= SERVER_ERROR && typeof answer.body?.traceId === 'string'
      ? [answer.body.traceId as string]
      : [],
  );
  if (traceIds.length === 0) return [];
  const logs = join(folder, 'logs');
  const lines = readdirSync(logs).flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'));
  return lines.filter((line) => traceIds.some((traceId) => line.includes(traceId))).slice(0, LINES_MAX);
}
