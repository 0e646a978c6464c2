/**
 * Decides in which order the suites begin: the suites of each folder are spread over the whole run. Suites of one folder resemble each
 * other: some compute, some wait, some start many processes or a browser. Side by side they would compete for the same processors.
 */
import { relative, sep } from 'node:path';

/** Suites that take most of a minute or more. They begin first, so that none is left over at the end. */
export const LONG = [
  'queue/redis-groups.test.ts',
  'chaos/redis-failover.test.ts',
  'bench/short-runs.test.ts',
  'browser/bank-transfer.test.ts',
  'simulation/simulation.test.ts',
  'simulation/conformance.test.ts',
  'chaos/chaos.test.ts',
  'chaos/iso8583-chaos.test.ts',
  'chaos/update-crash.test.ts',
  'chaos/transfer-crash.test.ts',
  'setup/new-processor.test.ts',
  'pipeline/processor-updates.test.ts',
  'pipeline/going-live.test.ts',
  'pipeline/transfer-faults.test.ts',
  'pipeline/threeds-server.test.ts',
  'pipeline/slow-statements.test.ts',
  'browser/checkout.test.ts',
  'browser/wallet-script.test.ts',
  'browser/enter-key.test.ts',
  'browser/card-check.test.ts',
  'browser/challenge-api.test.ts',
  'guards/types.test.ts',
  'processors/iso8583/life-cycle.test.ts',
];

/** @param {string} suite */
const rankOf = (suite) => (LONG.includes(suite) ? LONG.indexOf(suite) : LONG.length);

/**
 * @template T
 * @param {readonly T[]} tests
 * @param {(test: T) => string} pathOf absolute
 * @param {string} root of the checkout
 * @returns {T[]} the same suites, in the order in which they begin
 */
export function orderOf(tests, pathOf, root) {
  const all = tests.map((test) => {
    const suite = relative(`${root}/test`, pathOf(test)).split(sep).join('/');
    return { test, suite, rank: rankOf(suite), folder: suite.split('/')[0] ?? '' };
  });
  all.sort((a, b) => a.rank - b.rank || (a.suite < b.suite ? -1 : 1));
  /** @type {Map<string, number>} */
  const seen = new Map();
  const numbered = all.map((one) => {
    const before = seen.get(one.folder) ?? 0;
    seen.set(one.folder, before + 1);
    return { ...one, before };
  });
  return numbered
    .map(({ before, folder, rank, test }) => ({ at: before / (seen.get(folder) ?? 1), rank, test }))
    .sort((a, b) => a.at - b.at || a.rank - b.rank)
    .map(({ test }) => test);
}
