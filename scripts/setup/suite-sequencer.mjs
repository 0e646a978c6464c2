/** What jest asks for the order of the suites. */
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
  /** jest's own remembers how long each took. */
  cacheResults() {}
}
