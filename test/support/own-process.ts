/** A server process that its suite may kill, freeze and start again. Port and data stay the same. */

import { testFolders } from '../../scripts/setup/paths.mjs';
import { launch } from '../../scripts/setup/program.mjs';

interface Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly exited: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface OwnProcess {
  /** Process id of the current start. */
  readonly pid: number;
  /** Sends the signal (`SIGKILL` by default) and resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** SIGSTOP: the connections stay open, but the process neither reads nor answers. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** Stops the process if it runs, starts it on the same data and resolves when it serves. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const PORT_TRIES = 5;

/** Starts a server on a free port. Tries another port when another process took this one first. */
export async function onFreePort<T>(findPort: () => Promise<number>, start: (port: number) => Promise<T>): Promise<T> {
  for (let left = PORT_TRIES; ; left -= 1) {
    try {
      return await start(await findPort());
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** Resolves when the server is ready. @param program as `scripts/setup/program.mjs` starts one */
export async function startOwnProcess(program: unknown): Promise<OwnProcess> {
  const start = (): Running => launch(program, testFolders);
  let running = start();
  await running.ready;
  const stop = () => {
    running.kill('SIGCONT');
    return running.stop();
  };
  return {
    get pid() {
      return running.pid;
    },
    kill: async (signal = 'SIGKILL') => {
      running.kill(signal);
      await running.exited;
    },
    freeze: () => running.kill('SIGSTOP'),
    thaw: () => running.kill('SIGCONT'),
    restart: async () => {
      await stop();
      running = start();
      await running.ready;
    },
    stop,
  };
}
