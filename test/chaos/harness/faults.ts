/** THE LIST of faults that `npm run faults` tries, and how each is injected and repaired. */
import type { OwnRedisGroup, RedisServer } from '../../support/own-redis-server.js';
import type { OwnRedis } from '../../support/own-servers.js';
import { type Ground, type GroundKind, QUEUE_KEY } from './fault-ground.js';
import { stepClock } from './step-clock.js';

export interface Course {
  /** To be called when what was taken away has a successor, or is back. */
  over(): void;
  /** How long the load continues during the fault (ms). */
  readonly heldMs: number;
  hold(): Promise<void>;
}

export interface Fault {
  /** Description for the report. */
  readonly what: string;
  readonly ground: GroundKind;
  /** Calls that are under way at the killed process end without an answer. */
  readonly cutsCalls?: true;
  /** Injects and repairs the fault. @returns what should not have happened, in sentences */
  run(ground: Ground, course: Course): Promise<readonly string[]>;
}

const serverOf = ({ redis }: Ground) => redis as OwnRedis;
const groupOf = ({ group }: Ground) => group as OwnRedisGroup;

/** Takes the master of a group away, and another one takes over. */
const takeMaster =
  (
    strike: (owner: RedisServer, group: OwnRedisGroup) => unknown,
    mend: (owner: RedisServer) => unknown = () => undefined,
  ) =>
  async (ground: Ground, { over, hold }: Course) => {
    const group = groupOf(ground);
    const owner = await group.awaitOwner(QUEUE_KEY);
    await strike(owner, group);
    await group.awaitOwner(QUEUE_KEY, group.others(owner));
    over();
    await hold();
    await mend(owner);
    await group.awaitWhole();
    return [];
  };

/** Takes servers of a group away until they are restarted. */
const loseServers =
  (which: (group: OwnRedisGroup) => Promise<readonly { kill(): Promise<void>; restart(): Promise<void> }[]>) =>
  async (ground: Ground, { over, hold }: Course) => {
    const group = groupOf(ground);
    const lost = await which(group);
    await Promise.all(lost.map((server) => server.kill()));
    await hold();
    await Promise.all(lost.map((server) => server.restart()));
    await group.awaitWhole();
    over();
    return [];
  };

const kill = (owner: RedisServer) => owner.kill();
const restart = (owner: RedisServer) => owner.restart();
const freeze = (owner: RedisServer) => owner.freeze();
const thaw = (owner: RedisServer) => owner.thaw();
const handOver = (owner: RedisServer, group: OwnRedisGroup) => group.handOver(owner);

/** Workers whose clock is stepped: one of each kind to which time matters. */
const STEPPED = ['processor-1', 'expiry-1'];

const stepClocks =
  (seconds: number) =>
  async ({ stack }: Ground, { over, heldMs }: Course) => {
    const stepped = STEPPED.map((name) => stepClock(name, stack.clocks.get(name), seconds, 2 * heldMs));
    const complaints = (await Promise.all(stepped)).flat();
    over();
    return complaints;
  };

const killApi = async ({ stack, balancer }: Ground, { over, hold }: Course) => {
  await stack.member('api-1').kill();
  await hold();
  await stack.member('api-1').start();
  await balancer?.complete();
  over();
  return [];
};

const restartApis = async ({ stack, balancer }: Ground, { over }: Course) => {
  for (const name of ['api-1', 'api-2']) {
    await stack.member(name).terminate();
    await stack.member(name).start();
    await balancer?.complete();
  }
  over();
  return [];
};

const killWorker = async ({ stack }: Ground, { over, hold }: Course) => {
  await stack.member('processor-1').kill();
  await hold();
  await stack.member('processor-1').start();
  over();
  return [];
};

const killRedis = async (ground: Ground, { over, hold }: Course) => {
  await serverOf(ground).kill();
  await hold();
  await serverOf(ground).restart();
  over();
  return [];
};

const freezeRedis = async (ground: Ground, { over, hold }: Course) => {
  serverOf(ground).freeze();
  await hold();
  serverOf(ground).thaw();
  over();
  return [];
};

const flushRedis = async (ground: Ground, { over, hold }: Course) => {
  await serverOf(ground).flushAll();
  over();
  await hold();
  return [];
};

export const faults = {
  'redis-kill': { what: 'one Redis killed, and started again', ground: 'redis', run: killRedis },
  'redis-freeze': { what: 'one Redis silent, its connections open', ground: 'redis', run: freezeRedis },
  'redis-flush': { what: '`FLUSHALL`', ground: 'redis', run: flushRedis },
  'worker-kill': { what: 'one of two workers killed', ground: 'redis', run: killWorker },
  'sentinel-kill': { what: 'Sentinel: the master killed', ground: 'sentinel', run: takeMaster(kill, restart) },
  'sentinel-freeze': { what: 'Sentinel: the master silent', ground: 'sentinel', run: takeMaster(freeze, thaw) },
  'sentinel-switch': { what: 'Sentinel: a failover by hand', ground: 'sentinel', run: takeMaster(handOver) },
  'sentinels-kill': {
    what: 'all three sentinels killed',
    ground: 'sentinel',
    run: loseServers(async ({ watchers }) => watchers),
  },
  'cluster-kill': {
    what: 'Cluster: the master of the queue killed',
    ground: 'cluster',
    run: takeMaster(kill, restart),
  },
  'cluster-freeze': {
    what: 'Cluster: the master of the queue silent',
    ground: 'cluster',
    run: takeMaster(freeze, thaw),
  },
  'cluster-switch': { what: 'Cluster: a failover by hand', ground: 'cluster', run: takeMaster(handOver) },
  'cluster-lose': {
    what: 'Cluster without replicas: the master of the queue away',
    ground: 'bare-cluster',
    run: loseServers(async (group) => [await group.awaitOwner(QUEUE_KEY)]),
  },
  'api-kill': {
    what: 'one of two API processes behind a balancer killed',
    ground: 'balancer',
    cutsCalls: true,
    run: killApi,
  },
  'api-restart': {
    what: 'both API processes behind a balancer restarted in turn',
    ground: 'balancer',
    run: restartApis,
  },
  'clock-ahead': {
    what: 'clocks of a worker and of `expiry` stepped by +20 min',
    ground: 'clocks',
    run: stepClocks(1_200),
  },
  'clock-behind': { what: 'the same by −20 min', ground: 'clocks', run: stepClocks(-1_200) },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];
