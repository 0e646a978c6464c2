import type { Log } from '../shared/log.js';
import type { Readiness, ReadinessNotice, ReadinessReport } from './deps.js';

export interface DrainableReadiness extends Readiness {
  /** From SIGTERM on: not ready, so that no balancer sends anything new. */
  drain(): void;
}

/**
 * Tells whether the process takes requests. MongoDB decides; Redis only makes it slower (docs/reliability.md).
 * @param sources.ping throws when MongoDB does not answer in time.
 * @param sources.indexesReady asked until it said yes once: indexes do not vanish while a process runs.
 */
export function createReadiness(sources: {
  ping(): Promise<void>;
  indexesReady(): Promise<boolean>;
  redisReady(): boolean;
  /** What an operator may want to know, and what makes no process unready. */
  notices?(): Promise<readonly ReadinessNotice[]>;
  log: Log;
}): DrainableReadiness {
  let draining = false;
  let indexed = false;

  async function problemOfMongo(): Promise<Pick<ReadinessReport, 'mongodb' | 'reason'>> {
    try {
      await sources.ping();
      indexed ||= await sources.indexesReady();
      return indexed ? { mongodb: 'ok' } : { mongodb: 'ok', reason: 'indexes are missing' };
    } catch (error) {
      sources.log.warn('readiness.mongodb-silent', { error });
      return { mongodb: 'down', reason: 'MongoDB does not answer' };
    }
  }

  /** A process takes requests whatever becomes of its notices. */
  async function noticed(): Promise<readonly ReadinessNotice[]> {
    try {
      return (await sources.notices?.()) ?? [];
    } catch (error) {
      sources.log.warn('readiness.notices-unread', { error });
      return [];
    }
  }

  return {
    get draining() {
      return draining;
    },
    drain() {
      draining = true;
    },
    async check() {
      const redis = sources.redisReady() ? 'ok' : 'degraded';
      if (draining) return { ready: false, mongodb: 'ok', redis, reason: 'shutting down' };
      const { mongodb, reason } = await problemOfMongo();
      if (reason !== undefined) return { ready: false, mongodb, redis, reason };
      const notices = await noticed();
      return { ready: true, mongodb, redis, ...(notices.length > 0 && { notices }) };
    },
  };
}
