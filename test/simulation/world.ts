/**
 * A deterministic world: one seed decides who goes on next, what is lost, who crashes, who sleeps and how time passes.
 * Everything that waits for something outside of its process waits here.
 */
export interface Process {
  readonly name: string;
  dead: boolean;
  /** Stopped by its machine: nothing of it runs and no lease of it is renewed until then. */
  frozenUntilMs: number;
}

/** The process is gone: whatever awaits this is never resumed. Thrown nowhere, seen by nobody. */
interface Waiting {
  readonly process: Process;
  resume(): void;
}

interface Timer {
  readonly atMs: number;
  readonly order: number;
  run(): void;
}

/** mulberry32: small, fast, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const EPOCH_MS = Date.UTC(2026, 0, 1);

export class World {
  nowMs = EPOCH_MS;
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  readonly random: () => number;
  #waiting: Waiting[] = [];
  #timers: Timer[] = [];
  #order = 0;
  /** Crashes and sleeps that are left: a world without end proves nothing. */
  #faults: number;
  readonly processes = new Set<Process>();

  constructor(readonly seed: number) {
    this.random = randomOf(seed);
    this.#faults = Math.floor(this.random() * 5);
  }

  now = (): Date => new Date(this.nowMs);
  chance = (probability: number): boolean => this.random() < probability;
  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  violated(invariant: string, text: string): void {
    this.violations.push(`${invariant}: ${text}`);
  }
  note(text: string): void {
    this.trace.push(`${((this.nowMs - EPOCH_MS) / 1000).toFixed(1)} ${text}`);
  }

  spawn(name: string, run: (process: Process) => Promise<unknown>): void {
    const process: Process = { name, dead: false, frozenUntilMs: 0 };
    this.processes.add(process);
    run(process)
      .catch((error: unknown) => this.note(`${name} failed: ${error instanceof Error ? error.message : 'error'}`))
      .finally(() => this.processes.delete(process));
  }

  /** A point at which the process may crash, sleep, or simply be overtaken. */
  step(process: Process): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.push({ process, resume });
    });
  }

  after(ms: number, run: () => void): void {
    this.#order += 1;
    this.#timers.push({ atMs: this.nowMs + ms, order: this.#order, run });
  }

  async sleep(process: Process, ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(ms, resolve));
    await this.step(process);
  }

  /** When the next timer or the end of a sleep is. */
  nextAtMs(): number {
    const sleeping = this.#waiting.map(({ process }) => process.frozenUntilMs).filter((atMs) => atMs > this.nowMs);
    return Math.min(...this.#timers.map(({ atMs }) => atMs), ...sleeping);
  }

  advanceTo(atMs: number): void {
    this.nowMs = Math.max(this.nowMs, atMs);
    const due = this.#timers.filter((timer) => timer.atMs <= this.nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.nowMs);
    for (const timer of due.sort((a, b) => a.atMs - b.atMs || a.order - b.order)) timer.run();
  }

  /** Lets somebody go on, or strikes. False when nobody can. */
  turn(): boolean {
    this.#waiting = this.#waiting.filter(({ process }) => !process.dead);
    const able = this.#waiting.filter(({ process }) => process.frozenUntilMs <= this.nowMs);
    if (able.length === 0) return false;
    const chosen = this.pick(able);
    if (this.#faults > 0 && this.chance(0.12)) {
      this.#faults -= 1;
      this.#strike(chosen.process);
      return true;
    }
    if (this.chance(0.3)) this.advanceTo(this.nowMs + Math.floor(this.random() * 300));
    this.#waiting.splice(this.#waiting.indexOf(chosen), 1);
    chosen.resume();
    return true;
  }

  #strike(process: Process): void {
    if (this.chance(0.5)) {
      process.dead = true;
      this.processes.delete(process);
      this.note(`${process.name} crashes`);
      return;
    }
    process.frozenUntilMs = this.nowMs + this.pick([1_500, 7_000, 40_000, 200_000]);
    this.note(`${process.name} sleeps until ${(process.frozenUntilMs - EPOCH_MS) / 1000}`);
  }
}
