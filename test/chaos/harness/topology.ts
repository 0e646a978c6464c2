/** The servers of a chaos run: one of each kind, or as many as in production. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OwnRedisGroup, RedisServer } from '../../support/own-redis-server.js';
import { startOwnMongo, startOwnRedis } from '../../support/own-servers.js';
import { flushMongo } from './artefacts.js';
import { queueKey } from './queue-key.js';
import type { Stack } from './stack.js';

export const redisForms = ['single', 'sentinel', 'cluster'] as const;

/** Which servers there are, and whether a balancer is in front of the API processes. */
export interface Topology {
  readonly redis: (typeof redisForms)[number];
  /** One node, or three that elect a primary. */
  readonly mongodb: 'one' | 'set';
  /** The API processes are behind a balancer, and are restarted as well as killed. */
  readonly balancer: boolean;
  /** Path of libfaketime: the clocks of workers are stepped. */
  readonly faketime?: string | undefined;
}

export const singleServers: Topology = { redis: 'single', mongodb: 'one', balancer: false };

/** Whether there is more than one server of a kind. Then there are also two processes of each kind. */
export const isReplicated = ({ redis, mongodb }: Topology): boolean => redis !== 'single' || mongodb === 'set';

/** Progress of a fault. Each function is called once. */
export interface FaultProgress {
  /** The fault was injected. */
  onInjected(): void;
  /** What was taken away has a successor, or is back. */
  onRecovered(): void;
}

export interface ChaosRedis {
  readonly url: string;
  /** Servers whose commands are captured and whose files are searched. */
  readonly servers: readonly { readonly port: number; readonly password?: string }[];
  /** Values that must not be in any log, by description. */
  readonly secrets: Readonly<Record<string, string>>;
  flushAll(): Promise<void>;
  /** Makes a server unavailable, or silent, for this time or until a successor serves. */
  kill(forMs: number, progress: FaultProgress): Promise<void>;
  freeze(forMs: number, progress: FaultProgress): Promise<void>;
  stop(): Promise<void>;
}

export interface ChaosMongo {
  uri(databaseName: string): string;
  kill(forMs: number, progress: FaultProgress): Promise<void>;
  freeze(forMs: number, progress: FaultProgress): Promise<void>;
  stepDown(progress: FaultProgress): Promise<void>;
  /** Returns the folders of its files, with everything written to them. */
  files(stack: Stack): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Takes the single server away and brings it back. */
const failSingle =
  (inject: () => unknown, repair: () => unknown) =>
  async (forMs: number, { onInjected, onRecovered }: FaultProgress) => {
    await inject();
    onInjected();
    await pause(forMs);
    await repair();
    onRecovered();
  };

async function startSingleRedis(): Promise<ChaosRedis> {
  const redis = await startOwnRedis();
  const port = Number(new URL(redis.url).port);
  return {
    url: redis.url,
    servers: [{ port }],
    secrets: {},
    flushAll: redis.flushAll,
    kill: failSingle(
      () => redis.kill(),
      () => redis.restart(),
    ),
    freeze: failSingle(redis.freeze, redis.thaw),
    stop: redis.stop,
  };
}

/** @param prefix of the gateway's keys: the server that has the gateway's queue is taken away */
function groupedRedis(group: OwnRedisGroup, prefix: string): ChaosRedis {
  const key = queueKey(prefix);
  const failOwner =
    (inject: (owner: RedisServer) => unknown, repair: (owner: RedisServer) => unknown) =>
    async (forMs: number, { onInjected, onRecovered }: FaultProgress) => {
      // The server that was taken away before has to be back: otherwise no other one could take over.
      await group.awaitWhole();
      const owner = await group.awaitOwner(key);
      await inject(owner);
      onInjected();
      await group.awaitOwner(key, group.others(owner));
      onRecovered();
      await pause(forMs);
      await repair(owner);
    };
  const { url, flushAll, servers, password, sentinelPassword, stop } = group;
  return {
    url,
    servers: servers.map(({ port }) => ({ port, password })),
    secrets: { redisPassword: password, ...(sentinelPassword !== undefined && { sentinelPassword }) },
    flushAll,
    kill: failOwner(
      (owner) => owner.kill(),
      (owner) => owner.restart(),
    ),
    freeze: failOwner(
      (owner) => owner.freeze(),
      (owner) => owner.thaw(),
    ),
    stop,
  };
}

/** The modules of the servers are imported only when they are needed. */
export async function startChaosRedis(form: Topology['redis'], prefix: string): Promise<ChaosRedis> {
  if (form === 'sentinel') {
    return groupedRedis(await (await import('../../support/own-sentinels.js')).startOwnSentinels(), prefix);
  }
  if (form === 'cluster') {
    return groupedRedis(await (await import('../../support/own-redis-cluster.js')).startOwnRedisCluster(), prefix);
  }
  return startSingleRedis();
}

async function startSingleMongo(more: readonly string[]): Promise<ChaosMongo> {
  const mongo = await startOwnMongo(more);
  const kill = failSingle(
    () => mongo.kill(),
    () => mongo.restart(),
  );
  const freeze = failSingle(mongo.freeze, mongo.thaw);
  return {
    uri: mongo.uri,
    kill,
    freeze,
    // There is no other member that could become primary.
    stepDown: async () => undefined,
    files: async ({ database }) => [await flushMongo(database)],
    stop: mongo.stop,
  };
}

async function startMongoSet(more: readonly string[]): Promise<ChaosMongo> {
  const { startOwnReplicaSet } = await import('../../support/own-replica-set.js');
  const set = await startOwnReplicaSet({ more });
  type Node = Awaited<ReturnType<typeof set.awaitPrimary>>;
  const failPrimary =
    (inject: (primary: Node) => unknown, repair: (primary: Node) => unknown) =>
    async (forMs: number, { onInjected, onRecovered }: FaultProgress) => {
      await set.awaitWhole();
      const primary = await set.awaitPrimary();
      await inject(primary);
      onInjected();
      await set.awaitCommit(await set.awaitPrimary(set.others(primary)));
      onRecovered();
      await pause(forMs);
      await repair(primary);
    };
  const stepDown = failPrimary(set.stepDown, () => undefined);
  return {
    uri: set.uri,
    kill: failPrimary(
      (primary) => primary.kill(),
      (primary) => primary.restart(),
    ),
    freeze: failPrimary(
      (primary) => primary.freeze(),
      (primary) => primary.thaw(),
    ),
    stepDown: (progress) => stepDown(0, progress),
    files: async () => {
      await set.awaitWhole();
      return set.flush();
    },
    stop: set.stop,
  };
}

/** @param more arguments of every mongod */
export const startChaosMongo = (form: Topology['mongodb'], more: readonly string[]): Promise<ChaosMongo> =>
  form === 'set' ? startMongoSet(more) : startSingleMongo(more);

export const describeTopology = ({ redis, mongodb, balancer, faketime }: Topology): string =>
  [
    `Redis ${redis}`,
    mongodb === 'set' ? 'MongoDB as a set of three' : 'one MongoDB',
    ...(balancer ? ['two API processes behind a balancer'] : []),
    ...(faketime ? ['clocks that are stepped'] : []),
  ].join(', ');

/** Returns the options for `npm run chaos`. */
export const topologyOptions = ({ redis, mongodb, balancer, faketime }: Topology): string =>
  [
    redis === 'single' ? '' : ` --redis ${redis}`,
    mongodb === 'one' ? '' : ' --mongodb set',
    balancer ? ' --balancer' : '',
    faketime ? ' --clocks' : '',
  ].join('');
