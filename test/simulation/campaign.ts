/** Runs everything: each scenario without faults, with every single fault, with pairs of faults, and by seeds. Measures the coverage. */
import { corrections, transitions } from '../../shared/domain/payment/transitions.js';
import { queueOf } from '../../shared/domain/payment/work.js';
import {
  describeFaults,
  firstFaults,
  runScenario,
  runSeed,
  type ScenarioRun,
  secondFaults,
  traceOf,
} from './explore.js';
import { seededRandom } from './faults.js';
import { type ScenarioName, scenarios } from './scenarios.js';

/** Which stories a campaign plays. */
export interface CampaignPlan {
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

/** Parts of the product that the stories exercised, and those that none exercised. */
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

/** Transitions and kinds of work that all stories so far exercised. */
interface ExercisedSets {
  readonly transitions: Set<string>;
  readonly workKinds: Set<string>;
}

/** Plays the stories of one scenario, and collects their findings. */
class Exploration {
  readonly findings: Finding[] = [];

  constructor(
    private readonly scenario: ScenarioName,
    private readonly exercised: ExercisedSets,
  ) {}

  /** @param replay plays the story a second time, and records its events */
  async record(
    { outcome }: Pick<ScenarioRun, 'outcome'>,
    describe: () => string,
    replay: () => Promise<readonly string[]>,
  ): Promise<void> {
    for (const transition of outcome.transitions) this.exercised.transitions.add(transition);
    for (const kind of outcome.workKinds) this.exercised.workKinds.add(kind);
    const { violations } = outcome;
    if (violations.length === 0) return;
    const isFirst = this.findings.length === 0;
    this.findings.push({ story: describe(), violations, ...(isFirst && { trace: await replay() }) });
  }

  /** A story that never reaches its intended end exercises less than it claims. */
  compareEnds({ outcome: { finalStatuses } }: ScenarioRun): void {
    const { expectedStatuses } = scenarios[this.scenario];
    if (finalStatuses.join() === expectedStatuses.join()) return;
    const violations = [`ends: as ${finalStatuses.join(', ')} instead of ${expectedStatuses.join(', ')}`];
    this.findings.push({ story: 'undisturbed', violations });
  }

  async runWith(faults: ScenarioRun['faults']): Promise<ScenarioRun> {
    const played = await runScenario(this.scenario, faults);
    await this.record(
      played,
      () => describeFaults(played),
      () => traceOf(played),
    );
    return played;
  }
}

const MICROSECONDS = 1e6;
const secondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / MICROSECONDS;

/** Draws about as many as are wanted, always the same ones for the same seed. */
function sampleOf<T>(possible: readonly T[], count: number | 'all', seed: number): readonly T[] {
  const random = seededRandom(seed);
  const share = count === 'all' ? 1 : count / possible.length;
  return share >= 1 ? possible : possible.filter(() => random() < share);
}

async function explore(
  scenario: ScenarioName,
  plan: CampaignPlan,
  exercised: ExercisedSets,
  onProgress: (text: string) => void,
) {
  const usage = process.cpuUsage();
  const exploration = new Exploration(scenario, exercised);
  const undisturbed = await exploration.runWith([]);
  exploration.compareEnds(undisturbed);
  const singles = sampleOf(firstFaults(undisturbed), plan.singles, plan.firstSeed);
  const possiblePairs: ScenarioRun['faults'][] = [];
  for (const first of singles) {
    const played = await exploration.runWith([first]);
    for (const second of secondFaults(played)) possiblePairs.push([first, second]);
  }
  const { firstSeed, seeds } = plan;
  const chosen = sampleOf(possiblePairs, plan.pairs, firstSeed);
  for (const [index, pair] of chosen.entries()) {
    if (index % 200 === 0) onProgress(`${scenario}: pair ${index} of ${chosen.length}`);
    await exploration.runWith(pair);
  }
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const outcome = await runSeed(scenario, seed);
    const replay = async () => (await runSeed(scenario, seed, {}, true)).trace;
    await exploration.record({ outcome }, () => `seed ${seed}`, replay);
  }
  return {
    scenario,
    points: undisturbed.outcome.points.length,
    singles: singles.length,
    pairs: chosen.length,
    pairsPossible: possiblePairs.length,
    seeds,
    findings: exploration.findings,
    seconds: secondsOf(process.cpuUsage(usage)),
  };
}

const coverageOf = (all: readonly string[], exercised: ReadonlySet<string>): Coverage => ({
  exercised: all.filter((one) => exercised.has(one)),
  missing: all.filter((one) => !exercised.has(one)),
});

/** @param onProgress gets a line about the current work now and then; `onScenario` gets each finished scenario */
export async function runCampaign(
  plan: CampaignPlan,
  onProgress: (text: string) => void = () => undefined,
  onScenario: (report: ScenarioReport) => void = () => undefined,
): Promise<Report> {
  const exercised: ExercisedSets = { transitions: new Set(), workKinds: new Set() };
  const reports: ScenarioReport[] = [];
  for (const scenario of plan.scenarios) {
    onProgress(scenario);
    const report = await explore(scenario, plan, exercised, onProgress);
    reports.push(report);
    onScenario(report);
  }
  return {
    scenarios: reports,
    transitions: coverageOf(allTransitions, exercised.transitions),
    workKinds: coverageOf(Object.keys(queueOf), exercised.workKinds),
  };
}
