/** Every story with one fault, and with two: at each point of the undisturbed story, and at each point of what the first fault made of it. */
import { type Fault, faultsAt, type Point, planned, seeded } from './faults.js';
import type { ScenarioName } from './scenarios.js';
import { type PlantedBugs, type StoryOutcome, simulate } from './simulate.js';

export interface Strike {
  readonly at: number;
  readonly fault: Fault;
}

export interface Run {
  readonly scenario: ScenarioName;
  /** `[]`: the undisturbed story. */
  readonly strikes: readonly Strike[];
  readonly outcome: StoryOutcome;
}

/** Strikes at a point, one for each thing that can happen there. */
const strikesAt = ({ at, kind }: Point): Strike[] => faultsAt[kind].map((fault) => ({ at, fault }));

/**
 * To die before a point is to have died at the point before it, where that is of the same process: nothing happened in between but
 * that the process computed, or read.
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

/** The single faults of the undisturbed story: all of them. */
export const firstStrikes = ({ outcome }: Run): Strike[] => outcome.points.flatMap(strikesAt);

/** What may follow a single fault: each fault at each point after it, but for deaths that are the same death. */
export function nextStrikes({ strikes: [first], outcome: { points } }: Run): Strike[] {
  if (!first) return [];
  const after = points.filter(({ at }) => at > first.at).flatMap(strikesAt);
  return after.filter((strike) => !isDeadAlready(points, strike));
}

/** The undisturbed story, then each single fault in it. */
export async function* singles(scenario: ScenarioName, bugs: PlantedBugs = {}): AsyncGenerator<Run> {
  const undisturbed = await run(scenario, [], bugs);
  yield undisturbed;
  for (const strike of firstStrikes(undisturbed)) yield run(scenario, [strike], bugs);
}

/** A story that a seed tells. */
export const bySeed = (
  scenario: ScenarioName,
  seed: number,
  bugs: PlantedBugs = {},
  tracing = false,
): Promise<StoryOutcome> => simulate(scenario, seeded(seed), bugs, { tracing });

/** The same run again, with what happened in it written down. */
export const traceOf = async ({ scenario, strikes }: Run): Promise<readonly string[]> =>
  (await simulate(scenario, planned(...strikes), {}, { tracing: true })).trace;

/** For people: `dies-after at 7 (web-1 payments.insertMany)`. */
export const textOf = ({ strikes, outcome }: Run): string =>
  strikes
    .map(({ at, fault }) => `${fault} at ${at} (${outcome.points[at]?.process} ${outcome.points[at]?.label})`)
    .join(', then ') || 'undisturbed';
