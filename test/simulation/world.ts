/**
 * A world of processes that only proceed in its turns. The world controls time, timers and random numbers: while it runs it replaces
 * `setTimeout`, `setInterval`, `setImmediate`, `performance.now` and `Math.random`, so that product code runs unchanged. One process
 * runs at a time, until it waits for something outside. Then another process may run, or time passes.
 */
import type { Fault, FaultPlan, FaultPoint, FaultPointKind } from './faults.js';
import type { Process } from './process.js';
import { type Timer, Timers } from './timers.js';

export const EPOCH_MS = Date.UTC(2030, 0, 1);
/** How long a process sleeps that its machine stops: longer than a lease, and longer than a claim allows to send. */
const SLEEP_MS = 20_000;
/** Maximum number of turns of a story. A story that has not ended by then never ends. */
const TURNS_MAX = 40_000;

/** Something that a process is about to do outside, or is about to receive. */
interface Task {
  readonly process: Process;
  run(): void;
}

const immediately = setImmediate;

export class World {
  nowMs = EPOCH_MS;
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  readonly points: FaultPoint[] = [];
  readonly processes = new Set<Process>();
  /** Called with each step of time, for what the database does without a request. */
  readonly onTime: (() => void)[] = [];
  /** Called when no process can continue: returns when the next sweep is due, or `Infinity` for never. */
  nextSweepAtMs: () => number = () => Number.POSITIVE_INFINITY;
  /** Whether the story is over. Asked when no process can continue at this moment. */
  isOver: () => boolean = () => false;
  readonly #timers = new Timers(() => this.nowMs);
  #tasks: Task[] = [];
  #immediates: (() => void)[] = [];
  #watches: { condition(): boolean; resume(): void }[] = [];
  #current: Process | undefined;

  /** @param tracing whether events are recorded */
  constructor(
    readonly faultPlan: FaultPlan,
    private readonly tracing: boolean,
  ) {}

  now = (): Date => new Date(this.nowMs);
  random = (): number => this.faultPlan.random();
  pick = <T>(list: readonly T[]): T => list[Math.floor(this.random() * list.length)] as T;

  violated(invariant: string, text: string): void {
    this.violations.push(`${invariant}: ${text}`);
    this.note(`VIOLATION ${invariant}: ${text}`);
  }

  note(text: string): void {
    if (this.tracing) this.trace.push(`${((this.nowMs - EPOCH_MS) / 1000).toFixed(3)} ${text}`);
  }

  /** Returns the process whose code is running. */
  get current(): Process {
    if (!this.#current) throw new Error('no process is running');
    return this.#current;
  }

  spawn(name: string): Process {
    const process = { name, dead: false, asleepUntilMs: 0, storeFailedAtMs: 0, busy: 0, onDeath: [] };
    this.processes.add(process);
    return process;
  }

  kill(process: Process): void {
    if (process.dead) return;
    process.dead = true;
    this.processes.delete(process);
    this.#timers.removeAllOf(process);
    this.note(`${process.name} dies`);
    for (const notify of process.onDeath) notify();
  }

  sleep(process: Process): void {
    process.asleepUntilMs = this.nowMs + SLEEP_MS;
    this.note(`${process.name} sleeps`);
  }

  /** Passes a point of the story, and returns the fault that happens there. */
  passPoint(process: Process, kind: FaultPointKind, label: string): Fault | undefined {
    // A process that has died does not execute the operation.
    if (process.dead) return 'dies-before';
    const point = { at: this.points.length, kind, label, process: process.name };
    this.points.push(point);
    const fault = this.faultPlan.faultAt(point);
    this.note(`${process.name} ${label} [${point.at}]${fault ? ` ${fault.toUpperCase()}` : ''}`);
    if (fault && ['read', 'write', 'batch'].includes(kind)) process.storeFailedAtMs = this.nowMs;
    return fault;
  }

  /** Schedules a task of a process for one of its turns. */
  post(process: Process, run: () => void): void {
    if (!process.dead) this.#tasks.push({ process, run });
  }

  /** The same for a task that takes time. It counts as under way until it ends. */
  startTask(process: Process, work: () => Promise<unknown>): void {
    this.post(process, () => {
      if (process.busy === 0) this.#timers.restartIntervals(process);
      process.busy += 1;
      work()
        .catch((error: unknown) => this.note(`${process.name} failed: ${error instanceof Error ? error.message : ''}`))
        .finally(() => {
          process.busy -= 1;
        });
    });
  }

  /** Schedules something outside of all processes. */
  after(ms: number, run: () => void): Timer {
    return this.#timers.add(undefined, ms, run);
  }

  /** Schedules a task of a process after a delay: as when an answer arrives. */
  postAfter(process: Process, ms: number, run: () => void): void {
    if (ms <= 0) this.post(process, run);
    else this.after(ms, () => this.post(process, run));
  }

  /** Resolves in a turn of `process` once the condition is true. */
  waitUntil(process: Process, condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watches.push({ condition, resume: () => this.post(process, resolve) });
    });
  }

  pause(process: Process, ms: number): Promise<void> {
    return new Promise((resolve) => this.postAfter(process, ms, resolve));
  }

  run(): Promise<void> {
    const hooks = {
      current: () => this.current,
      immediate: (run: () => void) => this.#immediates.push(run),
      random: this.random,
    };
    return this.#timers.runIn(hooks, () => this.#runTurns());
  }

  async #runTurns(): Promise<void> {
    for (let turns = 0; this.violations.length === 0 && (this.#runTurn() || this.#passTime()); turns += 1) {
      await this.#drain();
      // Due timers fire in every turn: even a process that is always busy renews its leases.
      this.#postDueTimers();
      this.#checkWatches();
      if (turns === TURNS_MAX) this.violated('end', 'the story never came to rest');
    }
  }

  /** Lets resumed code run until it waits for the world again. Only one process runs, so all of this code is part of it. */
  async #drain(): Promise<void> {
    do {
      await new Promise<void>((resolve) => immediately(resolve));
      for (const run of this.#immediates.splice(0)) run();
    } while (this.#immediates.length > 0);
  }

  #checkWatches(): void {
    for (const watch of [...this.#watches]) {
      if (!watch.condition()) continue;
      this.#watches.splice(this.#watches.indexOf(watch), 1);
      watch.resume();
    }
  }

  /** Lets a process run its ready tasks: all at once, as after one look at its sockets, or a random part of them. */
  #runTurn(): boolean {
    this.#tasks = this.#tasks.filter(({ process }) => !process.dead);
    const runnable = this.#tasks.filter(({ process }) => process.asleepUntilMs <= this.nowMs);
    const [first] = runnable;
    if (!first) return false;
    const { randomized } = this.faultPlan;
    const { process } = randomized ? this.pick(runnable) : first;
    const ownTasks = runnable.filter((task) => task.process === process);
    const chosen = randomized ? this.#randomSubset(ownTasks) : ownTasks;
    this.#tasks = this.#tasks.filter((task) => !chosen.includes(task));
    this.#advanceTime(randomized && this.random() < 0.2 ? Math.floor(this.random() * 400) : 1);
    this.#current = process;
    for (const task of chosen) if (!process.dead) task.run();
    return true;
  }

  #randomSubset<T>(list: readonly T[]): T[] {
    const chosen = list.filter(() => this.random() < 0.6);
    return chosen.length > 0 ? chosen : [this.pick(list)];
  }

  #passTime(): boolean {
    if (this.isOver()) return false;
    const asleep = this.#tasks.map(({ process }) => process.asleepUntilMs);
    const nextMs = Math.min(this.#timers.nextMs(), this.nextSweepAtMs(), ...asleep);
    if (nextMs === Number.POSITIVE_INFINITY) return false;
    this.#advanceTime(Math.max(0, nextMs - this.nowMs));
    this.#postDueTimers();
    return true;
  }

  /** Adds the timers that are due to the tasks. */
  #postDueTimers(): void {
    for (const { process, run } of this.#timers.takeDue()) {
      if (process) this.post(process, run);
      else run();
    }
  }

  #advanceTime(ms: number): void {
    this.nowMs += ms;
    for (const pass of this.onTime) pass();
  }
}
