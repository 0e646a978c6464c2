import { newestEpoch } from '../../shared/queue/master-watch.js';

test('the newest failover counts, not what another sentinel still reports', () => {
  expect(newestEpoch([])).toBeUndefined();
  expect(newestEpoch([undefined, undefined])).toBeUndefined();
  expect(newestEpoch([0, undefined])).toBe(0);
  expect(newestEpoch([2, 3, undefined, 2])).toBe(3);
});
