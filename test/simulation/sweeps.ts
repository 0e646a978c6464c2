/**
 * Decides when the pools of the workers sweep. A sweep depends only on the store, the time and its process. As long as nothing is
 * written, and no date has come by which a sweep finds something (nor such a date plus one of the waits that sweeps add), the sweep is
 * skipped: it would find the same as the last one.
 */
import { limits } from '../../config/limits.js';
import type { SweptPool, Worker } from './gateway.js';
import type { Process } from './process.js';
import type { SimulatedStore } from './simulated-database.js';
import type { World } from './world.js';

/** Waits that sweeps add to a date of the store. */
const WAITS_MS = [0, limits.nudgeFreshMs, limits.saveForgottenMs, limits.workOverdueMs].map((ms) => ms + 1);

interface ScheduledSweep {
  readonly process: Process;
  readonly pool: SweptPool;
  running: boolean;
  /** Version of the store at the last sweep. */
  version: number;
  startedAtMs: number;
  notBeforeMs: number;
  /** Offset within each period: processes of a pool do not sweep in step. */
  readonly phaseMs: number;
}

export class Sweeps {
  readonly #sweeps: ScheduledSweep[] = [];
  #workers = 0;
  #datesVersion = -1;
  #dates: number[] = [];

  constructor(
    private readonly world: World,
    private readonly store: SimulatedStore,
  ) {
    world.nextSweepAtMs = () => this.#nextMs();
    world.onTime.push(() => this.#sweepDue());
  }

  add({ process, pools }: Worker): void {
    const { nowMs, faultPlan, random } = this.world;
    this.#workers += 1;
    const phaseMs = faultPlan.randomized ? random() * limits.sweepMs : (this.#workers % 2) * (limits.sweepMs / 2);
    for (const pool of pools) {
      const notBeforeMs = nowMs + limits.sweepMs;
      this.#sweeps.push({ process, pool, running: false, version: -1, startedAtMs: nowMs, notBeforeMs, phaseMs });
    }
  }

  #nextMs(): number {
    return Math.min(...this.#sweeps.filter(({ process }) => !process.dead).map((one) => this.#dueAtMs(one)));
  }

  #dueAtMs(one: ScheduledSweep): number {
    if (one.running || one.process.dead) return Number.POSITIVE_INFINITY;
    const awakeMs = Math.max(one.notBeforeMs, one.process.asleepUntilMs);
    const isNew = one.version !== this.store.version;
    const fromMs = isNew ? awakeMs : Math.max(awakeMs, this.#nextDateMs(one.startedAtMs));
    return Math.ceil((fromMs - one.phaseMs) / limits.sweepMs) * limits.sweepMs + one.phaseMs;
  }

  /** Returns the first moment after `ms` at which a sweep may find something else although nothing is written. */
  #nextDateMs(ms: number): number {
    if (this.#datesVersion !== this.store.version) {
      this.#datesVersion = this.store.version;
      const dates = new Set<number>();
      this.store.forEachSweptDate((date) => dates.add(date.getTime()));
      this.#dates = [...dates];
    }
    let nextMs = Number.POSITIVE_INFINITY;
    for (const date of this.#dates) {
      for (const wait of WAITS_MS) if (date + wait > ms) nextMs = Math.min(nextMs, date + wait);
    }
    return nextMs;
  }

  #sweepDue(): void {
    for (const one of this.#sweeps) {
      if (this.#dueAtMs(one) > this.world.nowMs) continue;
      one.running = true;
      one.startedAtMs = this.world.nowMs;
      one.version = this.store.version;
      this.world.startTask(one.process, async () => {
        await one.pool.sweep().finally(() => {
          one.running = false;
          one.notBeforeMs = this.world.nowMs + 1;
        });
        // Work that the sweep does not wait for is still under way: its leases are renewed.
        await one.pool.idle?.();
      });
    }
  }
}
