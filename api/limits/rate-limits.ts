/** Limits how often a client may call (docs/decisions.md, "rate limits"; docs/api.md#limits). All numbers are settings. */
import type { Config } from '../../config/index.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { addressKey } from '../../shared/identity/address-key.js';
import type { Count, Counter, Counters } from './counters.js';
import type { RateGroup } from './rate-group.js';

/** Limit of one endpoint per address of the caller. */
export interface AddressLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

export interface Arrival {
  readonly clientId: string;
  readonly group: RateGroup;
  /** Whether the interactive reference sent the request. */
  readonly interactive: boolean;
}

export interface RateLimits {
  /**
   * Counts a request of a client. Returns the state of its interactive limit, if there is one.
   * @throws {GatewayError} `too-many-requests`
   */
  admit(arrival: Arrival): Promise<Count | undefined>;
  /**
   * Counts a request of an address at one endpoint.
   * @param about object of the request, for example a payment link: each object is counted separately.
   * @throws {GatewayError} `too-many-requests`
   */
  admitAddress(operationId: string, limit: AddressLimit, address: string, about?: string): Promise<void>;
}

type RateLimitConfig = Pick<
  Config,
  | 'environment'
  | 'writesPerSecond'
  | 'readsPerSecond'
  | 'interactivePaymentsPerMinute'
  | 'interactiveSessionsPerMinute'
  | 'interactiveCustomersPerMinute'
  | 'interactiveReadsPerMinute'
>;

const MINUTE_SECONDS = 60;

function refuseOverLimit(count: Count, internal: string): Count {
  if (count.allowed) return count;
  throw new GatewayError('too-many-requests', { internal, retryAfterSeconds: count.resetSeconds });
}

function interactiveMax(config: RateLimitConfig): Record<RateGroup, number> {
  if (config.environment === 'production')
    return { reads: 0, payments: 0, sessions: 0, customers: 0, configuration: 0 };
  return {
    reads: config.interactiveReadsPerMinute,
    payments: config.interactivePaymentsPerMinute,
    sessions: config.interactiveSessionsPerMinute,
    customers: config.interactiveCustomersPerMinute,
    configuration: config.interactiveCustomersPerMinute,
  };
}

export function createRateLimits(config: RateLimitConfig, counters: Counters): RateLimits {
  const perSecond = (name: string, max: number) =>
    max === 0 ? undefined : counters.counter({ name, max, windowSeconds: 1 });
  const reads = perSecond('reads', config.readsPerSecond);
  const writes = perSecond('writes', config.writesPerSecond);
  const interactive = new Map<string, Counter>();
  for (const [group, max] of Object.entries(interactiveMax(config))) {
    const name = `interactive-${group}`;
    if (max > 0) interactive.set(group, counters.counter({ name, max, windowSeconds: MINUTE_SECONDS }));
  }
  const ofAddresses = new Map<string, Counter>();

  return {
    async admit({ clientId, group, interactive: marked }) {
      const counter = group === 'reads' ? reads : writes;
      if (counter) refuseOverLimit(await counter.count(clientId), 'over the limit per second');
      const minute = marked ? interactive.get(group) : undefined;
      return minute && refuseOverLimit(await minute.count(clientId), `over the interactive limit of ${group}`);
    },

    async admitAddress(operationId, { requests, windowSeconds }, address, about) {
      let counter = ofAddresses.get(operationId);
      if (!counter) {
        counter = counters.counter({ name: `address-${operationId}`, max: requests, windowSeconds });
        ofAddresses.set(operationId, counter);
      }
      refuseOverLimit(
        await counter.count(about === undefined ? addressKey(address) : `${addressKey(address)}:${about}`),
        'over the limit of its address',
      );
    },
  };
}
