/** Carries out a timeline: kills, stops and restarts, and records what it did and when. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Balancer } from './balancer.js';
import type { IsoAcquirer } from './iso-acquirer.js';
import type { Member } from './member.js';
import type { Random } from './random.js';
import type { Blows, ChaosMongo, ChaosRedis } from './shape.js';
import type { Stack } from './stack.js';
import { stepClock } from './step-clock.js';
import type { Blow } from './timeline.js';

/** A blow that was carried out, for the report and the audit. */
export interface Deed {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: Blow['kind'];
  readonly target: string;
  /** When a successor, or the same server again, served. */
  flowsAt?: number;
  /** When the damage was repaired. */
  endedAt?: number;
}

export interface BreakerDeps {
  readonly stack: Stack;
  readonly mongo: ChaosMongo;
  readonly redis: ChaosRedis;
  readonly random: Random;
  /** There are at least two processes of each kind. One of them is spared, so that it continues the work while the other restarts. */
  readonly leavesOne: boolean;
  /** The balancer in front of the API processes, if there is one. */
  readonly balancer?: Balancer | undefined;
  /** Present when cards are charged by `iso8583`. */
  readonly acquirer?: Pick<IsoAcquirer, 'breakLines'> | undefined;
  /** Called right after a blow has landed. */
  onDeed(deed: Deed): void;
  /** Called with a sentence about something that should not have happened. */
  onComplaint(text: string): void;
}

/** A supervisor needs a moment to notice. */
const RESTART_AFTER_MS = 200;
const RESTARTS_MAX = 40;

/** Restarts as a supervisor does: without MongoDB a process exits at once, and is restarted until it stays. */
async function startAgain(member: Member): Promise<void> {
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

/** Runs work one after the other: otherwise the server that has to take over might be away. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Runs one piece of work at a time. Work that arrives while another is under way is skipped. */
function createGate() {
  let isUnderWay = false;
  return async (work: () => Promise<void>): Promise<void> => {
    if (isUnderWay) return;
    isUnderWay = true;
    await work().finally(() => {
      isUnderWay = false;
    });
  };
}

type BlowOf<Kind extends Blow['kind']> = Extract<Blow, { readonly kind: Kind }> & { readonly kind: Kind };
type Lands = { readonly [Kind in Blow['kind']]: (blow: BlowOf<Kind>) => Promise<void> };

/** Carries out each kind of blow. */
function landings(deps: BreakerDeps, deeds: Deed[]): Lands {
  const { stack, mongo, redis, random, balancer, onDeed } = deps;
  const spared = new Set<string>();
  const note = (kind: Blow['kind'], target: string): Deed => {
    const deed = { at: Date.now(), kind, target };
    deeds.push(deed);
    return deed;
  };
  const victim = (fits: (member: Member) => boolean) => {
    const candidates = stack.members.filter((member) => member.alive && fits(member) && !spared.has(member.name));
    return candidates.length > 0 ? random.pick(candidates) : undefined;
  };
  const endMember = async (kind: Blow['kind'], fits: (member: Member) => boolean, end: (member: Member) => unknown) => {
    const member = victim(fits);
    if (!member) return;
    const deed = note(kind, member.name);
    await end(member);
    onDeed(deed);
    await startAgain(member);
    deed.endedAt = Date.now();
  };
  const kill = (member: Member) => member.kill();
  const endApi = async (kind: Blow['kind'], end: (member: Member) => unknown) => {
    await endMember(kind, ({ role }) => role === 'api', end);
    await balancer?.complete();
  };
  /** Takes servers away. Meanwhile no other blow at the same servers is carried out. */
  const failServer = async (kind: Blow['kind'], target: string, fail: (blows: Blows) => Promise<void>) => {
    let deed: Deed | undefined;
    await fail({
      landed: () => {
        deed = note(kind, target);
        onDeed(deed);
      },
      flows: () => {
        if (deed) deed.flowsAt = Date.now();
      },
    });
    if (deed) deed.endedAt = Date.now();
  };
  const spare = async (member: Member | undefined, work: (member: Member) => Promise<void>) => {
    if (!member) return;
    spared.add(member.name);
    await work(member).finally(() => spared.delete(member.name));
  };
  const [redisTurn, mongoTurn, workerTurn, apiGate] = [createTurns(), createTurns(), createTurns(), createGate()];
  const isSpare = (member: Member) =>
    stack.members.some(
      (other) => other !== member && other.role === member.role && other.serving && !spared.has(other.name),
    );

  return {
    'kill-worker': ({ kind }) =>
      endMember(kind, (member) => isWorker(member) && (!deps.leavesOne || isSpare(member)), kill),
    // Behind a balancer one API process always stays.
    'kill-api': ({ kind }) => (balancer ? apiGate(() => endApi(kind, kill)) : endApi(kind, kill)),
    'restart-api': ({ kind }) => apiGate(() => endApi(kind, (member) => member.terminate())),
    'flush-redis': async ({ kind }) => {
      const deed = note(kind, 'redis');
      await redis.flushAll();
      onDeed(deed);
    },
    'break-lines': async ({ kind }) => {
      const deed = note(kind, 'lines to the acquirer');
      await deps.acquirer?.breakLines();
      onDeed(deed);
    },
    'pause-worker': ({ kind, forMs }) =>
      workerTurn(() =>
        spare(
          victim(({ role }) => role === 'processor'),
          async (member) => {
            const deed = note(kind, member.name);
            member.pause();
            onDeed(deed);
            await pause(forMs);
            member.resume();
            deed.endedAt = Date.now();
          },
        ),
      ),
    'step-clock': ({ kind, seconds, forMs }) =>
      workerTurn(() =>
        spare(
          victim(({ name, role }) => stack.clocks.has(name) && (role === 'processor' || role === 'expiry')),
          async ({ name }) => {
            const deed = note(kind, `${name} by ${seconds} s`);
            onDeed(deed);
            const complaints = await stepClock(name, stack.clocks.get(name), seconds, forMs);
            for (const text of complaints) deps.onComplaint(text);
            deed.endedAt = Date.now();
          },
        ),
      ),
    'kill-redis': ({ kind, forMs }) => redisTurn(() => failServer(kind, 'redis', (blows) => redis.kill(forMs, blows))),
    'freeze-redis': ({ kind, forMs }) =>
      redisTurn(() => failServer(kind, 'redis', (blows) => redis.freeze(forMs, blows))),
    'kill-mongo': ({ kind, forMs }) =>
      mongoTurn(() => failServer(kind, 'mongodb', (blows) => mongo.kill(forMs, blows))),
    'freeze-mongo': ({ kind, forMs }) =>
      mongoTurn(() => failServer(kind, 'mongodb', (blows) => mongo.freeze(forMs, blows))),
    'step-down-mongo': ({ kind }) => mongoTurn(() => failServer(kind, 'mongodb', (blows) => mongo.stepDown(blows))),
  };
}

/** Resolves when the damage of the last blow is repaired. */
export async function runTimeline(blows: readonly Blow[], deps: BreakerDeps): Promise<Deed[]> {
  const deeds: Deed[] = [];
  const lands = landings(deps, deeds);
  const land = (blow: Blow): Promise<void> => (lands[blow.kind] as (blow: Blow) => Promise<void>)(blow);
  const startedAt = performance.now();
  const landing: Promise<void>[] = [];
  for (const blow of blows) {
    await pause(Math.max(0, blow.atMs - (performance.now() - startedAt)));
    const landed = land(blow);
    // Awaited after all blows were started: until then a failure must not end the process and leave everything running.
    landed.catch(() => undefined);
    landing.push(landed);
  }
  await Promise.all(landing);
  return deeds;
}
