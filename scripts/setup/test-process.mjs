/**
 * What a thread of the tests loads first: from here on it reads TypeScript, also where one asks for `./x.js`, and no test runs
 * for longer than its time. Node loads the modules, once for all suites of a thread: what a module keeps, the next suite finds.
 */
import { addEventHandler } from 'jest-circus';
import './typescript.mjs';

/** Outcomes are waited for, however slow the machine is; this only ends what hangs (ms). */
export const testTimeout = 300_000;
const { setTimeout, clearTimeout } = globalThis;

// The runner sets it for itself, to whatever; what the tests start would print in colours.
delete process.env.FORCE_COLOR;

/**
 * @param {() => unknown} fn of a test or a hook
 * @param {number} [limitMs]
 * @returns {() => Promise<unknown>} what it does, and fails when it is not done in time
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

// The runner runs what jest-circus collects, without the limits that it has there.
addEventHandler((event, { currentDescribeBlock: { children, hooks } }) => {
  const added = event.name === 'add_test' ? children.at(-1) : event.name === 'add_hook' ? hooks.at(-1) : undefined;
  if (added && 'fn' in added && added.fn) added.fn = limited(/** @type {() => unknown} */ (added.fn));
});
