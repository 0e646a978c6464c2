/**
 * Measures how long the same servers have been connected without a break. A Redis that failed over, or lost its last second, hands a
 * job out again: right after such a break another worker may have the job too (docs/reliability.md, "Two writes").
 */
import { Cluster } from 'ioredis';
import { mastersOf, type Redis } from './redis.js';

/** Milliseconds since the last break; infinite as long as there was none. */
export type Unbroken = () => number;

function watchServer(redis: Redis): Unbroken {
  let sinceMs = Number.NEGATIVE_INFINITY;
  redis.on('close', () => {
    sinceMs = Number.POSITIVE_INFINITY;
  });
  redis.on('ready', () => {
    if (sinceMs > 0) sinceMs = performance.now();
  });
  return () => performance.now() - sinceMs;
}

/**
 * A cluster as a whole stays connected while its nodes change. After each break the connection to a node is a new object, and a
 * promoted node is among the masters before the first command goes to it. When the masters are not the same objects as before, there
 * was a break.
 */
function watchCluster(cluster: Cluster): Unbroken {
  let known: ReadonlySet<unknown> | undefined;
  let sinceMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    const masters = mastersOf(cluster);
    if (known && (known.size !== masters.length || !masters.every((master) => known?.has(master)))) {
      sinceMs = performance.now();
    }
    if (known || cluster.status === 'ready') known = new Set(masters);
  };
  cluster.on('ready', look);
  cluster.on('refresh', look);
  look();
  return () => {
    look();
    return performance.now() - sinceMs;
  };
}

/** Begins to watch a connection that was just made. */
export const watchUnbroken = (redis: Redis): Unbroken =>
  redis instanceof Cluster ? watchCluster(redis) : watchServer(redis);
