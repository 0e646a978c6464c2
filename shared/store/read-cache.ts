import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';

/** A bounded cache of what was read from MongoDB a moment ago. Missing values are not cached. */
export interface ReadCache<K extends string | number, V> {
  get(key: K): Promise<V | undefined>;
  /** Returns the cached value if it is young enough, without reading. */
  peek(key: K): V | undefined;
  /** Reads the value even if it is cached; joins a read that is under way. */
  reload(key: K): Promise<V | undefined>;
  /** Call it after a change by this process; other processes see the change after `ttlMs` at the latest. */
  forget(key: K): void;
}

/**
 * Caches values for `ttlMs` from the start of the read, so that a returned value is never older. Concurrent calls for the same key share
 * one read.
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
          // A read during which `forget` was called answers its callers and is not cached.
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
    // A negative age means that the clock was set back: the age is not known, so the value is read again.
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
