/** Random numbers that depend on a seed alone, so that a run can be repeated. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns a whole number from `min` to `max`, both inclusive. */
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** Makes an independent stream: draws from other streams do not change it. */
  fork(name: string | number): Random;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (from) => {
      const found = from[Math.floor(next() * from.length)];
      if (found === undefined) throw new Error('there is nothing to pick from');
      return found;
    },
    fork: (name) => createRandom(hash(`${seed}|${name}`)),
  };
}
