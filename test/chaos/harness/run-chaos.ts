/** Runs chaos from the beginning to the verdict: load, faults, drain, audit, leak scan. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { dumpMongo, saveRedis } from './artefacts.js';
import { audit } from './audit.js';
import { serverErrors } from './audit-requests.js';
import { usedNumbers } from './bodies.js';
import { type ChaosSetup, setUpChaos, tearDownChaos } from './chaos-setup.js';
import { type Check, check, checkBound, percentile } from './check.js';
import { type DrainLimits, drain } from './drain.js';
import { findLogLines } from './failure-logs.js';
import { type FaultRecord, runTimeline } from './fault-injector.js';
import { scanForLeaks } from './leak-scan.js';
import { runLoad } from './load.js';
import type { Sample, WorkRecovery } from './probe.js';
import { planTimeline } from './timeline.js';
import { describeTopology, isReplicated, singleServers, type Topology } from './topology.js';
import type { TimeSpan } from './write-watch.js';

export interface ChaosOptions {
  readonly seed: number;
  /** Duration of the load (s). */
  readonly secs: number;
  /** Payments that arrive per second, beside those of customers who wait for their answer. */
  readonly perSecond: number;
  readonly workers: number;
  /** Processor that charges all cards instead of the test processor, behind lines that break. */
  readonly cardProcessor?: 'iso8583' | undefined;
  /** Also kill MongoDB. */
  readonly mongo: boolean;
  /** By default one server of each kind. */
  readonly topology?: Topology;
  /** Maximum time until everything is settled. */
  readonly drain: DrainLimits;
  /** Multiplies the time in which interrupted work has to continue: a machine that is busy otherwise is slower. */
  readonly patience: number;
  log(text: string): void;
}

export interface ChaosResult extends Pick<ChaosOptions, 'workers' | 'mongo' | 'cardProcessor'> {
  readonly seed: number;
  readonly ok: boolean;
  readonly topology: Topology;
  readonly checks: readonly Check[];
  readonly faults: readonly FaultRecord[];
  readonly samples: readonly Sample[];
  /** How soon interrupted work continued. */
  readonly recoveries: readonly WorkRecovery[];
  readonly startedAt: number;
  /** Requested duration of the load. */
  readonly secs: number;
  readonly perSecond: number;
  readonly loadMs: number;
  readonly drainMs: number;
  readonly payments: number;
  readonly requests: number;
  readonly callbacks: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Folder of the logs and all other artefacts. */
  readonly folder: string;
}

/** Time until every process has found MongoDB again, including processes that had to be restarted. */
const RECONNECT_MS = 10_000;

/** Maximum share of silences in the duration of the load. */
const SILENT_SHARE_MAX = 1 / 3;

/** Whether nothing is left to announce, to deliver, or to do when its time comes. */
async function isIdle({ stack }: ChaosSetup): Promise<boolean> {
  const payments = stack.database.collection<Payment>('payments');
  const left = await Promise.all([
    payments.countDocuments({ announceAt: { $exists: true } } as never),
    payments.countDocuments({ 'deadline.kind': { $in: ['capture', 'challenge'] } } as never),
    stack.database.collection('deliveries').countDocuments({ state: 'waiting' }),
  ]);
  return left.every((count) => count === 0);
}

async function checkLeaks({ stack, mongo, redis, commandsFile, stopCapture }: ChaosSetup): Promise<Check> {
  const { database, folder, secrets } = stack;
  await stopCapture();
  const redisFiles: string[] = [];
  for (const server of redis.servers) redisFiles.push(await saveRedis(server, folder));
  const [dump, mongoFiles] = [await dumpMongo(database, folder), await mongo.files(stack)];
  const scan = scanForLeaks({
    raw: [...redisFiles, ...mongoFiles, stack.ledgerFile],
    text: [join(folder, 'logs'), join(folder, 'answers.log'), join(folder, 'callbacks.log'), commandsFile, dump],
    cardNumbers: usedNumbers,
    secrets: { ...secrets, ...redis.secrets },
  });
  const megabytes = Math.round(scan.bytes / 2 ** 20);
  return check(
    'card data or secrets found anywhere',
    scan.hits.map(({ file, description }) => `${file}: ${description}`),
    {
      note: `${scan.needles} forms searched in ${scan.files} files, ${megabytes} MB`,
    },
  );
}

/** Returns the times when MongoDB had no primary and nothing could proceed. */
const mongoOutages = (faults: readonly FaultRecord[]): TimeSpan[] =>
  faults
    .filter(({ kind }) => ['kill-mongo', 'freeze-mongo', 'step-down-mongo'].includes(kind))
    .map(({ at, recoveredAt = at }) => ({ from: at, to: recoveredAt + RECONNECT_MS }));

/**
 * Returns the seconds from the fault until its work continued. When the same worker is killed again meanwhile, they count from then: its
 * pool may have no other worker.
 */
function secondsAfter({ fault, afterMs }: WorkRecovery, faults: readonly FaultRecord[]): number {
  const end = fault.at + afterMs;
  const repeated = faults.filter(({ kind, target, at }) => kind === fault.kind && target === fault.target && at <= end);
  return (end - Math.max(fault.at, ...repeated.map(({ at }) => at))) / 1000;
}

function checkRecovery(
  { probe, stack }: ChaosSetup,
  patience: number,
  { faults, outages }: { faults: readonly FaultRecord[]; outages: readonly TimeSpan[] },
): Check[] {
  const duringOutage = ({ fault, afterMs }: WorkRecovery) =>
    outages.some(({ from, to }) => fault.at <= to && fault.at + afterMs >= from);
  const after = (...kinds: readonly FaultRecord['kind'][]) =>
    probe.recoveries
      .filter((recovery) => kinds.includes(recovery.fault.kind) && !duringOutage(recovery))
      .map((recovery) => secondsAfter(recovery, faults));
  return [
    checkBound('from a worker kill until its payments go on (p99)', percentile(after('kill-worker'), 0.99), {
      atMost: 10 * patience,
      unit: 's',
    }),
    checkBound('from FLUSHALL until all due work is taken again', percentile(after('flush-redis'), 1), {
      atMost: 5 * patience,
      unit: 's',
    }),
    check(
      'processes that ended by themselves',
      stack.members.flatMap(({ crashes }) => crashes),
    ),
  ];
}

const countStatuses = (payments: readonly Payment[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of payments) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Runs load and faults at once. Resolves when both are over and everything runs again. */
async function runLoadAndFaults(
  setup: ChaosSetup,
  options: ChaosOptions,
  onProblem: (text: string) => void,
): Promise<FaultRecord[]> {
  const { stack, mongo, redis, balancer, caller, receivers, random, probe, acquirer } = setup;
  const loadMs = options.secs * 1_000;
  const plan = {
    loadMs,
    mongo: options.mongo,
    lines: acquirer !== undefined,
    topology: options.topology ?? singleServers,
  };
  const timeline = planTimeline(plan, random.fork('timeline'));
  const onInjected = (fault: FaultRecord) => {
    options.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${fault.kind} ${fault.target}`);
    if (fault.kind === 'kill-worker') probe.watchLeftLeases(fault);
    if (fault.kind === 'flush-redis') probe.watchDueWork(fault);
  };
  const startedAt = Date.now();
  const [, faults] = await Promise.all([
    runLoad({
      loadMs,
      perSecond: options.perSecond,
      random: random.fork('load'),
      caller,
      callbackUrls: receivers.urls,
      gateway: { config: stack.config, urls: stack.apiUrls },
      cardProcessor: options.cardProcessor,
    }),
    runTimeline(timeline, {
      ...{ stack, mongo, redis, balancer, acquirer, onInjected, onProblem },
      keepsOneServing: isReplicated(setup.topology),
      random: random.fork('victims'),
    }),
  ]);
  await fetch(`${stack.simulatorUrl}/faults`, { method: 'DELETE' });
  return faults;
}

/**
 * Checks silences without a fault that explains them. When the machine's disk is slow, `503` is the right answer. But a gateway that
 * keeps MongoDB too busy must not pass for that, so only a few silences are allowed.
 */
function checkSilences(silences: readonly TimeSpan[], outages: readonly TimeSpan[], secs: number): Check {
  const unexplained = silences.filter((one) => !outages.some(({ from, to }) => one.from <= to && one.to >= from));
  const ms = unexplained.reduce((sum, { from, to }) => sum + to - from, 0);
  return checkBound('MongoDB took no durable write though nothing struck it', ms / 1000, {
    atMost: secs * SILENT_SHARE_MAX,
    unit: 's',
  });
}

async function makeChecks(
  setup: ChaosSetup,
  { patience, secs, log }: ChaosOptions,
  faults: readonly FaultRecord[],
  payments: readonly Payment[],
): Promise<Check[]> {
  const { stack, caller, receivers, probe, writeWatch, acquirer } = setup;
  const outages = mongoOutages(faults);
  const unavailable = [...outages, ...writeWatch.silences];
  const failed = serverErrors({ payments, exchanges: caller.exchanges, outages: unavailable });
  for (const line of findLogLines(stack.folder, failed)) log(line);
  const checks = audit({
    payments,
    ledger: await (acquirer ? acquirer.ledger(stack.database) : stack.ledger()),
    exchanges: caller.exchanges,
    received: receivers.received,
    orphanIds: probe.orphanIds,
    senderKills: faults.filter(({ target }) => target.startsWith('callback-')).length,
    outages: unavailable,
  });
  return [
    ...checks,
    checkSilences(writeWatch.silences, outages, secs),
    ...checkRecovery(setup, patience, { faults, outages }),
    await checkLeaks(setup),
  ];
}

/** Runs chaos. The verdict is part of the result. Throws only for what prevents the run itself. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const servers = describeTopology(options.topology ?? singleServers);
  options.log(`seed ${options.seed}: ${options.secs} s of load at ${options.perSecond} payments/s; ${servers}`);
  const setup = await setUpChaos(options);
  try {
    const startedAt = Date.now();
    const problems: string[] = [];
    const faults = await runLoadAndFaults(setup, options, (text) => problems.push(text));
    const loadMs = Date.now() - startedAt;
    const drainMs = await drain(setup.stack, options.drain, () => isIdle(setup));
    options.log(`drained in ${(drainMs / 1000).toFixed(1)} s`);
    await Promise.all([setup.probe.stop(), setup.writeWatch.stop()]);
    const payments = await setup.stack.database.collection<Payment>('payments').find({}).toArray();
    const checks = [
      ...(await makeChecks(setup, options, faults, payments)),
      ...(options.topology?.faketime
        ? [check('workers that worked with a wrong clock, or did not say so', problems)]
        : []),
    ];
    const result: ChaosResult = {
      seed: options.seed,
      ok: checks.every(({ ok }) => ok),
      topology: options.topology ?? singleServers,
      checks,
      faults,
      samples: setup.probe.samples,
      recoveries: setup.probe.recoveries,
      startedAt,
      secs: options.secs,
      perSecond: options.perSecond,
      workers: options.workers,
      mongo: options.mongo,
      cardProcessor: options.cardProcessor,
      loadMs,
      drainMs,
      payments: payments.length,
      requests: setup.caller.exchanges.length,
      callbacks: setup.receivers.received.length,
      statuses: countStatuses(payments),
      folder: setup.stack.folder,
    };
    writeFileSync(join(setup.stack.folder, 'result.json'), JSON.stringify(result, null, 2));
    appendFileSync(
      join(setup.stack.folder, 'requests.jsonl'),
      setup.caller.exchanges.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    return result;
  } finally {
    await tearDownChaos(setup);
  }
}
