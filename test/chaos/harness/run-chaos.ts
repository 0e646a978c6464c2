/** Runs chaos from the beginning to the verdict: load, blows, drain, audit, leak scan. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { dumpMongo, saveRedis } from './artefacts.js';
import { audit } from './audit.js';
import { serverErrors } from './audit-requests.js';
import { usedNumbers } from './bodies.js';
import { type Deed, runTimeline } from './breaker.js';
import { causesOf } from './causes.js';
import { type Check, check, measured, percentile } from './check.js';
import { type DrainLimits, drain } from './drain.js';
import { scanForLeaks } from './leak-scan.js';
import { runLoad } from './load.js';
import type { Resumed, Sample } from './probe.js';
import { clear, type Scene, setScene } from './scene.js';
import { describeShape, isReal, plainShape, type Shape } from './shape.js';
import type { Hole } from './silences.js';
import { planTimeline } from './timeline.js';

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
  readonly shape?: Shape;
  /** Maximum time until everything is settled. */
  readonly drain: DrainLimits;
  /** Multiplies the time in which interrupted work has to continue: a machine that is busy otherwise is slower. */
  readonly patience: number;
  say(text: string): void;
}

export interface ChaosResult {
  readonly seed: number;
  readonly ok: boolean;
  readonly shape: Shape;
  readonly checks: readonly Check[];
  readonly deeds: readonly Deed[];
  readonly samples: readonly Sample[];
  /** How soon interrupted work continued. */
  readonly resumed: readonly Resumed[];
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
async function isIdle({ stack }: Scene): Promise<boolean> {
  const payments = stack.database.collection<Payment>('payments');
  const left = await Promise.all([
    payments.countDocuments({ announceAt: { $exists: true } } as never),
    payments.countDocuments({ 'deadline.kind': { $in: ['capture', 'challenge'] } } as never),
    stack.database.collection('deliveries').countDocuments({ state: 'waiting' }),
  ]);
  return left.every((count) => count === 0);
}

async function leakCheck({ stack, mongo, redis, commandsFile, stopCapture }: Scene): Promise<Check> {
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
    scan.hits.map(({ file, what }) => `${file}: ${what}`),
    {
      note: `${scan.needles} forms searched in ${scan.files} files, ${megabytes} MB`,
    },
  );
}

/** Returns the times when MongoDB had no primary and nothing could proceed. */
const holesOf = (deeds: readonly Deed[]): Hole[] =>
  deeds
    .filter(({ kind }) => ['kill-mongo', 'freeze-mongo', 'step-down-mongo'].includes(kind))
    .map(({ at, flowsAt = at }) => ({ from: at, to: flowsAt + RECONNECT_MS }));

/**
 * Returns the seconds from the blow until its work continued. When the same worker is killed again meanwhile, they count from then: its
 * pool may have no other worker.
 */
function secondsAfter({ deed, afterMs }: Resumed, deeds: readonly Deed[]): number {
  const end = deed.at + afterMs;
  const again = deeds.filter(({ kind, target, at }) => kind === deed.kind && target === deed.target && at <= end);
  return (end - Math.max(deed.at, ...again.map(({ at }) => at))) / 1000;
}

function recoveryChecks(
  { probe, stack }: Scene,
  patience: number,
  { deeds, holes }: { deeds: readonly Deed[]; holes: readonly Hole[] },
): Check[] {
  const inHole = ({ deed, afterMs }: Resumed) =>
    holes.some(({ from, to }) => deed.at <= to && deed.at + afterMs >= from);
  const after = (...kinds: readonly Deed['kind'][]) =>
    probe.resumed
      .filter((resumed) => kinds.includes(resumed.deed.kind) && !inHole(resumed))
      .map((resumed) => secondsAfter(resumed, deeds));
  return [
    measured('from a worker kill until its payments go on (p99)', percentile(after('kill-worker'), 0.99), {
      atMost: 10 * patience,
      unit: 's',
    }),
    measured('from FLUSHALL until all due work is taken again', percentile(after('flush-redis'), 1), {
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

/** Runs load and blows at once. Resolves when both are over and everything runs again. */
async function storm(scene: Scene, options: ChaosOptions, onComplaint: (text: string) => void): Promise<Deed[]> {
  const { stack, mongo, redis, balancer, caller, receivers, random, probe, acquirer } = scene;
  const loadMs = options.secs * 1_000;
  const plan = { loadMs, mongo: options.mongo, lines: acquirer !== undefined, shape: options.shape ?? plainShape };
  const blows = planTimeline(plan, random.fork('timeline'));
  const onDeed = (deed: Deed) => {
    options.say(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${deed.kind} ${deed.target}`);
    if (deed.kind === 'kill-worker') probe.watchLeases(deed);
    if (deed.kind === 'flush-redis') probe.watchDueWork(deed);
  };
  const startedAt = Date.now();
  const [, deeds] = await Promise.all([
    runLoad({
      loadMs,
      perSecond: options.perSecond,
      random: random.fork('load'),
      caller,
      callbackUrls: receivers.urls,
      reached: { config: stack.config, urls: stack.apiUrls },
      cardProcessor: options.cardProcessor,
    }),
    runTimeline(blows, {
      ...{ stack, mongo, redis, balancer, acquirer, onDeed, onComplaint },
      leavesOne: isReal(scene.shape),
      random: random.fork('victims'),
    }),
  ]);
  await fetch(`${stack.simulatorUrl}/faults`, { method: 'DELETE' });
  return deeds;
}

/**
 * Checks silences without a blow that explains them. When the machine's disk is slow, `503` is the right answer. But a gateway that
 * keeps MongoDB too busy must not pass for that, so only a few silences are allowed.
 */
function silenceCheck(silences: readonly Hole[], holes: readonly Hole[], secs: number): Check {
  const unexplained = silences.filter((one) => !holes.some(({ from, to }) => one.from <= to && one.to >= from));
  const ms = unexplained.reduce((sum, { from, to }) => sum + to - from, 0);
  return measured('MongoDB took no durable write though nothing struck it', ms / 1000, {
    atMost: secs * SILENT_SHARE_MAX,
    unit: 's',
  });
}

async function judge(
  scene: Scene,
  { patience, secs, say }: ChaosOptions,
  deeds: readonly Deed[],
  payments: readonly Payment[],
): Promise<Check[]> {
  const { stack, caller, receivers, probe, writes, acquirer } = scene;
  const holes = holesOf(deeds);
  const excused = [...holes, ...writes.silences];
  const failed = serverErrors({ payments, exchanges: caller.exchanges, holes: excused });
  for (const line of causesOf(stack.folder, failed)) say(line);
  const checks = audit({
    payments,
    ledger: await (acquirer ? acquirer.ledger(stack.database) : stack.ledger()),
    exchanges: caller.exchanges,
    received: receivers.received,
    orphanIds: probe.orphanIds,
    senderKills: deeds.filter(({ target }) => target.startsWith('callback-')).length,
    holes: excused,
  });
  return [
    ...checks,
    silenceCheck(writes.silences, holes, secs),
    ...recoveryChecks(scene, patience, { deeds, holes }),
    await leakCheck(scene),
  ];
}

/** Runs chaos. The verdict is part of the result. Throws only for what prevents the run itself. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const where = describeShape(options.shape ?? plainShape);
  options.say(`seed ${options.seed}: ${options.secs} s of load at ${options.perSecond} payments/s; ${where}`);
  const scene = await setScene(options);
  try {
    const startedAt = Date.now();
    const complaints: string[] = [];
    const deeds = await storm(scene, options, (text) => complaints.push(text));
    const loadMs = Date.now() - startedAt;
    const drainMs = await drain(scene.stack, options.drain, () => isIdle(scene));
    options.say(`drained in ${(drainMs / 1000).toFixed(1)} s`);
    await Promise.all([scene.probe.stop(), scene.writes.stop()]);
    const payments = await scene.stack.database.collection<Payment>('payments').find({}).toArray();
    const checks = [
      ...(await judge(scene, options, deeds, payments)),
      ...(options.shape?.faketime
        ? [check('workers that worked with a wrong clock, or did not say so', complaints)]
        : []),
    ];
    const result: ChaosResult = {
      seed: options.seed,
      ok: checks.every(({ ok }) => ok),
      shape: options.shape ?? plainShape,
      checks,
      deeds,
      samples: scene.probe.samples,
      resumed: scene.probe.resumed,
      startedAt,
      secs: options.secs,
      perSecond: options.perSecond,
      loadMs,
      drainMs,
      payments: payments.length,
      requests: scene.caller.exchanges.length,
      callbacks: scene.receivers.received.length,
      statuses: countStatuses(payments),
      folder: scene.stack.folder,
    };
    writeFileSync(join(scene.stack.folder, 'result.json'), JSON.stringify(result, null, 2));
    appendFileSync(
      join(scene.stack.folder, 'requests.jsonl'),
      scene.caller.exchanges.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    return result;
  } finally {
    await clear(scene);
  }
}
