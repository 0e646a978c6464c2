/** Plays every story with one fault and with two: at each point of the undisturbed story, and at each point after the first fault. */
import { type Fault, type FaultPoint, faultsAt, plannedFaults, seededFaults } from './faults.js';
import type { ScenarioName } from './scenarios.js';
import { type PlantedBugs, type StoryOutcome, simulate } from './simulate.js';

/** A fault that a plan injects at one point of a story. */
export interface PlannedFault {
  /** Number of the point. */
  readonly at: number;
  readonly fault: Fault;
}

/** A scenario that was played with planned faults, and its outcome. */
export interface ScenarioRun {
  readonly scenario: ScenarioName;
  /** Empty for the undisturbed story, the one without faults. */
  readonly faults: readonly PlannedFault[];
  readonly outcome: StoryOutcome;
}

/** Returns the faults at a point, one for each fault that can happen there. */
const possibleFaultsAt = ({ at, kind }: FaultPoint): PlannedFault[] => faultsAt[kind].map((fault) => ({ at, fault }));

/**
 * Whether a death before this point equals a death at the point before, if both are of the same process: in between the process only
 * computed or read something.
 */
function isSameAsEarlierDeath(points: readonly FaultPoint[], { at, fault }: PlannedFault): boolean {
  const [before, point] = [points[at - 1], points[at]];
  if (fault !== 'dies-before' || !before || before.process !== point?.process) return false;
  const possible: readonly Fault[] = faultsAt[before.kind];
  return before.kind === 'read' || possible.includes('dies-after');
}

export async function runScenario(
  scenario: ScenarioName,
  faults: readonly PlannedFault[],
  bugs: PlantedBugs = {},
): Promise<ScenarioRun> {
  return { scenario, faults, outcome: await simulate(scenario, plannedFaults(...faults), bugs) };
}

/** Returns each fault at each point after `at`, without deaths that equal an earlier one. */
const faultsAfter = (at: number, points: readonly FaultPoint[]): PlannedFault[] =>
  points
    .slice(at + 1)
    .flatMap(possibleFaultsAt)
    .filter((fault) => !isSameAsEarlierDeath(points, fault));

/** Returns all single faults of the undisturbed story. */
export const firstFaults = ({ outcome }: ScenarioRun): PlannedFault[] => faultsAfter(-1, outcome.points);

/** Returns the faults that may follow a single fault. */
export const secondFaults = ({ faults: [first], outcome }: ScenarioRun): PlannedFault[] =>
  first ? faultsAfter(first.at, outcome.points) : [];

/** Plays the undisturbed story, then the story with each single fault. */
export async function* runSingleFaults(scenario: ScenarioName, bugs: PlantedBugs = {}): AsyncGenerator<ScenarioRun> {
  const undisturbed = await runScenario(scenario, [], bugs);
  yield undisturbed;
  for (const fault of firstFaults(undisturbed)) yield runScenario(scenario, [fault], bugs);
}

/** Plays a story that a seed determines. */
export const runSeed = (
  scenario: ScenarioName,
  seed: number,
  bugs: PlantedBugs = {},
  tracing = false,
): Promise<StoryOutcome> => simulate(scenario, seededFaults(seed), bugs, { tracing });

/** Plays the same run again and records its events. */
export const traceOf = async ({ scenario, faults }: ScenarioRun): Promise<readonly string[]> =>
  (await simulate(scenario, plannedFaults(...faults), {}, { tracing: true })).trace;

/** Describes the faults for people: `dies-after at 7 (web-1 payments.insertMany)`. */
export const describeFaults = ({ faults, outcome }: ScenarioRun): string =>
  faults
    .map(({ at, fault }) => `${fault} at ${at} (${outcome.points[at]?.process} ${outcome.points[at]?.label})`)
    .join(', then ') || 'undisturbed';
