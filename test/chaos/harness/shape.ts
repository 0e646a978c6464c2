/** The servers of a chaos run: one of each kind, or as many as in production. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OwnRedisGroup, RedisServer } from '../../support/own-redis-server.js';
import { startOwnMongo, startOwnRedis } from '../../support/own-servers.js';
import { flushMongo } from './artefacts.js';
import { queueKey } from './queue-key.js';
import type { Stack } from './stack.js';

export const redisForms = ['single', 'sentinel', 'cluster'] as const;

export interface Shape {
  readonly redis: (typeof redisForms)[number];
  /** One node, or three that elect a primary. */
  readonly mongodb: 'one' | 'set';
  /** The API processes are behind a balancer, and are restarted as well as killed. */
  readonly balancer: boolean;
  /** Path of libfaketime: the clocks of workers are stepped. */
  readonly faketime?: string | undefined;
}

export const plainShape: Shape = { redis: 'single', mongodb: 'one', balancer: false };

/** Whether there is more than one server of a kind. Then there are also two processes of each kind. */
export const isReal = ({ redis, mongodb }: Shape): boolean => redis !== 'single' || mongodb === 'set';

/** Progress of a blow. Each function is called once. */
export interface Blows {
  /** The blow has landed. */
  landed(): void;
  /** What was taken away has a successor, or is back. */
  flows(): void;
}

export interface ChaosRedis {
  readonly url: string;
  /** Servers whose commands are captured and whose files are searched. */
  readonly servers: readonly { readonly port: number; readonly password?: string }[];
  /** Values that must not be in any log, by description. */
  readonly secrets: Readonly<Record<string, string>>;
  flushAll(): Promise<void>;
  /** Makes a server unavailable, or silent, for this time or until a successor serves. */
  kill(forMs: number, blows: Blows): Promise<void>;
  freeze(forMs: number, blows: Blows): Promise<void>;
  stop(): Promise<void>;
}

export interface ChaosMongo {
  uri(databaseName: string): string;
  kill(forMs: number, blows: Blows): Promise<void>;
  freeze(forMs: number, blows: Blows): Promise<void>;
  stepDown(blows: Blows): Promise<void>;
  /** Returns the folders of its files, with everything written to them. */
  files(stack: Stack): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Takes the single server away and brings it back. */
const takeAway =
  (strike: () => unknown, mend: () => unknown) =>
  async (forMs: number, { landed, flows }: Blows) => {
    await strike();
    landed();
    await pause(forMs);
    await mend();
    flows();
  };

async function startSingleRedis(): Promise<ChaosRedis> {
  const redis = await startOwnRedis();
  const port = Number(new URL(redis.url).port);
  return {
    url: redis.url,
    servers: [{ port }],
    secrets: {},
    flushAll: redis.flushAll,
    kill: takeAway(
      () => redis.kill(),
      () => redis.restart(),
    ),
    freeze: takeAway(redis.freeze, redis.thaw),
    stop: redis.stop,
  };
}

/** @param prefix of the gateway's keys: the server that has the gateway's queue is taken away */
function groupedRedis(group: OwnRedisGroup, prefix: string): ChaosRedis {
  const key = queueKey(prefix);
  const fail =
    (strike: (owner: RedisServer) => unknown, mend: (owner: RedisServer) => unknown) =>
    async (forMs: number, { landed, flows }: Blows) => {
      // The server that was taken away before has to be back: otherwise no other one could take over.
      await group.awaitWhole();
      const owner = await group.awaitOwner(key);
      await strike(owner);
      landed();
      await group.awaitOwner(key, group.others(owner));
      flows();
      await pause(forMs);
      await mend(owner);
    };
  const { url, flushAll, servers, password, sentinelPassword, stop } = group;
  return {
    url,
    servers: servers.map(({ port }) => ({ port, password })),
    secrets: { redisPassword: password, ...(sentinelPassword !== undefined && { sentinelPassword }) },
    flushAll,
    kill: fail(
      (owner) => owner.kill(),
      (owner) => owner.restart(),
    ),
    freeze: fail(
      (owner) => owner.freeze(),
      (owner) => owner.thaw(),
    ),
    stop,
  };
}

/** The modules of the servers are imported only when they are needed. */
export async function startChaosRedis(form: Shape['redis'], prefix: string): Promise<ChaosRedis> {
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
  const kill = takeAway(
    () => mongo.kill(),
    () => mongo.restart(),
  );
  const freeze = takeAway(mongo.freeze, mongo.thaw);
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
  const elect =
    (strike: (primary: Node) => unknown, mend: (primary: Node) => unknown) =>
    async (forMs: number, { landed, flows }: Blows) => {
      await set.awaitWhole();
      const primary = await set.awaitPrimary();
      await strike(primary);
      landed();
      await set.awaitCommit(await set.awaitPrimary(set.others(primary)));
      flows();
      await pause(forMs);
      await mend(primary);
    };
  const stepDown = elect(set.stepDown, () => undefined);
  return {
    uri: set.uri,
    kill: elect(
      (primary) => primary.kill(),
      (primary) => primary.restart(),
    ),
    freeze: elect(
      (primary) => primary.freeze(),
      (primary) => primary.thaw(),
    ),
    stepDown: (blows) => stepDown(0, blows),
    files: async () => {
      await set.awaitWhole();
      return set.flush();
    },
    stop: set.stop,
  };
}

/** @param more arguments of every mongod */
export const startChaosMongo = (form: Shape['mongodb'], more: readonly string[]): Promise<ChaosMongo> =>
  form === 'set' ? startMongoSet(more) : startSingleMongo(more);

export const describeShape = ({ redis, mongodb, balancer, faketime }: Shape): string =>
  [
    `Redis ${redis}`,
    mongodb === 'set' ? 'MongoDB as a set of three' : 'one MongoDB',
    ...(balancer ? ['two API processes behind a balancer'] : []),
    ...(faketime ? ['clocks that are stepped'] : []),
  ].join(', ');

/** Returns the options for `npm run chaos`. */
export const optionsOf = ({ redis, mongodb, balancer, faketime }: Shape): string =>
  [
    redis === 'single' ? '' : ` --redis ${redis}`,
    mongodb === 'one' ? '' : ' --mongodb set',
    balancer ? ' --balancer' : '',
    faketime ? ' --clocks' : '',
  ].join('');
