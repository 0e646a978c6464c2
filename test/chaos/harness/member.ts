/** One process of a stack. It may be killed, frozen and restarted under the same name and address. */
import { readFileSync } from 'node:fs';
import { launch } from '../../../scripts/setup/program.mjs';

export type Role = 'simulator' | 'api' | 'threeds' | 'qr' | 'processor' | 'expiry' | 'callback' | 'wallet';

interface Running {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; livedMs: number }>;
  kill(signal: NodeJS.Signals): void;
}

export interface Member {
  readonly name: string;
  readonly role: Role;
  readonly alive: boolean;
  /** Whether the process runs and has been ready. */
  readonly serving: boolean;
  /** Process id of the current start; 0 while it is not running. */
  readonly pid: number;
  /** Unexpected ends after the process had been ready. */
  readonly crashes: readonly string[];
  /** Resolves when the process is ready. @throws when it ends before */
  start(): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with exit code or signal, and the duration (ms). Never kills. */
  terminate(): Promise<{ code: number | null; signal: NodeJS.Signals | null; tookMs: number }>;
  /** SIGSTOP and SIGCONT. */
  pause(): void;
  resume(): void;
  /** Resident memory in bytes; 0 when the process does not run or the system does not tell. */
  rssBytes(): number;
  /** SIGTERM, then SIGKILL after a while. */
  stop(): Promise<void>;
}

interface MemberOptions {
  readonly name: string;
  readonly role: Role;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly folders: { data: string; logs: string; run: string };
}

let startsForbidden = false;

/** Prevents all further starts, because the run is being broken off. */
export function forbidStarts(): void {
  startsForbidden = true;
}

const STOP_WITHIN_MS = 13_000;
const PAGE_BYTES = 4096;

export function createMember({ name, role, args, env, folders }: MemberOptions): Member {
  let running: Running | undefined;
  const endedOnPurpose = new WeakSet<Running>();
  const wasReady = new WeakSet<Running>();
  const crashes: string[] = [];

  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    if (!ending) return undefined;
    endedOnPurpose.add(ending);
    ending.kill(signal);
    return ending.exited;
  };

  return {
    name,
    role,
    crashes,
    get alive() {
      return running !== undefined;
    },
    get serving() {
      return running !== undefined && wasReady.has(running);
    },
    get pid() {
      return running?.pid ?? 0;
    },
    start: async () => {
      if (startsForbidden) throw new Error('the run is being broken off');
      if (running) throw new Error(`${name} runs already`);
      const { PATH = '', HOME = '' } = process.env;
      const program = {
        name,
        command: process.execPath,
        args,
        env: { PATH, HOME, ...env },
        stopWithinMs: STOP_WITHIN_MS,
      };
      const started: Running = launch(program, folders);
      running = started;
      void started.exited.then(({ code, signal }) => {
        if (running === started) running = undefined;
        if (wasReady.has(started) && !endedOnPurpose.has(started))
          crashes.push(`${name} ended by itself: ${signal ?? `exit code ${code}`}`);
      });
      try {
        await started.ready;
        wasReady.add(started);
      } catch (error) {
        // The suite itself killed the process before it was ready.
        if (!endedOnPurpose.has(started)) throw error;
      }
    },
    kill: async () => {
      await end('SIGKILL');
    },
    terminate: async () => {
      const startedAt = performance.now();
      const exit = await end('SIGTERM');
      return { code: exit?.code ?? null, signal: exit?.signal ?? null, tookMs: performance.now() - startedAt };
    },
    pause: () => running?.kill('SIGSTOP'),
    resume: () => running?.kill('SIGCONT'),
    rssBytes: () => {
      try {
        return Number(readFileSync(`/proc/${running?.pid ?? 0}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
      } catch {
        return 0;
      }
    },
    stop: async () => {
      running?.kill('SIGCONT');
      const timer = setTimeout(() => running?.kill('SIGKILL'), STOP_WITHIN_MS);
      await end('SIGTERM');
      clearTimeout(timer);
    },
  };
}
