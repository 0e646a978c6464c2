/** A simulated world has its own time: other code of the thread keeps Node's timers while a story runs. */
import { seededFaults } from './faults.js';
import { simulate } from './simulate.js';

test('a timer that another suite left running is not part of a story, which could never end with it', async () => {
  let isLeft = true;
  const rearm = () => {
    if (isLeft) setTimeout(rearm, 1);
  };
  rearm();
  // The story lasts a week. The first one installs the replacement timers.
  for (const seed of [1, 2]) expect((await simulate('hold that runs out', seededFaults(seed))).violations).toEqual([]);
  isLeft = false;
});
