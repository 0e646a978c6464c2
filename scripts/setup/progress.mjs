/** Prints one line per step with its time. A step that takes longer also prints while it works. Needs no terminal. */

const SPEAK_AFTER_MS = 700;
const REMIND_MS = 15_000;

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * @typedef {object} Progress
 * @property {(text: string) => void} print a line of its own
 * @property {<T>(label: string, work: (settle: (outcome: string) => void) => Promise<T>) => Promise<T>} step runs `work` as
 *   a step; `settle` replaces the label of its last line, for example by what was found
 */

/**
 * @param {(line: string) => void} [write]
 * @returns {Progress}
 */
export function createProgress(write = (line) => console.log(line)) {
  return {
    print: (text) => write(`  ${text}`),
    step: async (label, work) => {
      const startedAt = performance.now();
      let outcome = label;
      const elapsed = () => seconds(performance.now() - startedAt);
      const first = setTimeout(() => write(`  · ${label} ...`), SPEAK_AFTER_MS);
      const reminder = setInterval(() => write(`  · ${label} ... ${elapsed()}`), REMIND_MS);
      try {
        const result = await work((text) => {
          outcome = text;
        });
        write(`  ✓ ${outcome} (${elapsed()})`);
        return result;
      } finally {
        clearTimeout(first);
        clearInterval(reminder);
      }
    },
  };
}
