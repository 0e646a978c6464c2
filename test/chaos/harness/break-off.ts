/** How a long run of chaos is broken off: Ctrl-C, a fault of its own or a wrong option leaves no process behind. */
import { testFolders } from '../../../scripts/setup/paths.mjs';
import { endLeftovers } from '../../../scripts/setup/program.mjs';
import { startNoMore } from './member.js';

const LEFTOVERS_MS = 2_000;

async function breakOff(): Promise<void> {
  startNoMore();
  // A server that was just being started again is found the second time.
  while ((await endLeftovers(testFolders.run, LEFTOVERS_MS)).length > 0);
  process.exit(1);
}

/** From now on. The processes of the gateway and the servers are groups of their own: Ctrl-C reaches this process alone. */
export function breakOffCleanly(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void breakOff());
  process.once('uncaughtException', (error) => {
    // A wrong option needs no stack.
    const wrong = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    console.error(wrong ? `${error.message}\nOptions: docs/chaos.md` : error);
    if (wrong) process.exit(2);
    void breakOff();
  });
}
