/**
 * Takes the primary of a three-node replica set away under steady load through the API, in several ways, and reports what
 * clients saw. Every call without an outcome is repeated once there is a primary. The processor's books judge in the end.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answerLimitMs } from '../../../api/http/answer-limit.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import {
  type OwnReplicaSet,
  type ReplicaNode,
  type ReplicaSetOptions,
  startOwnReplicaSet,
} from '../../support/own-replica-set.js';
import { type OwnRedis, startOwnRedis } from '../../support/own-servers.js';
import { audit } from './audit.js';
import { type Caller, createCaller, type Exchange } from './caller.js';
import { type Check, check, checkBound } from './check.js';
import { drain } from './drain.js';
import { startProbe } from './probe.js';
import { type Stack, startStack } from './stack.js';
import { checkChargedOnce, countAnswers, countResets, endedAt, isApproved, startSteadyLoad } from './steady-load.js';

export const electionFaults = ['freeze', 'kill', 'step-down'] as const;
export type ElectionFault = (typeof electionFaults)[number];

export interface ElectionOptions {
  readonly faults: readonly ElectionFault[];
  readonly perSecond: number;
  /** Times of MongoDB's nodes. By default MongoDB's own defaults. */
  readonly times?: ReplicaSetOptions['times'];
  /** Load before each fault (ms). */
  readonly calmMs: number;
  /** Load from the first durable write until the old primary is back (ms). */
  readonly outageMs: number;
  /** Maximum time until everything is settled (ms). */
  readonly drainMs: number;
  /** Maximum time from the first durable write to the first good answer (ms). */
  readonly recoversWithinMs: number;
  log(text: string): void;
}

/** What clients saw of one fault. All times in milliseconds. */
export interface ElectionObservation {
  readonly fault: ElectionFault;
  /** From the fault to a new primary. */
  readonly electedMs: number;
  /**
   * From the fault until the first write of the new primary is on a majority: a node that read from the lost primary notices late, and no
   * durable write is possible before.
   */
  readonly durableMs: number;
  /** From that write to the first good answer. */
  readonly goodAfterMs: number;
  /** From that write until all calls that were sent before it had their answer. */
  readonly clearedAfterMs: number;
  readonly longestMs: number;
  readonly requests: number;
  /** Number of answers by status and code of the body. */
  readonly answers: Readonly<Record<string, number>>;
  /** Connections that ended without an answer. */
  readonly resets: number;
}

export interface ElectionResult {
  readonly observations: readonly ElectionObservation[];
  readonly checks: readonly Check[];
  readonly payments: number;
  readonly folder: string;
}

/** Longer than any answer may take: a client with this time-out sees every answer. */
const CLIENT_WAITS_MS = 120_000;
/** Bounds of the gateway are checked once a second, and a busy machine is late. */
const LATE_MS = 5_000;

interface ElectionSetup {
  readonly set: OwnReplicaSet;
  readonly redis: OwnRedis;
  readonly stack: Stack;
  readonly caller: Caller;
}

async function injectFault(fault: ElectionFault, set: OwnReplicaSet, primary: ReplicaNode): Promise<void> {
  if (fault === 'freeze') primary.freeze();
  else if (fault === 'kill') await primary.kill();
  else await set.stepDown(primary);
}

async function repairFault(fault: ElectionFault, set: OwnReplicaSet, node: ReplicaNode): Promise<void> {
  if (fault === 'freeze') node.thaw();
  if (fault === 'kill') await node.restart();
  await set.awaitWhole();
}

function summarize(
  fault: ElectionFault,
  at: { fault: number; elected: number; commits: number },
  exchanges: readonly Exchange[],
): ElectionObservation {
  const during = exchanges.filter((exchange) => endedAt(exchange) >= at.fault);
  const good = during.filter((one) => isApproved(one) && endedAt(one) >= at.elected).map(endedAt);
  const earlier = during.filter(({ sentAt }) => sentAt < at.commits).map(endedAt);
  return {
    fault,
    electedMs: at.elected - at.fault,
    durableMs: at.commits - at.fault,
    goodAfterMs: Math.max(0, Math.min(...good) - at.commits),
    clearedAfterMs: Math.max(0, ...earlier.map((ms) => ms - at.commits)),
    longestMs: Math.max(...during.map(({ tookMs }) => tookMs)),
    requests: during.length,
    answers: countAnswers(during),
    resets: countResets(during),
  };
}

/** Injects one fault under load, and repairs it at the end. */
async function runFault(
  setup: ElectionSetup,
  fault: ElectionFault,
  options: ElectionOptions,
): Promise<ElectionObservation> {
  const { set } = setup;
  const load = startSteadyLoad(setup.caller, options.perSecond);
  await pause(options.calmMs);
  const primary = await set.awaitPrimary();
  const faultAt = Date.now();
  await injectFault(fault, set, primary);
  const next = await set.awaitPrimary(set.others(primary));
  const electedAt = Date.now();
  await set.awaitCommit(next);
  const commitsAt = Date.now();
  const seconds = [electedAt, commitsAt].map((at) => ((at - faultAt) / 1000).toFixed(1));
  options.log(`${fault}: a new primary after ${seconds[0]} s, on a majority after ${seconds[1]} s`);
  await pause(options.outageMs);
  // The return of the node is part of the fault: a node that wakes up has writes that no majority has.
  await repairFault(fault, set, primary);
  await load.stop();
  return summarize(
    fault,
    { fault: faultAt, elected: electedAt, commits: commitsAt },
    await Promise.all(load.firstCalls),
  );
}

async function makeChecks(
  { stack, caller }: ElectionSetup,
  orphanIds: ReadonlySet<string>,
  observations: readonly ElectionObservation[],
  flowsWithinMs: number,
): Promise<Check[]> {
  const payments = await stack.database.collection<Payment>('payments').find({}).toArray();
  const first = caller.exchanges.map(({ sentAt }) => sentAt);
  const evidence = {
    payments,
    ledger: await stack.ledger(),
    exchanges: caller.exchanges,
    received: [],
    orphanIds,
    senderKills: 0,
    // A call may meet the fault at any time: `503` is judged by what is stored, and counted in the table.
    outages: [{ from: Math.min(...first), to: Date.now() }],
  };
  return [
    ...audit(evidence),
    checkChargedOnce(caller.exchanges, payments),
    checkBound('the longest wait for an answer', Math.max(...observations.map(({ longestMs }) => longestMs)) / 1000, {
      atMost: (answerLimitMs(stack.config.responseWaitMs) + LATE_MS) / 1000,
      unit: 's',
    }),
    check(
      'connections that ended without an answer',
      observations.flatMap(({ fault, resets }) => (resets > 0 ? [`${fault}: ${resets}`] : [])),
    ),
    checkBound(
      'from the first durable write to the first good answer',
      Math.max(...observations.map(({ goodAfterMs }) => goodAfterMs)) / 1000,
      {
        atMost: flowsWithinMs / 1000,
        unit: 's',
      },
    ),
    checkBound(
      'from the first durable write until no earlier call waits',
      Math.max(...observations.map(({ clearedAfterMs }) => clearedAfterMs)) / 1000,
      { atMost: answerLimitMs(stack.config.responseWaitMs) / 1000, unit: 's' },
    ),
    check(
      'processes that ended by themselves',
      stack.members.flatMap(({ crashes }) => crashes),
    ),
  ];
}

async function setUpForElections(times: ReplicaSetOptions['times']): Promise<ElectionSetup> {
  const [set, redis] = await Promise.all([startOwnReplicaSet(defined({ times })), startOwnRedis()]);
  const stack = await startStack({
    name: 'elections',
    mongodbUri: set.uri('elections'),
    redisUrl: redis.url,
    redisPrefix: 'elections',
    counts: { api: 2, processor: 2, callback: 1 },
  });
  const caller = createCaller({
    urls: stack.apiUrls,
    ...stack.sandbox,
    connections: 1_024,
    headersMs: CLIENT_WAITS_MS,
  });
  return { set, redis, stack, caller };
}

export async function runElections(options: ElectionOptions): Promise<ElectionResult> {
  const setup = await setUpForElections(options.times);
  const { set, redis, stack, caller } = setup;
  const probe = startProbe(stack.database.collection<Payment>('payments'));
  try {
    const observations: ElectionObservation[] = [];
    for (const fault of options.faults) observations.push(await runFault(setup, fault, options));
    await drain(setup.stack, { withinMs: options.drainMs });
    await probe.stop();
    const checks = await makeChecks(setup, probe.orphanIds, observations, options.recoversWithinMs);
    appendFileSync(
      join(stack.folder, 'requests.jsonl'),
      caller.exchanges.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    const payments = await stack.database.collection('payments').countDocuments({});
    return { observations: observations, checks, payments, folder: stack.folder };
  } finally {
    await probe.stop();
    await caller.close();
    await stack.stop();
    await Promise.all([set.stop(), redis.stop()]);
  }
}
