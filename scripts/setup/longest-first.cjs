/**
 * The order of the suites: those that are long begin, so that none of them is left alone at the end. jest itself knows how long
 * they take only where they ran before.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  'bench/short-runs',
  'chaos',
  'simulation',
  'queue/redis-groups',
  'setup/new-processor',
  'browser',
  'pipeline',
];

/** @param {{ path: string }} test */
const placeOf = ({ path }) => {
  const place = LONG.findIndex((name) => path.includes(`/test/${name}`));
  return place < 0 ? LONG.length : place;
};

module.exports = class LongestFirst extends Sequencer {
  /** @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
};
