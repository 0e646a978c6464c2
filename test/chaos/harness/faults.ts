/** THE LIST of faults that `npm run faults` tries, and how each is injected and repaired. */
import type { OwnRedisGroup, RedisServer } from '../../support/own-redis-server.js';
import type { OwnRedis } from '../../support/own-servers.js';
import { type FaultSetup, type FaultSetupKind, QUEUE_KEY } from './fault-setup.js';
import { stepClock } from './step-clock.js';

/** How a fault follows the clock of its run, and reports its recovery. */
export interface FaultControl {
  /** To be called when what was taken away has a successor, or is back. */
  markRecovered(): void;
  /** How long the load continues during the fault (ms). */
  readonly faultMs: number;
  /** Waits for that time. */
  sustain(): Promise<void>;
}

/** A kind of fault, and the installation that it needs. */
export interface Fault {
  /** Description for the report. */
  readonly description: string;
  readonly setup: FaultSetupKind;
  /** Calls that are under way at the killed process end without an answer. */
  readonly cutsCalls?: true;
  /** Injects and repairs the fault. @returns what should not have happened, in sentences */
  run(setup: FaultSetup, control: FaultControl): Promise<readonly string[]>;
}

const serverOf = ({ redis }: FaultSetup) => redis as OwnRedis;
const groupOf = ({ group }: FaultSetup) => group as OwnRedisGroup;

/** Takes the master of a group away, and another one takes over. */
const failMaster =
  (
    inject: (owner: RedisServer, group: OwnRedisGroup) => unknown,
    repair: (owner: RedisServer) => unknown = () => undefined,
  ) =>
  async (setup: FaultSetup, { markRecovered, sustain }: FaultControl) => {
    const group = groupOf(setup);
    const owner = await group.awaitOwner(QUEUE_KEY);
    await inject(owner, group);
    await group.awaitOwner(QUEUE_KEY, group.others(owner));
    markRecovered();
    await sustain();
    await repair(owner);
    await group.awaitWhole();
    return [];
  };

/** Takes servers of a group away until they are restarted. */
const loseServers =
  (which: (group: OwnRedisGroup) => Promise<readonly { kill(): Promise<void>; restart(): Promise<void> }[]>) =>
  async (setup: FaultSetup, { markRecovered, sustain }: FaultControl) => {
    const group = groupOf(setup);
    const lost = await which(group);
    await Promise.all(lost.map((server) => server.kill()));
    await sustain();
    await Promise.all(lost.map((server) => server.restart()));
    await group.awaitWhole();
    markRecovered();
    return [];
  };

const kill = (owner: RedisServer) => owner.kill();
const restart = (owner: RedisServer) => owner.restart();
const freeze = (owner: RedisServer) => owner.freeze();
const thaw = (owner: RedisServer) => owner.thaw();
const handOver = (owner: RedisServer, group: OwnRedisGroup) => group.handOver(owner);

/** Workers whose clock is stepped: one of each kind to which time matters. */
const STEPPED_WORKERS = ['processor-1', 'expiry-1'];

const stepClocks =
  (seconds: number) =>
  async ({ stack }: FaultSetup, { markRecovered, faultMs }: FaultControl) => {
    const stepped = STEPPED_WORKERS.map((name) => stepClock(name, stack.clocks.get(name), seconds, 2 * faultMs));
    const problems = (await Promise.all(stepped)).flat();
    markRecovered();
    return problems;
  };

const killApi = async ({ stack, balancer }: FaultSetup, { markRecovered, sustain }: FaultControl) => {
  await stack.member('api-1').kill();
  await sustain();
  await stack.member('api-1').start();
  await balancer?.awaitAllReady();
  markRecovered();
  return [];
};

const restartApis = async ({ stack, balancer }: FaultSetup, { markRecovered }: FaultControl) => {
  for (const name of ['api-1', 'api-2']) {
    await stack.member(name).terminate();
    await stack.member(name).start();
    await balancer?.awaitAllReady();
  }
  markRecovered();
  return [];
};

const killWorker = async ({ stack }: FaultSetup, { markRecovered, sustain }: FaultControl) => {
  await stack.member('processor-1').kill();
  await sustain();
  await stack.member('processor-1').start();
  markRecovered();
  return [];
};

const killRedis = async (setup: FaultSetup, { markRecovered, sustain }: FaultControl) => {
  await serverOf(setup).kill();
  await sustain();
  await serverOf(setup).restart();
  markRecovered();
  return [];
};

const freezeRedis = async (setup: FaultSetup, { markRecovered, sustain }: FaultControl) => {
  serverOf(setup).freeze();
  await sustain();
  serverOf(setup).thaw();
  markRecovered();
  return [];
};

const flushRedis = async (setup: FaultSetup, { markRecovered, sustain }: FaultControl) => {
  await serverOf(setup).flushAll();
  markRecovered();
  await sustain();
  return [];
};

export const faults = {
  'redis-kill': { description: 'one Redis killed, and started again', setup: 'redis', run: killRedis },
  'redis-freeze': { description: 'one Redis silent, its connections open', setup: 'redis', run: freezeRedis },
  'redis-flush': { description: '`FLUSHALL`', setup: 'redis', run: flushRedis },
  'worker-kill': { description: 'one of two workers killed', setup: 'redis', run: killWorker },
  'sentinel-kill': { description: 'Sentinel: the master killed', setup: 'sentinel', run: failMaster(kill, restart) },
  'sentinel-freeze': { description: 'Sentinel: the master silent', setup: 'sentinel', run: failMaster(freeze, thaw) },
  'sentinel-switch': { description: 'Sentinel: a failover by hand', setup: 'sentinel', run: failMaster(handOver) },
  'sentinels-kill': {
    description: 'all three sentinels killed',
    setup: 'sentinel',
    run: loseServers(async ({ watchers }) => watchers),
  },
  'cluster-kill': {
    description: 'Cluster: the master of the queue killed',
    setup: 'cluster',
    run: failMaster(kill, restart),
  },
  'cluster-freeze': {
    description: 'Cluster: the master of the queue silent',
    setup: 'cluster',
    run: failMaster(freeze, thaw),
  },
  'cluster-switch': { description: 'Cluster: a failover by hand', setup: 'cluster', run: failMaster(handOver) },
  'cluster-lose': {
    description: 'Cluster without replicas: the master of the queue away',
    setup: 'bare-cluster',
    run: loseServers(async (group) => [await group.awaitOwner(QUEUE_KEY)]),
  },
  'api-kill': {
    description: 'one of two API processes behind a balancer killed',
    setup: 'balancer',
    cutsCalls: true,
    run: killApi,
  },
  'api-restart': {
    description: 'both API processes behind a balancer restarted in turn',
    setup: 'balancer',
    run: restartApis,
  },
  'clock-ahead': {
    description: 'clocks of a worker and of `expiry` stepped by +20 min',
    setup: 'clocks',
    run: stepClocks(1_200),
  },
  'clock-behind': { description: 'the same by −20 min', setup: 'clocks', run: stepClocks(-1_200) },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];
