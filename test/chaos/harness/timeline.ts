/** Plans which fault happens when, from the duration and the seed of a run. All times are milliseconds since the load began. */
import type { Random } from './random.js';
import type { Topology } from './topology.js';

/** A fault that is planned for a moment of the run. */
export type TimedFault =
  | {
      readonly atMs: number;
      readonly kind: 'kill-worker' | 'kill-api' | 'restart-api' | 'flush-redis' | 'break-lines' | 'step-down-mongo';
    }
  | {
      readonly atMs: number;
      readonly kind: 'pause-worker' | 'kill-redis' | 'freeze-redis' | 'kill-mongo' | 'freeze-mongo';
      readonly forMs: number;
    }
  | { readonly atMs: number; readonly kind: 'step-clock'; readonly forMs: number; readonly seconds: number };

export interface TimelineOptions {
  readonly loadMs: number;
  /** Also kill MongoDB. */
  readonly mongo: boolean;
  /** Also end the connections to the acquirer. */
  readonly lines?: boolean;
  readonly topology?: Topology;
}

const WORKER_EVERY_MS = 5_000;
const API_EVERY_MS = 10_000;
const LINES_EVERY_MS = 7_000;
const JITTER_MS = 800;
const STEP_SECONDS = 1_200;

/** Returns the faults in order of time. The rare ones happen at a fifth, two fifths, three fifths and four fifths of the run. */
export function planTimeline(
  { loadMs, mongo, lines = false, topology }: TimelineOptions,
  random: Random,
): TimedFault[] {
  const planned: TimedFault[] = [];
  const jitter = () => random.between(-JITTER_MS, JITTER_MS);
  for (let at = WORKER_EVERY_MS; at < loadMs - 1_000; at += WORKER_EVERY_MS) {
    planned.push({ kind: 'kill-worker', atMs: at + jitter() });
  }
  for (let at = API_EVERY_MS * 0.75; at < loadMs - 1_000; at += API_EVERY_MS) {
    planned.push({ kind: 'kill-api', atMs: at + jitter() });
  }
  for (let at = LINES_EVERY_MS * 0.5; lines && at < loadMs - 1_000; at += LINES_EVERY_MS) {
    planned.push({ kind: 'break-lines', atMs: at + jitter() });
  }
  const fifth = loadMs / 5;
  const within = (most: number) => Math.round(Math.min(most, fifth));
  planned.push({ kind: 'pause-worker', atMs: Math.round(fifth), forMs: within(20_000) });
  planned.push({ kind: 'flush-redis', atMs: Math.round(fifth * 2) });
  planned.push({ kind: 'kill-redis', atMs: Math.round(fifth * 3), forMs: within(10_000) / 2 });
  if (mongo) planned.push({ kind: 'kill-mongo', atMs: Math.round(fifth * 4), forMs: 5_000 });
  if (topology) planned.push(...topologyFaults(topology, fifth));
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Returns the faults that need several servers, clock steps and restarts; each between the faults that every run has. */
function topologyFaults({ redis, mongodb, balancer, faketime }: Topology, fifth: number): TimedFault[] {
  const at = (fifths: number) => Math.round(fifth * fifths);
  const steps = (fifths: number, seconds: number): TimedFault => {
    const forMs = Math.round(Math.min(20_000, fifth * 0.6));
    return { kind: 'step-clock', atMs: at(fifths), forMs, seconds };
  };
  const restarts: TimedFault[] = [0.7, 2.7, 4.5].map((fifths) => ({ kind: 'restart-api', atMs: at(fifths) }));
  return [
    ...(redis === 'single' ? [] : [{ kind: 'freeze-redis', atMs: at(2.5), forMs: 5_000 } as const]),
    ...(mongodb === 'one'
      ? []
      : [
          { kind: 'step-down-mongo', atMs: at(1.5) } as const,
          { kind: 'freeze-mongo', atMs: at(3.3), forMs: 5_000 } as const,
        ]),
    ...(balancer ? restarts : []),
    ...(faketime ? [steps(0.2, STEP_SECONDS), steps(2.1, -STEP_SECONDS)] : []),
  ];
}
