/** The installation in which faults are injected: a whole gateway, its servers in one form or another, and clients that see the effects. */
import type { OwnRedisGroup } from '../../support/own-redis-server.js';
import { type OwnMongo, type OwnRedis, startOwnMongo, startOwnRedis } from '../../support/own-servers.js';
import { type Balancer, startBalancer } from './balancer.js';
import { type Caller, createCaller } from './caller.js';
import { queueKey } from './queue-key.js';
import { type Stack, startStack } from './stack.js';

/** `redis`: one server. `bare-cluster`: masters without replicas. `balancer`: APIs behind one. `clocks`: workers with own clocks. */
export const faultSetupKinds = ['redis', 'sentinel', 'cluster', 'bare-cluster', 'balancer', 'clocks'] as const;
export type FaultSetupKind = (typeof faultSetupKinds)[number];

export interface FaultSetup {
  readonly stack: Stack;
  readonly caller: Caller;
  readonly mongo: OwnMongo;
  /** The single Redis server, if there is one. */
  readonly redis: OwnRedis | undefined;
  /** The group of Redis servers, if there is one. */
  readonly group: OwnRedisGroup | undefined;
  readonly balancer: Balancer | undefined;
  stop(): Promise<void>;
}

const PREFIX = 'faults';
/** A key of the queue with the work that callers wait for. */
export const QUEUE_KEY = queueKey(PREFIX);
/** Longer than any answer may take: a client with this time-out sees every answer. */
const CLIENT_WAITS_MS = 120_000;

/** The modules of the servers are imported only when they are needed. */
const startGroup: Partial<Record<FaultSetupKind, () => Promise<OwnRedisGroup>>> = {
  sentinel: async () => (await import('../../support/own-sentinels.js')).startOwnSentinels(),
  cluster: async () => (await import('../../support/own-redis-cluster.js')).startOwnRedisCluster(),
  'bare-cluster': async () => (await import('../../support/own-redis-cluster.js')).startOwnRedisCluster(0),
};

/** @param faketime path of libfaketime, for `clocks` */
export async function setUpForFaults(kind: FaultSetupKind, faketime: string | undefined): Promise<FaultSetup> {
  const startOwnGroup = startGroup[kind];
  const [mongo, redis, group] = await Promise.all([
    startOwnMongo(),
    startOwnGroup ? undefined : startOwnRedis(),
    startOwnGroup?.(),
  ]);
  const stack = await startStack({
    name: `faults-${kind}`,
    mongodbUri: mongo.uri('faults'),
    redisUrl: group?.url ?? redis?.url ?? '',
    redisPrefix: PREFIX,
    counts: { api: 2, processor: 2, expiry: 1, callback: 1 },
    // 2.5 intervals of a balancer's probe: the last one may just have been made, and a busy machine is late.
    settings: kind === 'balancer' ? { DRAIN_DELAY_MS: '2500' } : {},
    faketime: kind === 'clocks' ? faketime : undefined,
  });
  const balancer = kind === 'balancer' ? await startBalancer(stack.apiUrls, 'next') : undefined;
  const caller = createCaller({
    urls: balancer ? [balancer.url] : stack.apiUrls,
    ...stack.sandbox,
    connections: 1_024,
    headersMs: CLIENT_WAITS_MS,
  });
  const stop = async () => {
    await caller.close();
    await balancer?.close();
    await stack.stop();
    await Promise.all([mongo.stop(), redis?.stop(), group?.stop()]);
  };
  return { stack, caller, mongo, redis, group, balancer, stop };
}
