/**
 * Loaded first by each thread of the tests. From then on the thread reads TypeScript, also for an import of `./x.js`, and no test runs
 * longer than its limit. Node loads each module once for all suites of a thread: state that a module keeps is seen by the next suite.
 */
import { addEventHandler } from 'jest-circus';
import './typescript.mjs';

/** Tests wait for outcomes, however slow the machine is. This limit only ends a test that hangs (ms). */
export const testTimeout = 300_000;
const { setTimeout, clearTimeout } = globalThis;

// jest's runner sets it in any case. Processes that the tests start would then print in colours.
delete process.env.FORCE_COLOR;

/**
 * @param {() => unknown} fn of a test or a hook
 * @param {number} [limitMs]
 * @returns {() => Promise<unknown>} the same function, which fails when it is not done in time
 */
export const limited =
  (fn, limitMs = testTimeout) =>
  async () => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${limitMs} ms`)), limitMs);
    });
    try {
      return await Promise.race([fn(), late]);
    } finally {
      clearTimeout(timer);
    }
  };

// The runner runs the tests that jest-circus collects, without jest-circus's time limits.
addEventHandler((event, { currentDescribeBlock: { children, hooks } }) => {
  const added = event.name === 'add_test' ? children.at(-1) : event.name === 'add_hook' ? hooks.at(-1) : undefined;
  if (added && 'fn' in added && added.fn) added.fn = limited(/** @type {() => unknown} */ (added.fn));
});
