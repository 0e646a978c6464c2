/** Finds when MongoDB took no durable write, for any reason: measured outside the gateway, by writes like the gateway's. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, durable } from '../../../shared/store/database.js';

/** A time span (ms since the epoch). */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface WriteWatch {
  readonly silences: readonly TimeSpan[];
  stop(): Promise<void>;
}

const EVERY_MS = 250;
/** Minimum length of a silence. A request needs two such writes, and the load's callers wait for 5 s. */
const SILENT_MS = 1_500;

/** Writes one small document again and again. A refused write is repeated until it succeeds: all of that time is one silence. */
export function watchWrites(database: Database): WriteWatch {
  const marks = database.collection<{ _id: string; at: Date }>('chaos_marks');
  const silences: TimeSpan[] = [];
  let stopped = false;
  const mark = () =>
    marks.updateOne({ _id: 'mark' }, { $set: { at: new Date() } }, { upsert: true, writeConcern: durable });

  const loop = async () => {
    while (!stopped) {
      const from = Date.now();
      while (!(await mark().catch(() => undefined)) && !stopped) await pause(EVERY_MS);
      const to = Date.now();
      if (to - from > SILENT_MS) silences.push({ from, to });
      await pause(EVERY_MS);
    }
  };
  const looping = loop();

  return {
    silences,
    stop: async () => {
      stopped = true;
      await looping;
    },
  };
}
