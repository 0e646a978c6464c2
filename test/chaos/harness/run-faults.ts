/** Injects faults under steady load through the API, one after the other, and reports what clients saw. The processor's books judge. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answerLimitMs } from '../../../api/http/answer-limit.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { audit } from './audit.js';
import { type Check, check, checkBound } from './check.js';
import { drain } from './drain.js';
import { type FaultSetup, type FaultSetupKind, faultSetupKinds, setUpForFaults } from './fault-setup.js';
import { type Fault, type FaultName, faults } from './faults.js';
import { startProbe } from './probe.js';
import { checkChargedOnce, countAnswers, countResets, endedAt, isApproved, startSteadyLoad } from './steady-load.js';

export interface FaultOptions {
  readonly faults: readonly FaultName[];
  readonly perSecond: number;
  /** Load before each fault (ms). */
  readonly calmMs: number;
  /** Load while the fault lasts, or after its successor serves (ms). */
  readonly faultMs: number;
  /** Maximum time until everything is settled (ms). */
  readonly drainMs: number;
  /** Path of libfaketime, for faults of clocks. */
  readonly faketime?: string | undefined;
  log(text: string): void;
}

/** What clients saw of one fault. All times in milliseconds. */
export interface FaultObservation {
  readonly fault: FaultName;
  /** Time until a successor served, or the same server again. */
  readonly recoveredMs: number;
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
  readonly observations: readonly FaultObservation[];
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

/** One fault that was injected: what clients saw, and what the checks found. */
interface FaultRun {
  readonly observation: FaultObservation;
  readonly checks: readonly Check[];
}

async function runFault(setup: FaultSetup, name: FaultName, options: FaultOptions): Promise<FaultRun> {
  const fault: Fault = faults[name];
  const load = startSteadyLoad(setup.caller, options.perSecond);
  await pause(options.calmMs);
  const faultAt = Date.now();
  let recoveredAt = faultAt;
  const problems = await fault.run(setup, {
    markRecovered: () => {
      recoveredAt = Date.now();
      options.log(`${name}: over after ${((recoveredAt - faultAt) / 1000).toFixed(1)} s`);
    },
    faultMs: options.faultMs,
    sustain: () => pause(options.faultMs),
  });
  await pause(options.calmMs);
  await load.stop();
  const all = await Promise.all(load.firstCalls);
  const during = all.filter((exchange) => endedAt(exchange) >= faultAt);
  const waits = during.map(({ tookMs }) => tookMs);
  const observation: FaultObservation = {
    fault: name,
    recoveredMs: recoveredAt - faultAt,
    longestMs: Math.max(...waits),
    medianMs: median(waits),
    calmMedianMs: median(all.filter((exchange) => endedAt(exchange) < faultAt).map(({ tookMs }) => tookMs)),
    requests: during.length,
    answers: countAnswers(during),
    resets: countResets(during),
    failed: [],
  };
  const isOutcome = (one: (typeof during)[number]) => isApproved(one) || one.answer?.body?.status === 'pending';
  const others = during.filter((one) => !isOutcome(one) && !(fault.cutsCalls && !one.answer));
  const checks = [
    check(`${name}: calls that got neither an outcome nor \`pending\``, Object.keys(countAnswers(others))),
    check(`${name}: what should not have been seen`, problems),
    checkBound(`${name}: the longest wait for an answer`, observation.longestMs / 1000, {
      atMost: (answerLimitMs(setup.stack.config.responseWaitMs) + LATE_MS) / 1000,
      unit: 's',
    }),
  ];
  return { observation, checks };
}

async function makeChecks(
  { stack, caller }: FaultSetup,
  kind: FaultSetupKind,
  orphanIds: ReadonlySet<string>,
): Promise<Check[]> {
  const payments = await stack.database.collection<Payment>('payments').find({}).toArray();
  const { exchanges } = caller;
  const ledger = await stack.ledger();
  const evidence = { payments, ledger, exchanges, received: [], orphanIds, senderKills: 0, outages: [] };
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
async function runSetup(kind: FaultSetupKind, options: FaultOptions) {
  const names = options.faults.filter((name) => faults[name].setup === kind);
  const setup = await setUpForFaults(kind, options.faketime);
  const { stack, caller } = setup;
  const probe = startProbe(stack.database.collection<Payment>('payments'));
  try {
    const runs: FaultRun[] = [];
    for (const name of names) runs.push(await runFault(setup, name, options));
    await drain(setup.stack, { withinMs: options.drainMs });
    await probe.stop();
    const checks = [...runs.flatMap((one) => one.checks), ...(await makeChecks(setup, kind, probe.orphanIds))];
    const lines = caller.exchanges.map((one) => `${JSON.stringify(one)}\n`);
    appendFileSync(join(stack.folder, 'requests.jsonl'), lines.join(''));
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
    const observations = runs.map((one) => ({ ...one.observation, failed }));
    const payments = await stack.database.collection('payments').countDocuments({});
    return { observations, checks, payments, folder: stack.folder };
  } finally {
    await probe.stop();
    await setup.stop();
  }
}

export async function runFaults(options: FaultOptions): Promise<FaultsResult> {
  const results: Awaited<ReturnType<typeof runSetup>>[] = [];
  for (const kind of faultSetupKinds) {
    if (options.faults.some((name) => faults[name].setup === kind)) results.push(await runSetup(kind, options));
  }
  return {
    observations: results.flatMap(({ observations }) => observations),
    checks: results.flatMap(({ checks }) => checks),
    payments: results.reduce((sum, { payments }) => sum + payments, 0),
    folders: results.map(({ folder }) => folder),
  };
}
