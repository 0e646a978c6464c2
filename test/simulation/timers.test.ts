/** A world has its own time: other code of the thread keeps Node's timers while a story is played. */
import { seeded } from './faults.js';
import { simulate } from './simulate.js';

test('what another suite left running is no part of a story, which would never come to rest', async () => {
  let isLeft = true;
  const again = () => {
    if (isLeft) setTimeout(again, 1);
  };
  again();
  // The story lasts a week. The first one installs the replacement timers.
  for (const seed of [1, 2]) expect((await simulate('hold that runs out', seeded(seed))).violations).toEqual([]);
  isLeft = false;
});
