/** Gives jest the order of the suites. */
import { root } from './paths.mjs';
import { orderOf } from './suite-order.mjs';

export default class SuiteSequencer {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    return orderOf(tests, ({ path }) => path, root);
  }
  /** No test is left out. @template T @param {T[]} tests */
  allFailedTests(tests) {
    return tests;
  }
  /** jest's own sequencer would store how long each suite took. */
  cacheResults() {}
}
