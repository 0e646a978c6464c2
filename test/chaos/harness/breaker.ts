/** Carries out a timeline: kills, stops and starts again, and writes down what it did when. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OwnMongo, OwnRedis } from '../../support/own-servers.js';
import type { IsoAcquirer } from './iso-acquirer.js';
import type { Member } from './member.js';
import type { Random } from './random.js';
import type { Stack } from './stack.js';
import type { Blow } from './timeline.js';

/** What was done, for the report and for the audit. */
export interface Deed {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: Blow['kind'];
  readonly target: string;
  /** When it was mended. */
  endedAt?: number;
}

export interface BreakerDeps {
  readonly stack: Stack;
  readonly mongo: OwnMongo;
  readonly redis: OwnRedis;
  readonly random: Random;
  /** There is one where cards are charged by `iso8583`. */
  readonly acquirer?: Pick<IsoAcquirer, 'breakLines'> | undefined;
  /** Called right after a blow has landed. */
  onDeed(deed: Deed): void;
}

/** A supervisor takes a moment to notice. */
const RESTART_AFTER_MS = 200;
const RESTARTS_MAX = 40;

/** As a supervisor does: without MongoDB a process ends at once, and is started again until it stays. */
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

function victim({ stack, random }: BreakerDeps, fits: (member: Member) => boolean, spared: ReadonlySet<string>) {
  const candidates = stack.members.filter((member) => member.alive && fits(member) && !spared.has(member.name));
  return candidates.length > 0 ? random.pick(candidates) : undefined;
}

/** Resolves when the last blow is mended. */
export async function runTimeline(blows: readonly Blow[], deps: BreakerDeps): Promise<Deed[]> {
  const { mongo, redis, onDeed } = deps;
  const deeds: Deed[] = [];
  const paused = new Set<string>();
  const note = (kind: Blow['kind'], target: string): Deed => {
    const deed = { at: Date.now(), kind, target };
    deeds.push(deed);
    return deed;
  };

  const killMember = async (kind: Blow['kind'], fits: (member: Member) => boolean) => {
    const member = victim(deps, fits, paused);
    if (!member) return;
    const deed = note(kind, member.name);
    await member.kill();
    onDeed(deed);
    await startAgain(member);
    deed.endedAt = Date.now();
  };

  const stopServer = async (kind: Blow['kind'], server: OwnMongo | OwnRedis, name: string, forMs: number) => {
    const deed = note(kind, name);
    await server.kill();
    onDeed(deed);
    await pause(forMs);
    await server.restart();
    deed.endedAt = Date.now();
  };

  const land = async (blow: Blow): Promise<void> => {
    switch (blow.kind) {
      case 'kill-worker':
        return killMember(blow.kind, ({ role }) => role !== 'api' && role !== 'simulator');
      case 'kill-api':
        return killMember(blow.kind, ({ role }) => role === 'api');
      case 'flush-redis': {
        const deed = note(blow.kind, 'redis');
        await redis.flushAll();
        onDeed(deed);
        return;
      }
      case 'break-lines': {
        const deed = note(blow.kind, 'lines to the acquirer');
        await deps.acquirer?.breakLines();
        onDeed(deed);
        return;
      }
      case 'pause-worker': {
        const member = victim(deps, ({ role }) => role === 'processor', paused);
        if (!member) return;
        paused.add(member.name);
        const deed = note(blow.kind, member.name);
        member.pause();
        onDeed(deed);
        await pause(blow.forMs);
        member.resume();
        paused.delete(member.name);
        deed.endedAt = Date.now();
        return;
      }
      case 'kill-redis':
        return stopServer(blow.kind, redis, 'redis', blow.forMs);
      case 'kill-mongo':
        return stopServer(blow.kind, mongo, 'mongodb', blow.forMs);
    }
  };

  const startedAt = performance.now();
  const landing: Promise<void>[] = [];
  for (const blow of blows) {
    await pause(Math.max(0, blow.atMs - (performance.now() - startedAt)));
    const landed = land(blow);
    // Looked at when all have landed: until then a failure must not end the process and leave everything running.
    landed.catch(() => undefined);
    landing.push(landed);
  }
  await Promise.all(landing);
  return deeds;
}
