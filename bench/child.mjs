/** Helper processes of the benchmark: each answers requests over IPC, and ends with the benchmark however that ends. */
import { fork } from 'node:child_process';
import { openSync } from 'node:fs';
import { Problem } from '../scripts/setup/problem.mjs';

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {(order: object) => Promise<any>} run
 * @property {() => void} end
 */

/**
 * Starts a module of this folder that calls {@link answerRequests}, and waits until it is ready.
 * @param {URL} module
 * @param {{ env: NodeJS.ProcessEnv, log: string, source?: boolean }} options `log`: file for its output; `source`: it imports TypeScript
 * @returns {Promise<Child>}
 */
export async function startChild(module, { env, log, source = false }) {
  const file = openSync(log, 'a');
  // A separate session, like every process of the gateway: a kernel that distributes processor time by session
  // (sched_autogroup) must not favour one of the compared sides.
  const child = fork(module, [], {
    env,
    detached: true,
    stdio: ['ignore', file, file, 'ipc'],
    serialization: 'advanced',
    execArgv: source ? ['--import', 'tsx'] : [],
  });
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const pending = new Map();
  let lastId = 0;
  const ended = new Promise((_, reject) => {
    child.once('exit', (code, signal) => {
      const problem = new Problem(`A process of the benchmark ended (${signal ?? `exit code ${code}`}): see ${log}`);
      for (const { reject: fail } of pending.values()) fail(problem);
      reject(problem);
    });
  });
  ended.catch(() => {});
  const ready = new Promise((resolve) => {
    child.on('message', (/** @type {any} */ message) => {
      if (message.ready) return resolve(undefined);
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      if (message.error) waiting?.reject(new Problem(`${message.error} (see ${log})`));
      else waiting?.resolve(message.result);
    });
  });
  await Promise.race([ready, ended]);
  return {
    pid: child.pid ?? 0,
    run: (order) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        child.send({ id: lastId, order });
      }),
    end: () => {
      child.kill('SIGKILL');
    },
  };
}

/**
 * In the child: answers every request with `run` as it arrives.
 * @param {{ run: (order: any) => Promise<unknown> }} handlers
 */
export function answerRequests({ run }) {
  process.on('message', async (/** @type {{ id: number, order: any }} */ { id, order }) => {
    try {
      process.send?.({ id, result: await run(order) });
    } catch (error) {
      console.error(error);
      process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  // Ctrl-C reaches all processes of the terminal, but the benchmark itself decides when its helpers end.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
}
