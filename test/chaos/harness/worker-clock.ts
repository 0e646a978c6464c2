/** The clock of one worker process, which is stepped while the process runs (libfaketime), and what the worker reports meanwhile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faketimeEnvironment } from '../../../scripts/setup/obtain-faketime.mjs';
import { freePort } from '../../../scripts/setup/ports.mjs';

export interface WorkerClock {
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock this far ahead of the machine's, or behind it. The process sees it within a second. */
  step(seconds: number): void;
  /** Reads `/readyz`. @throws while the process does not run */
  readiness(): Promise<{ readonly ok: boolean; readonly reason: string }>;
  /** Returns how many pieces of work the process has done since its start. @throws while the process does not run */
  countDoneWork(): Promise<number>;
}

const STEPS = /^gateway_step_seconds_count(?:\{.*?\})? (\d+)/gm;

/**
 * @param library path of libfaketime
 * @param settings of the process, with the credentials for its operator port
 */
export async function createWorkerClock(
  library: string,
  folder: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<WorkerClock> {
  const file = join(folder, `${name}.clock`);
  const step = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  step(0);
  const port: number = await freePort();
  const password = settings['OPERATOR_PASSWORD'] ?? '';
  const authorization = `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;
  const fetchOperator = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization, connection: 'close' } });
  return {
    env: { ...faketimeEnvironment(library, file), WORKER_OPERATOR_PORT: String(port) },
    step,
    readiness: async () => {
      const answer = await fetchOperator('/readyz');
      const { reason = '' } = (await answer.json()) as { reason?: string };
      return { ok: answer.ok, reason };
    },
    countDoneWork: async () => {
      const text = await (await fetchOperator('/metrics')).text();
      return [...text.matchAll(STEPS)].reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}
