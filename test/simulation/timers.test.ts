/** A simulated world has its own time: other code of the thread keeps Node's timers while a story runs. */
import { seeded } from './faults.js';
import { simulate } from './simulate.js';

test('a timer that another suite left running is not part of a story, which could never end with it', async () => {
  let isLeft = true;
  const again = () => {
    if (isLeft) setTimeout(again, 1);
  };
  again();
  // The story lasts a week. The first one installs the replacement timers.
  for (const seed of [1, 2]) expect((await simulate('hold that runs out', seeded(seed))).violations).toEqual([]);
  isLeft = false;
});
