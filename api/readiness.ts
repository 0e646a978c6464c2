import { limits } from '../config/limits.js';
import type { Log } from '../shared/log.js';
import type { Readiness, ReadinessNotice, ReadinessReport } from './deps.js';

export interface DrainableReadiness extends Readiness {
  /** Called on SIGTERM: from then on the process is not ready, so that no load balancer sends new requests. */
  drain(): void;
}

/** Shares an answer among the calls that come while it is being found, and for `keptMs` afterwards. `ask` must not reject. */
function atMostEvery<T>(keptMs: number, nowMs: () => number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let keptUntilMs = Number.POSITIVE_INFINITY;
  return () => {
    if (answer && nowMs() < keptUntilMs) return answer;
    keptUntilMs = Number.POSITIVE_INFINITY;
    answer = ask().finally(() => {
      keptUntilMs = nowMs() + keptMs;
    });
    return answer;
  };
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
  /** A clock that only goes forward (ms). */
  nowMs(): number;
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

  const askMongo = async () => {
    const { mongodb, reason } = await problemOfMongo();
    return { mongodb, reason, notices: reason === undefined ? await noticed() : [] };
  };
  const mongo = atMostEvery(limits.readinessKeptMs, sources.nowMs, askMongo);

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
      const { mongodb, reason, notices } = await mongo();
      if (reason !== undefined) return { ready: false, mongodb, redis, reason };
      return { ready: true, mongodb, redis, ...(notices.length > 0 && { notices }) };
    },
  };
}
