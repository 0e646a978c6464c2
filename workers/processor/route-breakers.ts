/**
 * One circuit breaker per route: while an acquirer repeatedly cannot be reached, payments that have another route avoid it, until a probe
 * reaches it. The breakers are in memory of one process: an unreachable acquirer costs a process only a few calls that took no money, so
 * nothing has to be shared or exact. A payment without another route is sent in any case.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import { type RouteTarget, routeKeyOf } from '../../shared/domain/routing/route.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { SendResult } from '../../shared/processors/processor.js';
import { afterFailure, type Breaker, type BreakerSettings, breakerState, closedBreaker } from '../circuit-breaker.js';

export interface RouteBreakerSettings extends BreakerSettings {
  /** Failures within this time count together (ms). */
  readonly withinMs: number;
  readonly watchedMax: number;
}

export const routeBreakerSettings: RouteBreakerSettings = {
  failuresMax: limits.routeFailuresMax,
  withinMs: limits.routeFailuresMs,
  openMs: limits.routeOpenMs,
  openMsMax: limits.routeOpenMsMax,
  watchedMax: limits.routesWatched,
};

type Route = Pick<RouteTarget, 'processor' | 'acquirer'>;

interface Watched {
  readonly route: Route;
  breaker: Breaker;
  /** Time of the first of the failures that count together. */
  sinceMs: number;
  /** Whether a probe is in progress. */
  probing: boolean;
}

interface Deps {
  readonly nowMs: () => number;
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly metrics: Pick<Metrics, 'event' | 'openRoutes'>;
}

/** Takes the result of a call to a route. Called once. */
export type ReportResult = (result: SendResult | undefined) => void;

export interface RouteBreakers {
  /** Whether payments that have another route take that route: the breaker is open, or its one probe is in progress. */
  isOpen(route: Route): boolean;
  /** Begins a call; while the breaker is half-open, the first call is the probe. */
  begin(route: Route): ReportResult;
}

const isOpenAt = ({ breaker, probing }: Watched, nowMs: number): boolean => {
  const state = breakerState(breaker, nowMs);
  return state === 'open' || (state === 'half-open' && probing);
};

/** Whether the processor was reached: any answer, and a call without an outcome, shows that it was. `undefined`: unknown. */
function wasReached(result: SendResult | undefined): boolean | undefined {
  if (result?.kind !== 'not-sent') return result && true;
  return result.blocked ? undefined : false;
}

export function createRouteBreakers(settings: RouteBreakerSettings, { nowMs, log, metrics }: Deps): RouteBreakers {
  const watched = new LRUCache<string, Watched>({ max: settings.watchedMax });
  const countOpen = (processor: string) => {
    const open = [...watched.values()].filter((one) => one.route.processor === processor && one.breaker.openings > 0);
    metrics.openRoutes(processor, open.length);
  };

  const close = (one: Watched) => {
    const wasOpen = one.breaker.openings > 0;
    one.breaker = closedBreaker;
    if (!wasOpen) return;
    log.info('route.closed', { route: routeKeyOf(one.route) });
    countOpen(one.route.processor);
  };

  const fail = (one: Watched, probe: boolean) => {
    const now = nowMs();
    if (one.breaker.openings === 0 && now - one.sinceMs > settings.withinMs) one.breaker = closedBreaker;
    if (one.breaker.failures === 0) one.sinceMs = now;
    const before = one.breaker;
    one.breaker = afterFailure(before, probe, now, settings);
    if (one.breaker.openings === before.openings) return;
    if (before.openings === 0) metrics.event('route-opened');
    log.warn('route.opened', { route: routeKeyOf(one.route), ms: Math.round(one.breaker.openUntilMs - now) });
    countOpen(one.route.processor);
  };

  const watch = ({ processor, acquirer }: Route): Watched => {
    const key = routeKeyOf({ processor, acquirer });
    const known = watched.get(key);
    if (known) return known;
    const made = { route: { processor, acquirer }, breaker: closedBreaker, sinceMs: 0, probing: false };
    watched.set(key, made);
    return made;
  };

  return {
    isOpen(route) {
      const one = watched.get(routeKeyOf(route));
      return one !== undefined && isOpenAt(one, nowMs());
    },
    begin(route) {
      const one = watch(route);
      const probe = !one.probing && breakerState(one.breaker, nowMs()) === 'half-open';
      if (probe) one.probing = true;
      return (result) => {
        if (probe) one.probing = false;
        const reached = wasReached(result);
        if (reached === true) close(one);
        else if (reached === false) fail(one, probe);
      };
    },
  };
}
