import { newestView } from '../../shared/queue/master-watch.js';

const view = (epoch: number, master: string) => ({ epoch, master });

test('the newest failover counts, not what another sentinel still says', () => {
  expect(newestView([])).toBeUndefined();
  expect(newestView([undefined, undefined])).toBeUndefined();
  expect(newestView([view(0, 'a'), undefined])).toEqual(view(0, 'a'));
  expect(newestView([view(2, 'a'), view(3, 'b'), view(2, 'a')])).toEqual(view(3, 'b'));
  // What is known already stays where two say different things of one epoch.
  expect(newestView([view(3, 'b'), view(3, 'c')])).toEqual(view(3, 'b'));
});
