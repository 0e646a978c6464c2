/** Plays every story with one fault and with two: at each point of the undisturbed story, and at each point after the first fault. */
import { type Fault, faultsAt, type Point, planned, seeded } from './faults.js';
import type { ScenarioName } from './scenarios.js';
import { type PlantedBugs, type StoryOutcome, simulate } from './simulate.js';

export interface Strike {
  readonly at: number;
  readonly fault: Fault;
}

export interface Run {
  readonly scenario: ScenarioName;
  /** Empty for the undisturbed story, the one without faults. */
  readonly strikes: readonly Strike[];
  readonly outcome: StoryOutcome;
}

/** Returns the strikes at a point, one for each fault that can happen there. */
const strikesAt = ({ at, kind }: Point): Strike[] => faultsAt[kind].map((fault) => ({ at, fault }));

/**
 * Whether a death before this point equals a death at the point before, if both are of the same process: in between the process only
 * computed or read something.
 */
function isDeadAlready(points: readonly Point[], { at, fault }: Strike): boolean {
  const [before, point] = [points[at - 1], points[at]];
  if (fault !== 'dies-before' || !before || before.process !== point?.process) return false;
  const possible: readonly Fault[] = faultsAt[before.kind];
  return before.kind === 'read' || possible.includes('dies-after');
}

export async function run(scenario: ScenarioName, strikes: readonly Strike[], bugs: PlantedBugs = {}): Promise<Run> {
  return { scenario, strikes, outcome: await simulate(scenario, planned(...strikes), bugs) };
}

/** Returns all single faults of the undisturbed story. */
export const firstStrikes = ({ outcome }: Run): Strike[] => outcome.points.flatMap(strikesAt);

/** Returns the faults that may follow a single fault: each fault at each later point, without deaths that equal an earlier one. */
export function nextStrikes({ strikes: [first], outcome: { points } }: Run): Strike[] {
  if (!first) return [];
  const after = points.filter(({ at }) => at > first.at).flatMap(strikesAt);
  return after.filter((strike) => !isDeadAlready(points, strike));
}

/** Plays the undisturbed story, then the story with each single fault. */
export async function* singles(scenario: ScenarioName, bugs: PlantedBugs = {}): AsyncGenerator<Run> {
  const undisturbed = await run(scenario, [], bugs);
  yield undisturbed;
  for (const strike of firstStrikes(undisturbed)) yield run(scenario, [strike], bugs);
}

/** Plays a story that a seed determines. */
export const bySeed = (
  scenario: ScenarioName,
  seed: number,
  bugs: PlantedBugs = {},
  tracing = false,
): Promise<StoryOutcome> => simulate(scenario, seeded(seed), bugs, { tracing });

/** Plays the same run again and records its events. */
export const traceOf = async ({ scenario, strikes }: Run): Promise<readonly string[]> =>
  (await simulate(scenario, planned(...strikes), {}, { tracing: true })).trace;

/** Describes the strikes for people: `dies-after at 7 (web-1 payments.insertMany)`. */
export const textOf = ({ strikes, outcome }: Run): string =>
  strikes
    .map(({ at, fault }) => `${fault} at ${at} (${outcome.points[at]?.process} ${outcome.points[at]?.label})`)
    .join(', then ') || 'undisturbed';
