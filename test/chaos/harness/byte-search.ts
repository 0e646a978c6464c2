/** Searches for many byte strings in one pass (Aho–Corasick), so that hundreds of forms cost no more than one. */
import { closeSync, openSync, readSync } from 'node:fs';

export interface ByteSearch {
  /** Calls `found` with the index of a needle and the position of its last byte. */
  search(haystack: Buffer, found: (needle: number, at: number) => void): void;
  /** The same over a file of any size. */
  searchFile(path: string, found: (needle: number, at: number) => void): void;
}

const ALPHABET = 256;
const CHUNK_BYTES = 4 * 1024 * 1024;
const ZERO_BLOCK = Buffer.alloc(64 * 1024);

interface Automaton {
  readonly next: Int32Array;
  /** Needles that end in a state. */
  readonly ends: readonly (readonly number[])[];
}

function makeAutomaton(needles: readonly Buffer[]): Automaton {
  const total = needles.reduce((sum, { length }) => sum + length, 1);
  const next = new Int32Array(total * ALPHABET).fill(-1);
  const ends: number[][] = [[]];
  needles.forEach((needle, index) => {
    let state = 0;
    for (const byte of needle) {
      const slot = state * ALPHABET + byte;
      if (next[slot] === -1) next[slot] = ends.push([]) - 1;
      state = next[slot] as number;
    }
    ends[state]?.push(index);
  });
  linkFailures(next, ends);
  return { next, ends };
}

/** Works breadth first: a state without a transition continues as its longest proper suffix would. */
function linkFailures(next: Int32Array, ends: number[][]): void {
  const failure = new Int32Array(ends.length);
  const queue: number[] = [];
  for (let byte = 0; byte < ALPHABET; byte += 1) {
    const state = next[byte] as number;
    if (state === -1) next[byte] = 0;
    else queue.push(state);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] as number;
    const fallback = failure[state] as number;
    ends[state]?.push(...(ends[fallback] ?? []));
    for (let byte = 0; byte < ALPHABET; byte += 1) {
      const slot = state * ALPHABET + byte;
      const target = next[slot] as number;
      const other = next[fallback * ALPHABET + byte] as number;
      if (target === -1) next[slot] = other;
      else {
        failure[target] = other;
        queue.push(target);
      }
    }
  }
}

export function createByteSearch(needles: readonly Buffer[]): ByteSearch {
  const { next, ends } = makeAutomaton(needles);
  const hasEnd = Uint8Array.from(ends, (list) => (list.length > 0 ? 1 : 0));

  /** Returns the state in which the next piece of the same text begins. */
  const scan = (piece: Buffer, begin: number, offset: number, found: (needle: number, at: number) => void) => {
    let state = begin;
    for (let at = 0; at < piece.length; at += 1) {
      state = next[state * ALPHABET + (piece[at] as number)] as number;
      if (hasEnd[state]) for (const needle of ends[state] ?? []) found(needle, offset + at);
    }
    return state;
  };

  return {
    search: (haystack, found) => void scan(haystack, 0, 0, found),
    searchFile: (path, found) => {
      const file = openSync(path, 'r');
      try {
        const chunk = Buffer.alloc(CHUNK_BYTES);
        let state = 0;
        for (let offset = 0; ; ) {
          const length = readSync(file, chunk, 0, CHUNK_BYTES, offset);
          if (length === 0) return;
          for (let at = 0; at < length; at += ZERO_BLOCK.length) {
            const piece = chunk.subarray(at, Math.min(at + ZERO_BLOCK.length, length));
            // Files that a database preallocated are mostly zeros, and no needle contains so many.
            if (piece.equals(ZERO_BLOCK)) state = 0;
            else state = scan(piece, state, offset + at, found);
          }
          offset += length;
        }
      } finally {
        closeSync(file);
      }
    },
  };
}
