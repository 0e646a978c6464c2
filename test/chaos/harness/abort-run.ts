/** Breaks a long chaos run off: Ctrl-C, a bug of the run or a wrong option leaves no process behind. */
import { testFolders } from '../../../scripts/setup/paths.mjs';
import { endLeftovers } from '../../../scripts/setup/program.mjs';
import { forbidStarts } from './member.js';

const LEFTOVERS_MS = 2_000;

async function abortRun(): Promise<void> {
  forbidStarts();
  // A server that was just being restarted is found in the next round.
  while ((await endLeftovers(testFolders.run, LEFTOVERS_MS)).length > 0);
  process.exit(1);
}

/** Takes effect from now on. The gateway's processes and the servers have their own process groups: Ctrl-C reaches only this process. */
export function abortOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void abortRun());
  process.once('uncaughtException', (error) => {
    // The stack does not help with a wrong option.
    const wrong = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    console.error(wrong ? `${error.message}\nOptions: docs/chaos.md` : error);
    if (wrong) process.exit(2);
    void abortRun();
  });
}
