import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';

/** A bounded memory of what was read from MongoDB a moment ago. What does not exist is not remembered. */
export interface ReadCache<K extends string | number, V> {
  get(key: K): Promise<V | undefined>;
  /** What is remembered and young enough, without reading. */
  peek(key: K): V | undefined;
  /** Reads whatever is remembered; joins a read that is under way. */
  reload(key: K): Promise<V | undefined>;
  /** To be called after a change by this process; others see it after `ttlMs` at the latest. */
  forget(key: K): void;
}

/**
 * Remembers for `ttlMs` from the start of the read, so that what is answered is never older. All who ask for the same key at
 * once share one read.
 */
export function createReadCache<K extends string | number, V>(options: {
  max: number;
  ttlMs: number;
  clock: Clock;
  load: (key: K) => Promise<V | undefined>;
}): ReadCache<K, V> {
  const { clock, ttlMs, load } = options;
  const entries = new LRUCache<K, { value: V; readAtMs: number }>({ max: options.max });
  const reading = new Map<K, { readonly answer: Promise<V | undefined> }>();

  function read(key: K): Promise<V | undefined> {
    const readAtMs = clock.now().getTime();
    const mine = {
      answer: load(key).then(
        (value) => {
          // A read that `forget` overtook answers those who wait for it and is not remembered.
          if (reading.get(key) === mine) {
            reading.delete(key);
            if (value === undefined) entries.delete(key);
            else entries.set(key, { value, readAtMs });
          }
          return value;
        },
        (error: unknown) => {
          if (reading.get(key) === mine) reading.delete(key);
          throw error;
        },
      ),
    };
    reading.set(key, mine);
    return mine.answer;
  }

  const reload = (key: K) => reading.get(key)?.answer ?? read(key);

  function peek(key: K): V | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const ageMs = clock.now().getTime() - entry.readAtMs;
    // A negative age means that the clock was set back: the age is not known, so it is read again.
    return ageMs >= 0 && ageMs < ttlMs ? entry.value : undefined;
  }

  return {
    get: async (key) => peek(key) ?? reload(key),
    peek,
    reload,
    forget(key) {
      entries.delete(key);
      reading.delete(key);
    },
  };
}
