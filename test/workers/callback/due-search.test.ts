/** Searches for due deliveries: no search goes on forever, however much is due and however fast it is answered. */
import { limits } from '../../../config/limits.js';
import type { DueDelivery } from '../../../shared/domain/callback/delivery.js';
import type { Log } from '../../../shared/log.js';
import { ClientLimits } from '../../../workers/callback/dispatch/admission.js';
import { Backlog } from '../../../workers/callback/dispatch/backlog.js';
import { Dispatch } from '../../../workers/callback/dispatch/dispatch.js';
import { HostLimits } from '../../../workers/callback/dispatch/host-limits.js';
import { SendQueue } from '../../../workers/callback/dispatch/send-queue.js';
import { DueSearch } from '../../../workers/callback/due-search.js';
import { until } from '../../support/patience.js';

const receiver = { host: 'a', clientId: 'one' };
const pageOf = (count: number) => Array.from({ length: count }, (_, n) => ({ _id: String(n) }) as DueDelivery);
let searches: DueSearch[];
beforeEach(() => {
  searches = [];
});
afterEach(() => {
  for (const search of searches) search.close();
});

/** Builds a search that always has room and claims at once what it finds, as with receivers that answer in no time. */
function search(found: { all?: () => Promise<DueDelivery[]>; backlog?: () => Promise<DueDelivery[]> }) {
  const backlog = new Backlog();
  const breaker = { failuresMax: 10, openMs: 30_000, openMsMax: 600_000 };
  const dispatch = new Dispatch({
    hostLimits: new HostLimits({ perReceiverMax: 1_000, perHostMax: 10_000, slowPerHostMax: 1_000, ...breaker }),
    clientLimits: new ClientLimits(1_000),
    queue: new SendQueue({ perReceiverMax: 1_000, perHostMax: 1_000, perClientMax: 1_000, max: 1_000 }),
    backlog,
    concurrency: 10_000,
  });
  const asked = { all: 0, backlog: 0 };
  const note = () => undefined;
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const made = new DueSearch({
    deliveries: {
      findDue: async (_now, limit) => {
        asked.all += 1;
        return found.all ? found.all() : pageOf(limit);
      },
      findDueOf: async (_receivers, _now, limit) => {
        asked.backlog += 1;
        return found.backlog ? found.backlog() : pageOf(limit);
      },
    },
    dispatch,
    clock: { now: () => new Date() },
    log,
    // Takes as long as a statement.
    startDue: async (due) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { admitted: due.length, claimed: due.length };
    },
  });
  searches.push(made);
  return { search: made, backlog, asked };
}
const none = async () => [];

test('a full search ends although each page is full, and notes that more may be due for any receiver', async () => {
  const { search: due, backlog, asked } = search({});
  expect(await due.searchAll()).toBe(asked.all * limits.sweepPageMax);
  expect(asked.all).toBeGreaterThan(0);
  expect([backlog.processWasFull, backlog.mayMiss(receiver)]).toEqual([true, true]);
});

test('a full search is not delayed by a backlog that is always full', async () => {
  const { search: due, backlog, asked } = search({ all: none });
  backlog.add(receiver);
  due.slotFreed(receiver);
  await until(() => asked.backlog > 1);
  expect(await due.searchAll()).toBe(0);
  expect(asked.all).toBe(1);
});

test('a search returns to its caller what it claimed, page by page', async () => {
  const pages = [limits.sweepPageMax, limits.sweepPageMax, 3];
  const { search: due } = search({ all: async () => pageOf(pages.shift() ?? 0) });
  let claimed = 0;
  // A slow machine may need several searches.
  while (pages.length > 0) claimed += await due.searchAll();
  expect(claimed).toBe(2 * limits.sweepPageMax + 3);
  expect(await due.searchAll()).toBe(0);
});

test('callers who ask during a search wait for the next one', async () => {
  const pages = [2, 1];
  const { search: due, asked } = search({ all: async () => pageOf(pages.shift() ?? 0) });
  expect(await Promise.all([due.searchAll(), due.searchAll(), due.searchAll()])).toEqual([2, 1, 1]);
  expect(asked.all).toBe(2);
});

test('an error reaches the callers who wait for the search, and the next search is made', async () => {
  const failure = new Error('no primary');
  const answers = [Promise.reject(failure), Promise.resolve(pageOf(1))];
  const { search: due } = search({ all: async () => (await answers.shift()) ?? [] });
  await expect(due.searchAll()).rejects.toBe(failure);
  expect(await due.searchAll()).toBe(1);
});

test('an error of a backlog search reaches the callers who wait for a full search', async () => {
  const failure = new Error('no primary');
  let fail: (() => void) | undefined;
  const { search: due, backlog } = search({
    all: none,
    backlog: () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(failure);
      }),
  });
  backlog.add(receiver);
  due.slotFreed(receiver);
  await until(() => fail !== undefined);
  const asked = due.searchAll();
  fail?.();
  await expect(asked).rejects.toBe(failure);
  expect(await due.searchAll()).toBe(0);
});

test('a closed search reads nothing, and no caller waits', async () => {
  const { search: due, asked } = search({});
  due.close();
  expect(await due.searchAll()).toBe(0);
  due.slotFreed(receiver);
  due.searchAllSoon();
  expect([asked.all, due.ending()]).toEqual([0, undefined]);
});
