import type { Log } from '../shared/log.js';
import type { Readiness, ReadinessNotice, ReadinessReport } from './deps.js';

export interface DrainableReadiness extends Readiness {
  /** Called on SIGTERM: from then on the process is not ready, so that no load balancer sends new requests. */
  drain(): void;
}

/**
 * Reports whether the process takes requests. MongoDB decides; without Redis everything is only slower (docs/reliability.md).
 * @param sources.ping throws when MongoDB does not answer in time.
 * @param sources.indexesReady called until it returns true once: indexes do not vanish while a process runs.
 */
export function createReadiness(sources: {
  ping(): Promise<void>;
  indexesReady(): Promise<boolean>;
  redisReady(): boolean;
  /** Notices for the operator, which do not make the process unready. */
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

  /** Reads the notices. When that fails, the process takes requests all the same. */
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
