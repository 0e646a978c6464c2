/** Runs everything: each scenario without faults, with every single fault, with pairs of faults, and by seeds. Measures the coverage. */
import { corrections, transitions } from '../../shared/domain/payment/transitions.js';
import { queueOf } from '../../shared/domain/payment/work.js';
import { bySeed, firstStrikes, nextStrikes, type Run, run, textOf, traceOf } from './explore.js';
import { randomOf } from './faults.js';
import { type ScenarioName, scenarios } from './scenarios.js';

export interface Plan {
  readonly scenarios: readonly ScenarioName[];
  /** Number of single faults per scenario, drawn at random; or `all` of them. */
  readonly singles: number | 'all';
  /** Number of pairs per scenario, drawn at random; or `all` of them. */
  readonly pairs: number | 'all';
  /** Number of seeds per scenario, and the first of them. */
  readonly seeds: number;
  readonly firstSeed: number;
}

export interface Finding {
  /** The faults or the seed that reproduce the story. */
  readonly story: string;
  readonly violations: readonly string[];
  /** Events of the story, for the first finding of a scenario. */
  readonly trace?: readonly string[];
}

export interface ScenarioReport {
  readonly scenario: ScenarioName;
  readonly points: number;
  readonly singles: number;
  readonly pairs: number;
  readonly pairsPossible: number;
  readonly seeds: number;
  readonly findings: readonly Finding[];
  /** Processor time (s). */
  readonly seconds: number;
}

export interface Coverage {
  readonly exercised: readonly string[];
  readonly missing: readonly string[];
}

export interface Report {
  readonly scenarios: readonly ScenarioReport[];
  readonly transitions: Coverage;
  readonly workKinds: Coverage;
}

const allTransitions = [transitions, corrections].flatMap((table) =>
  Object.entries(table).flatMap(([from, moves]) => Object.keys(moves).map((move) => `${from} ${move}`)),
);

interface Seen {
  readonly transitions: Set<string>;
  readonly workKinds: Set<string>;
}

class Exploration {
  readonly findings: Finding[] = [];

  constructor(
    private readonly scenario: ScenarioName,
    private readonly seen: Seen,
  ) {}

  /** @param again plays the story a second time, and records its events */
  async look(
    { outcome }: Pick<Run, 'outcome'>,
    story: () => string,
    again: () => Promise<readonly string[]>,
  ): Promise<void> {
    for (const transition of outcome.transitions) this.seen.transitions.add(transition);
    for (const kind of outcome.workKinds) this.seen.workKinds.add(kind);
    const { violations } = outcome;
    if (violations.length === 0) return;
    const isFirst = this.findings.length === 0;
    this.findings.push({ story: story(), violations, ...(isFirst && { trace: await again() }) });
  }

  /** A story that never reaches its intended end exercises less than it claims. */
  compareEnds({ outcome: { endsAs } }: Run): void {
    const { ends } = scenarios[this.scenario];
    if (endsAs.join() === ends.join()) return;
    const violations = [`ends: as ${endsAs.join(', ')} instead of ${ends.join(', ')}`];
    this.findings.push({ story: 'undisturbed', violations });
  }

  async single(strikes: Run['strikes']): Promise<Run> {
    const made = await run(this.scenario, strikes);
    await this.look(
      made,
      () => textOf(made),
      () => traceOf(made),
    );
    return made;
  }
}

const MICROSECONDS = 1e6;
const secondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / MICROSECONDS;

/** Draws about as many as are wanted, always the same ones for the same seed. */
function sampleOf<T>(possible: readonly T[], wanted: number | 'all', seed: number): readonly T[] {
  const random = randomOf(seed);
  const share = wanted === 'all' ? 1 : wanted / possible.length;
  return share >= 1 ? possible : possible.filter(() => random() < share);
}

async function explore(scenario: ScenarioName, plan: Plan, seen: Seen, progress: (done: string) => void) {
  const usage = process.cpuUsage();
  const exploration = new Exploration(scenario, seen);
  const undisturbed = await exploration.single([]);
  exploration.compareEnds(undisturbed);
  const singles = sampleOf(firstStrikes(undisturbed), plan.singles, plan.firstSeed);
  const possible: Run['strikes'][] = [];
  for (const strike of singles) {
    const made = await exploration.single([strike]);
    for (const next of nextStrikes(made)) possible.push([strike, next]);
  }
  const { firstSeed, seeds } = plan;
  const chosen = sampleOf(possible, plan.pairs, firstSeed);
  for (const [at, pair] of chosen.entries()) {
    if (at % 200 === 0) progress(`${scenario}: pair ${at} of ${chosen.length}`);
    await exploration.single(pair);
  }
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const outcome = await bySeed(scenario, seed);
    const again = async () => (await bySeed(scenario, seed, {}, true)).trace;
    await exploration.look({ outcome }, () => `seed ${seed}`, again);
  }
  return {
    scenario,
    points: undisturbed.outcome.points.length,
    singles: singles.length,
    pairs: chosen.length,
    pairsPossible: possible.length,
    seeds,
    findings: exploration.findings,
    seconds: secondsOf(process.cpuUsage(usage)),
  };
}

const coverage = (all: readonly string[], seen: ReadonlySet<string>): Coverage => ({
  exercised: all.filter((one) => seen.has(one)),
  missing: all.filter((one) => !seen.has(one)),
});

/** @param progress gets a line about the current work now and then; `done` gets each finished scenario */
export async function runCampaign(
  plan: Plan,
  progress: (done: string) => void = () => undefined,
  done: (report: ScenarioReport) => void = () => undefined,
): Promise<Report> {
  const seen: Seen = { transitions: new Set(), workKinds: new Set() };
  const reports: ScenarioReport[] = [];
  for (const scenario of plan.scenarios) {
    progress(scenario);
    const report = await explore(scenario, plan, seen, progress);
    reports.push(report);
    done(report);
  }
  return {
    scenarios: reports,
    transitions: coverage(allTransitions, seen.transitions),
    workKinds: coverage(Object.keys(queueOf), seen.workKinds),
  };
}
