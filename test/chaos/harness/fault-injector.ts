/** Injects the faults of a timeline (kills, stops and restarts), and records what it did and when. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Balancer } from './balancer.js';
import type { IsoAcquirer } from './iso-acquirer.js';
import type { Member } from './member.js';
import type { Random } from './random.js';
import type { Stack } from './stack.js';
import { stepClock } from './step-clock.js';
import type { TimedFault } from './timeline.js';
import type { ChaosMongo, ChaosRedis, FaultProgress } from './topology.js';

/** A fault that was injected, for the report and the audit. */
export interface FaultRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: TimedFault['kind'];
  readonly target: string;
  /** When a successor, or the same server again, served. */
  recoveredAt?: number;
  /** When the damage was repaired. */
  repairedAt?: number;
}

export interface InjectorDeps {
  readonly stack: Stack;
  readonly mongo: ChaosMongo;
  readonly redis: ChaosRedis;
  readonly random: Random;
  /** There are at least two processes of each kind. One of them is spared, so that it continues the work while the other restarts. */
  readonly keepsOneServing: boolean;
  /** The balancer in front of the API processes, if there is one. */
  readonly balancer?: Balancer | undefined;
  /** Present when cards are charged by `iso8583`. */
  readonly acquirer?: Pick<IsoAcquirer, 'breakLines'> | undefined;
  /** Called right after a fault was injected. */
  onInjected(record: FaultRecord): void;
  /** Called with a sentence about something that should not have happened. */
  onProblem(text: string): void;
}

/** A supervisor needs a moment to notice. */
const RESTART_AFTER_MS = 200;
const RESTARTS_MAX = 40;

/** Restarts as a supervisor does: without MongoDB a process exits at once, and is restarted until it stays. */
async function restartUntilReady(member: Member): Promise<void> {
  for (let times = 1; ; times += 1) {
    await pause(RESTART_AFTER_MS * Math.min(times, 5));
    try {
      return await member.start();
    } catch (error) {
      if (times >= RESTARTS_MAX) throw error;
    }
  }
}

const isWorker = ({ role }: Member) => role !== 'api' && role !== 'simulator';

/** Returns a function that runs work one after the other: otherwise the server that has to take over might be away. */
function createSequence() {
  let last: Promise<unknown> = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Returns a function that runs one piece of work at a time. Work that arrives while another is under way is skipped. */
function createExclusive() {
  let isRunning = false;
  return async (work: () => Promise<void>): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    await work().finally(() => {
      isRunning = false;
    });
  };
}

type TimedFaultOf<Kind extends TimedFault['kind']> = Extract<TimedFault, { readonly kind: Kind }> & {
  readonly kind: Kind;
};
type Injectors = { readonly [Kind in TimedFault['kind']]: (fault: TimedFaultOf<Kind>) => Promise<void> };

/** Makes the functions that inject each kind of fault. */
function makeInjectors(deps: InjectorDeps, records: FaultRecord[]): Injectors {
  const { stack, mongo, redis, random, balancer, onInjected } = deps;
  const spared = new Set<string>();
  const recordFault = (kind: TimedFault['kind'], target: string): FaultRecord => {
    const record = { at: Date.now(), kind, target };
    records.push(record);
    return record;
  };
  const pickVictim = (matches: (member: Member) => boolean) => {
    const candidates = stack.members.filter((member) => member.alive && matches(member) && !spared.has(member.name));
    return candidates.length > 0 ? random.pick(candidates) : undefined;
  };
  const endMember = async (
    kind: TimedFault['kind'],
    matches: (member: Member) => boolean,
    end: (member: Member) => unknown,
  ) => {
    const member = pickVictim(matches);
    if (!member) return;
    const record = recordFault(kind, member.name);
    await end(member);
    onInjected(record);
    await restartUntilReady(member);
    record.repairedAt = Date.now();
  };
  const kill = (member: Member) => member.kill();
  const endApi = async (kind: TimedFault['kind'], end: (member: Member) => unknown) => {
    await endMember(kind, ({ role }) => role === 'api', end);
    await balancer?.awaitAllReady();
  };
  /** Takes servers away. Meanwhile no other fault of the same servers is injected. */
  const failServer = async (
    kind: TimedFault['kind'],
    target: string,
    fail: (progress: FaultProgress) => Promise<void>,
  ) => {
    let record: FaultRecord | undefined;
    await fail({
      onInjected: () => {
        record = recordFault(kind, target);
        onInjected(record);
      },
      onRecovered: () => {
        if (record) record.recoveredAt = Date.now();
      },
    });
    if (record) record.repairedAt = Date.now();
  };
  const whileSpared = async (member: Member | undefined, work: (member: Member) => Promise<void>) => {
    if (!member) return;
    spared.add(member.name);
    await work(member).finally(() => spared.delete(member.name));
  };
  const [redisSequence, mongoSequence, workerSequence, exclusiveApi] = [
    createSequence(),
    createSequence(),
    createSequence(),
    createExclusive(),
  ];
  const hasServingPeer = (member: Member) =>
    stack.members.some(
      (other) => other !== member && other.role === member.role && other.serving && !spared.has(other.name),
    );

  return {
    'kill-worker': ({ kind }) =>
      endMember(kind, (member) => isWorker(member) && (!deps.keepsOneServing || hasServingPeer(member)), kill),
    // Behind a balancer one API process always stays.
    'kill-api': ({ kind }) => (balancer ? exclusiveApi(() => endApi(kind, kill)) : endApi(kind, kill)),
    'restart-api': ({ kind }) => exclusiveApi(() => endApi(kind, (member) => member.terminate())),
    'flush-redis': async ({ kind }) => {
      const record = recordFault(kind, 'redis');
      await redis.flushAll();
      onInjected(record);
    },
    'break-lines': async ({ kind }) => {
      const record = recordFault(kind, 'lines to the acquirer');
      await deps.acquirer?.breakLines();
      onInjected(record);
    },
    'pause-worker': ({ kind, forMs }) =>
      workerSequence(() =>
        whileSpared(
          pickVictim(({ role }) => role === 'processor'),
          async (member) => {
            const record = recordFault(kind, member.name);
            member.pause();
            onInjected(record);
            await pause(forMs);
            member.resume();
            record.repairedAt = Date.now();
          },
        ),
      ),
    'step-clock': ({ kind, seconds, forMs }) =>
      workerSequence(() =>
        whileSpared(
          pickVictim(({ name, role }) => stack.clocks.has(name) && (role === 'processor' || role === 'expiry')),
          async ({ name }) => {
            const record = recordFault(kind, `${name} by ${seconds} s`);
            onInjected(record);
            const problems = await stepClock(name, stack.clocks.get(name), seconds, forMs);
            for (const text of problems) deps.onProblem(text);
            record.repairedAt = Date.now();
          },
        ),
      ),
    'kill-redis': ({ kind, forMs }) =>
      redisSequence(() => failServer(kind, 'redis', (progress) => redis.kill(forMs, progress))),
    'freeze-redis': ({ kind, forMs }) =>
      redisSequence(() => failServer(kind, 'redis', (progress) => redis.freeze(forMs, progress))),
    'kill-mongo': ({ kind, forMs }) =>
      mongoSequence(() => failServer(kind, 'mongodb', (progress) => mongo.kill(forMs, progress))),
    'freeze-mongo': ({ kind, forMs }) =>
      mongoSequence(() => failServer(kind, 'mongodb', (progress) => mongo.freeze(forMs, progress))),
    'step-down-mongo': ({ kind }) =>
      mongoSequence(() => failServer(kind, 'mongodb', (progress) => mongo.stepDown(progress))),
  };
}

/** Resolves when the damage of the last fault is repaired. */
export async function runTimeline(timeline: readonly TimedFault[], deps: InjectorDeps): Promise<FaultRecord[]> {
  const records: FaultRecord[] = [];
  const injectors = makeInjectors(deps, records);
  const inject = (fault: TimedFault): Promise<void> =>
    (injectors[fault.kind] as (fault: TimedFault) => Promise<void>)(fault);
  const startedAt = performance.now();
  const injections: Promise<void>[] = [];
  for (const fault of timeline) {
    await pause(Math.max(0, fault.atMs - (performance.now() - startedAt)));
    const injection = inject(fault);
    // Awaited after all faults were started: until then a failure must not end the process and leave everything running.
    injection.catch(() => undefined);
    injections.push(injection);
  }
  await Promise.all(injections);
  return records;
}
