/**
 * The points at which a fault can strike a process, and the faults that can happen there. A point is an operation that leaves the process: on
 * the store, on the queue, to a processor, a bank, an issuer or a receiver, and the answer to a caller. Between two points a process
 * only computes: everything that it can lose there it can also lose at one of the points.
 */

/** Faults at each kind of point. The comments say what the world does. */
export const faultsAt = {
  /** A read that found something. */
  read: ['dies-before', 'fails', 'sleeps'],
  /** A write. `ack-lost`: it is made, but its caller gets an error. `fails`: it is not made. */
  write: ['dies-before', 'dies-after', 'fails', 'ack-lost', 'sleeps'],
  /** A write of several documents at once. `half`: it stops in the middle. */
  batch: ['dies-before', 'dies-after', 'fails', 'ack-lost', 'half', 'sleeps'],
  /** A nudge is added. `stuck`: a worker takes it and dies with it. `refused`: Redis is unreachable. */
  nudge: ['dies-before', 'dies-after', 'lost', 'twice', 'stuck', 'refused'],
  /** An outcome is published to the API process that waits. */
  reply: ['lost', 'dies-before'],
  /** The answer to a caller. `lost`: the caller is gone. */
  answer: ['dies-before', 'lost'],
  /** An operation with effect. `lost`: never arrives. `silent`: done, no answer. `late`: done after the time-out. `slow`: late answer. */
  send: ['dies-before', 'dies-after', 'not-sent', 'lost', 'silent', 'late', 'slow', 'pending', 'sleeps'],
  /** An inquiry, which changes nothing at the other side. */
  ask: ['dies-before', 'dies-after', 'lost', 'slow'],
  /** An update that the acquirer sends by itself. `late`: long after the operation. `lost`: it is sent again until it is acknowledged. */
  update: ['late', 'twice', 'lost'],
  /** A callback. `refused`: the receiver answers 500. */
  post: ['dies-before', 'dies-after', 'lost', 'silent', 'refused'],
} as const;

export type FaultPointKind = keyof typeof faultsAt;
export type Fault = (typeof faultsAt)[FaultPointKind][number];

/** A point of a story at which a fault can strike its process. */
export interface FaultPoint {
  /** Number of the point in its run, from 0. */
  readonly at: number;
  readonly kind: FaultPointKind;
  /** Describes the operation for the report. */
  readonly label: string;
  readonly process: string;
}

/** Decides which fault happens at each point of a story, and supplies all other random choices. */
export interface FaultPlan {
  /** Returns `undefined` when nothing goes wrong at the point. */
  faultAt(point: FaultPoint): Fault | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for other random choices. */
  random(): number;
  /** Whether the order of ready tasks, and durations, are random too. */
  readonly randomized: boolean;
}

/** Builds a plan without randomness, with exactly these faults. */
export function plannedFaults(...faults: readonly { readonly at: number; readonly fault: Fault }[]): FaultPlan {
  const byPoint = new Map(faults.map(({ at, fault }) => [at, fault]));
  return { faultAt: ({ at }) => byPoint.get(at), random: () => 0.5, randomized: false };
}

/** mulberry32: small, fast, and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FAULTS_MAX = 7;
/** Probability of a fault at a point, while faults are left. */
const CHANCE = 0.12;

/** Builds a plan in which a seed decides which process continues, how long things take, and up to six faults: with endless faults nothing could be proven. */
export function seededFaults(seed: number): FaultPlan {
  const random = seededRandom(seed);
  let left = Math.floor(random() * FAULTS_MAX);
  return {
    random,
    randomized: true,
    faultAt({ kind }) {
      if (left === 0 || random() > CHANCE) return undefined;
      left -= 1;
      const possible = faultsAt[kind];
      return possible[Math.floor(random() * possible.length)];
    },
  };
}
