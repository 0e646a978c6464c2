/** When MongoDB took no durable write, whatever the reason: seen from beside the gateway, by writing as it does. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, durable } from '../../../shared/store/database.js';

/** A time in milliseconds since the epoch. */
export interface Hole {
  readonly from: number;
  readonly to: number;
}

export interface SilenceWatch {
  readonly silences: readonly Hole[];
  stop(): Promise<void>;
}

const EVERY_MS = 250;
/** A request needs two such writes, and the load's callers wait for 5 s. */
const SILENT_MS = 1_500;

/** Writes one small document again and again. What is refused is tried until it is made: all of that is one silence. */
export function watchWrites(database: Database): SilenceWatch {
  const marks = database.collection<{ _id: string; at: Date }>('chaos_marks');
  const silences: Hole[] = [];
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
