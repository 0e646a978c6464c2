/** The timers of a world: each belongs to a process, and dies and sleeps with the process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Process } from './process.js';

export interface Timer {
  /** `undefined` for a timer of the world itself. */
  readonly process: Process | undefined;
  atMs: number;
  readonly everyMs?: number;
  readonly order: number;
  run(): void;
}

/** Replacement of Node's timers while a world runs. */
interface RunningWorld {
  readonly timers: Timers;
  current(): Process;
  immediate(run: () => void): void;
  random(): number;
}

type Callback = (...args: unknown[]) => void;

/** A handle of a timer, as Node returns it. */
interface Handle {
  readonly timer: Timer;
  ref(): Handle;
  unref(): Handle;
}

const handleOf = (timer: Timer): Handle => {
  const handle: Handle = { timer, ref: () => handle, unref: () => handle };
  return handle;
};

const worldStorage = new AsyncLocalStorage<RunningWorld>();

/**
 * Returns the world whose code is running. Between its turns the event loop also runs other code of the thread, such as leftovers of
 * another suite: their timers would otherwise fire in the time of the world, without an end.
 */
const runningWorld = (): RunningWorld | undefined => worldStorage.getStore();

/**
 * Replaces Node's timers, clocks and random numbers once. While no world runs, the replacements call Node's. Replacing and
 * restoring them with each story would cost as much as the story.
 */
function replaceTimers(): void {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval } = globalThis;
  const { now } = performance;
  const { now: dateNow } = Date;
  const { random } = Math;
  const clearing = (clear: (handle: never) => void) => (handle?: Handle) => {
    const running = runningWorld();
    return running && handle?.timer ? running.timers.remove(handle.timer) : clear(handle as never);
  };
  const replacements = {
    setTimeout: (run: Callback, ms = 0, ...args: unknown[]) => {
      const running = runningWorld();
      if (!running) return setTimeout(run, ms, ...args);
      return handleOf(running.timers.add(running.current(), ms, () => run(...args)));
    },
    setInterval: (run: Callback, ms = 0, ...args: unknown[]) => {
      const running = runningWorld();
      return running ? handleOf(running.timers.add(running.current(), ms, run, ms)) : setInterval(run, ms, ...args);
    },
    setImmediate: (run: Callback, ...args: unknown[]) => {
      const running = runningWorld();
      return running ? running.immediate(() => run(...args)) : setImmediate(run, ...args);
    },
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
  };
  Object.assign(globalThis, replacements);
  performance.now = () => runningWorld()?.timers.nowMs() ?? now.call(performance);
  Date.now = () => runningWorld()?.timers.nowMs() ?? dateNow();
  Math.random = () => runningWorld()?.random() ?? random();
}

let replaced = false;

export class Timers {
  #timers: Timer[] = [];
  #order = 0;

  constructor(readonly nowMs: () => number) {}

  add(process: Process | undefined, ms: number, run: () => void, everyMs?: number): Timer {
    this.#order += 1;
    const atMs = this.nowMs() + Math.max(0, ms);
    const timer = { process, atMs, order: this.#order, run, ...(everyMs !== undefined && { everyMs }) };
    this.#timers.push(timer);
    return timer;
  }

  remove(timer: Timer): void {
    this.#timers = this.#timers.filter((one) => one !== timer);
  }

  removeAllOf(process: Process): void {
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
  }

  /** Restarts the intervals of a process that was idle: meanwhile they did nothing. */
  restartIntervals(process: Process): void {
    for (const timer of this.#timers) {
      if (timer.process !== process || timer.everyMs === undefined || timer.atMs > this.nowMs()) continue;
      timer.atMs = this.nowMs() + timer.everyMs;
    }
  }

  /** Returns when the next timer fires. An interval only counts while its process has something under way. */
  nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) if (this.#isActive(timer)) nextMs = Math.min(nextMs, this.#firesAtMs(timer));
    return nextMs;
  }

  /** Removes and returns the timers that are due, in order. */
  takeDue(): Timer[] {
    const now = this.nowMs();
    const due = this.#timers.filter((timer) => this.#isActive(timer) && this.#firesAtMs(timer) <= now);
    this.#timers = this.#timers.filter((timer) => timer.everyMs !== undefined || !due.includes(timer));
    for (const timer of due) if (timer.everyMs !== undefined) timer.atMs = now + timer.everyMs;
    return due.sort((one, other) => one.order - other.order);
  }

  /** Runs `story`. All code that it starts uses these timers. */
  runIn(hooks: Omit<RunningWorld, 'timers'>, story: () => Promise<void>): Promise<void> {
    if (!replaced) replaceTimers();
    replaced = true;
    if (runningWorld()) throw new Error('another world is running');
    return worldStorage.run({ ...hooks, timers: this }, story);
  }

  #firesAtMs({ process, atMs }: Timer): number {
    return Math.max(atMs, process?.asleepUntilMs ?? 0);
  }

  #isActive({ process, everyMs }: Timer): boolean {
    return everyMs === undefined || (process !== undefined && process.busy > 0);
  }
}
