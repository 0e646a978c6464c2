/**
 * The order in which jest begins the suites: those of the folders that take long first, so that at the end no thread is alone
 * with one of them. Within a folder the order is that of jest, which knows how long each took the last time.
 */
import Sequencer from '@jest/test-sequencer';
import { root } from './paths.mjs';

/** Begin with these, in this order. */
const LONG = ['test/bench', 'test/chaos', 'test/queue', 'test/http', 'test/setup', 'test/simulation', 'test/guards'];
const NEXT = ['test/browser', 'test/pipeline'];

/** @param {string} path of a suite, in the project @returns {number} the lower, the sooner */
export function rankOf(path) {
  const folders = [...LONG, ...NEXT];
  const rank = folders.findIndex((folder) => path.startsWith(`${folder}/`));
  return rank < 0 ? folders.length : rank;
}

export default class TestOrder extends Sequencer {
  /**
   * @override
   * @param {Parameters<Sequencer['sort']>[0]} tests
   */
  async sort(tests) {
    const rank = (/** @type {{ path: string }} */ { path }) => rankOf(path.slice(root.length + 1));
    // A sort is stable: where the rank is the same the order of jest stays.
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
}
