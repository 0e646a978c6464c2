/** Injects faults under steady load through the API, one after the other, and reports what clients saw. The processor's books judge. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answerLimitMs } from '../../../api/http/answer-limit.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { audit } from './audit.js';
import { type Check, check, measured } from './check.js';
import { drain } from './drain.js';
import { type Ground, type GroundKind, groundKinds, prepareGround } from './fault-ground.js';
import { type Fault, type FaultName, faults } from './faults.js';
import { startProbe } from './probe.js';
import { checkChargedOnce, countAnswers, countResets, endOf, isGood, startSteadyLoad } from './steady-load.js';

export interface FaultOptions {
  readonly faults: readonly FaultName[];
  readonly perSecond: number;
  /** Load before each fault (ms). */
  readonly calmMs: number;
  /** Load while the fault lasts, or after its successor serves (ms). */
  readonly heldMs: number;
  /** Maximum time until everything is settled (ms). */
  readonly drainMs: number;
  /** Path of libfaketime, for faults of clocks. */
  readonly faketime?: string | undefined;
  say(text: string): void;
}

/** What clients saw of one fault. All times in milliseconds. */
export interface SeenFault {
  readonly fault: FaultName;
  /** Time until a successor served, or the same server again. */
  readonly overMs: number;
  /** The longest and the median wait during and after the fault, and the median before it. */
  readonly longestMs: number;
  readonly medianMs: number;
  readonly calmMedianMs: number;
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly resets: number;
  /** Failed checks of the run on the same installation. */
  failed: readonly string[];
}

export interface FaultsResult {
  readonly seen: readonly SeenFault[];
  readonly checks: readonly Check[];
  readonly payments: number;
  readonly folders: readonly string[];
}

/** Bounds of the gateway are checked once a second, and a busy machine is late. */
const LATE_MS = 5_000;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

interface Tried {
  readonly seen: SeenFault;
  readonly checks: readonly Check[];
}

async function tryFault(ground: Ground, name: FaultName, options: FaultOptions): Promise<Tried> {
  const fault: Fault = faults[name];
  const load = startSteadyLoad(ground.caller, options.perSecond);
  await pause(options.calmMs);
  const faultAt = Date.now();
  let overAt = faultAt;
  const complaints = await fault.run(ground, {
    over: () => {
      overAt = Date.now();
      options.say(`${name}: over after ${((overAt - faultAt) / 1000).toFixed(1)} s`);
    },
    heldMs: options.heldMs,
    hold: () => pause(options.heldMs),
  });
  await pause(options.calmMs);
  await load.stop();
  const all = await Promise.all(load.answered);
  const during = all.filter((exchange) => endOf(exchange) >= faultAt);
  const waits = during.map(({ tookMs }) => tookMs);
  const seen: SeenFault = {
    fault: name,
    overMs: overAt - faultAt,
    longestMs: Math.max(...waits),
    medianMs: median(waits),
    calmMedianMs: median(all.filter((exchange) => endOf(exchange) < faultAt).map(({ tookMs }) => tookMs)),
    requests: during.length,
    answers: countAnswers(during),
    resets: countResets(during),
    failed: [],
  };
  const isOutcome = (one: (typeof during)[number]) => isGood(one) || one.answer?.body?.status === 'pending';
  const others = during.filter((one) => !isOutcome(one) && !(fault.cutsCalls && !one.answer));
  const checks = [
    check(`${name}: calls that got neither an outcome nor \`pending\``, Object.keys(countAnswers(others))),
    check(`${name}: what should not have been seen`, complaints),
    measured(`${name}: the longest wait for an answer`, seen.longestMs / 1000, {
      atMost: (answerLimitMs(ground.stack.config.responseWaitMs) + LATE_MS) / 1000,
      unit: 's',
    }),
  ];
  return { seen, checks };
}

async function judge({ stack, caller }: Ground, kind: GroundKind, orphanIds: ReadonlySet<string>): Promise<Check[]> {
  const payments = await stack.database.collection<Payment>('payments').find({}).toArray();
  const { exchanges } = caller;
  const ledger = await stack.ledger();
  const evidence = { payments, ledger, exchanges, received: [], orphanIds, senderKills: 0, holes: [] };
  const checks = [
    ...audit(evidence),
    checkChargedOnce(exchanges, payments),
    check(
      'processes that ended by themselves',
      stack.members.flatMap(({ crashes }) => crashes),
    ),
  ];
  return checks.map((one) => ({ ...one, name: `${kind}: ${one.name}` }));
}

/** Runs all faults of one kind of installation, and judges them. */
async function runGround(kind: GroundKind, options: FaultOptions) {
  const names = options.faults.filter((name) => faults[name].ground === kind);
  const ground = await prepareGround(kind, options.faketime);
  const { stack, caller } = ground;
  const probe = startProbe(stack.database.collection<Payment>('payments'));
  try {
    const tried: Tried[] = [];
    for (const name of names) tried.push(await tryFault(ground, name, options));
    await drain(ground.stack, { withinMs: options.drainMs });
    await probe.stop();
    const checks = [...tried.flatMap((one) => one.checks), ...(await judge(ground, kind, probe.orphanIds))];
    const lines = caller.exchanges.map((one) => `${JSON.stringify(one)}\n`);
    appendFileSync(join(stack.folder, 'requests.jsonl'), lines.join(''));
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
    const seen = tried.map((one) => ({ ...one.seen, failed }));
    const payments = await stack.database.collection('payments').countDocuments({});
    return { seen, checks, payments, folder: stack.folder };
  } finally {
    await probe.stop();
    await ground.stop();
  }
}

export async function runFaults(options: FaultOptions): Promise<FaultsResult> {
  const results: Awaited<ReturnType<typeof runGround>>[] = [];
  for (const kind of groundKinds) {
    if (options.faults.some((name) => faults[name].ground === kind)) results.push(await runGround(kind, options));
  }
  return {
    seen: results.flatMap(({ seen }) => seen),
    checks: results.flatMap(({ checks }) => checks),
    payments: results.reduce((sum, { payments }) => sum + payments, 0),
    folders: results.map(({ folder }) => folder),
  };
}
