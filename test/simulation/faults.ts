/**
 * The points at which a process can be struck, and what can happen there. A point is an operation that leaves the process: of the
 * store, of the queue, to a processor, a bank, an issuer or a receiver, and the answer to a caller. Between two points a process only
 * computes: whatever it loses there it loses at one of them as well.
 */

/** What happens at each kind of point. The comment says what the world does. */
export const faultsAt = {
  /** A read that found something. */
  read: ['dies-before', 'fails', 'sleeps'],
  /** A write. `ack-lost`: it is made, and its caller hears of an error. `fails`: it is not made. */
  write: ['dies-before', 'dies-after', 'fails', 'ack-lost', 'sleeps'],
  /** A write of several documents at once: beside the others, it stops in the middle. */
  batch: ['dies-before', 'dies-after', 'fails', 'ack-lost', 'half', 'sleeps'],
  /** A nudge is added. `stuck`: a worker takes it and dies with it. `refused`: Redis is away. */
  nudge: ['dies-before', 'dies-after', 'lost', 'twice', 'stuck', 'refused'],
  /** An outcome is published to the API process that waits. */
  reply: ['lost', 'dies-before'],
  /** The answer to a caller. `lost`: the caller is gone. */
  answer: ['dies-before', 'lost'],
  /** An operation with an effect. `lost`: never arrives. `silent`: done, no answer. `late`: done after the time-out. `slow`: answered late. */
  send: ['dies-before', 'dies-after', 'not-sent', 'lost', 'silent', 'late', 'slow', 'pending', 'sleeps'],
  /** A question: nothing changes at the other side. */
  ask: ['dies-before', 'dies-after', 'lost', 'slow'],
  /** A callback. `refused`: the receiver answers 500. */
  post: ['dies-before', 'dies-after', 'lost', 'silent', 'refused'],
} as const;

export type PointKind = keyof typeof faultsAt;
export type Fault = (typeof faultsAt)[PointKind][number];

export interface Point {
  /** Number of the point in its run, from 0. */
  readonly at: number;
  readonly kind: PointKind;
  /** What is done there, for the report. */
  readonly label: string;
  readonly process: string;
}

/** Decides what happens at each point. */
export interface Fate {
  /** `undefined`: all is well. */
  strike(point: Point): Fault | undefined;
  /** From 0 (inclusive) to 1 (exclusive): what else is left to chance. */
  random(): number;
  /** Whether the order of what is ready, and how long things take, are left to chance too. */
  readonly shuffles: boolean;
}

/** One story without chance, and these faults in it. */
export function planned(...strikes: readonly { readonly at: number; readonly fault: Fault }[]): Fate {
  const byPoint = new Map(strikes.map(({ at, fault }) => [at, fault]));
  return { strike: ({ at }) => byPoint.get(at), random: () => 0.5, shuffles: false };
}

/** mulberry32: small, fast, and the same everywhere. */
export function randomOf(seed: number): () => number {
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
/** So often something happens at a point, while faults are left. */
const CHANCE = 0.12;

/** A seed decides who goes on next, how long things take, and up to six faults: a world in which they never end proves nothing. */
export function seeded(seed: number): Fate {
  const random = randomOf(seed);
  let left = Math.floor(random() * FAULTS_MAX);
  return {
    random,
    shuffles: true,
    strike({ kind }) {
      if (left === 0 || random() > CHANCE) return undefined;
      left -= 1;
      const possible = faultsAt[kind];
      return possible[Math.floor(random() * possible.length)];
    },
  };
}
