/** A claimed delivery is sent or queued, its slot is free at the answer, and what waits behind it is sent or given back. */
import type { ClaimedDelivery, DueDelivery, Receiver } from '../../../shared/domain/callback/delivery.js';
import type { Log, LogFields } from '../../../shared/log.js';
import { turnDueAt } from '../../../shared/store/delivery-turns.js';
import { DeliverySender } from '../../../workers/callback/delivery-sender.js';
import { ClientLimits } from '../../../workers/callback/dispatch/admission.js';
import { Backlog } from '../../../workers/callback/dispatch/backlog.js';
import { Dispatch } from '../../../workers/callback/dispatch/dispatch.js';
import { HostLimits } from '../../../workers/callback/dispatch/host-limits.js';
import { SendQueue } from '../../../workers/callback/dispatch/send-queue.js';
import type { PostResult } from '../../../workers/callback/post-callback.js';
import { until } from '../../support/patience.js';

const now = new Date(1_000_000);
const answered = (status = 200): PostResult => ({ kind: 'answered', status, ms: 5 }) as PostResult;
const failure = new Error('no primary');
/** Less than a page of a search, so that the limit of a page shows it. */
const concurrency = 50;
const delivery = (_id: string, more: object = {}) =>
  ({
    ...{ _id, paymentId: `pay_${_id}`, clientId: 'one', host: 'a', url: 'https://a.example', body: '{}', tries: 0 },
    ...{ eventId: `evt_${_id}`, createdAt: now, resourceVersion: 1, seq: 1, ...more },
  }) as unknown as ClaimedDelivery;

let lines: [string, LogFields][];
let posted: Map<string, (result: PostResult | Error) => void>;
let released: { readonly claimed: ClaimedDelivery; readonly dueAt?: Date }[];
let postponed: unknown[];
let woken: string[];
let freed: Receiver[];
let ended: (DueDelivery | undefined)[];
let recordings: number;
let faults: { record?: Error; release?: Error; wake?: Error };
let sender: DeliverySender;
let dispatch: Dispatch;
let queue: SendQueue;
beforeEach(() => {
  [lines, posted, released, postponed] = [[], new Map(), [], []];
  [woken, freed, ended, recordings, faults] = [[], [], [], 0, {}];
  const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  const log: Log = { debug: note, info: () => undefined, warn: note, error: note, with: () => log };
  const clock = { now: () => now };
  const breaker = { failuresMax: 2, openMs: 30_000, openMsMax: 600_000 };
  const hostLimits = new HostLimits({ perReceiverMax: 2, perHostMax: 4, slowPerHostMax: 4, ...breaker });
  queue = new SendQueue({ perReceiverMax: 4, perHostMax: 8, perClientMax: 8, max: 8 });
  const clientLimits = new ClientLimits(10);
  dispatch = new Dispatch({ hostLimits, clientLimits, queue, backlog: new Backlog(), concurrency });
  sender = new DeliverySender({
    ...{ dispatch, clock, log, random: () => 0.5, timeScale: 1 },
    poster: {
      post: ({ eventId }) =>
        new Promise((resolve, reject) => {
          posted.set(eventId, (result) => (result instanceof Error ? reject(result) : resolve(result)));
        }),
      close: async () => undefined,
    },
    deliveries: {
      record: async () => {
        if (faults.record) throw faults.record;
        return true;
      },
      release: async (given: typeof released) => {
        if (faults.release) throw faults.release;
        released.push(...given);
      },
      postponeReceiver: async (...args: unknown[]) => void postponed.push(args),
      wakeNext: async (paymentId: string) => {
        if (faults.wake) throw faults.wake;
        woken.push(paymentId);
        return undefined;
      },
    } as never,
    slotFreed: (receiver) => void freed.push(receiver),
    recorded: () => {
      recordings += 1;
    },
    ended: async (next) => void ended.push(next),
  });
});
afterEach(() => sender.close());

const admits = (delivery: ClaimedDelivery) => dispatch.found([delivery], now).chosen.length === 1;
/** Sends deliveries by a slot or by the queue; a delivery that follows another of its payment waits in the queue. */
function send(...claimed: ClaimedDelivery[]): void {
  const { chosen } = dispatch.found(claimed, now);
  expect(chosen.map(({ delivery }) => delivery)).toEqual(claimed);
  void sender.carryOut(dispatch.settled(chosen, claimed, { now, steadyMs: performance.now() }));
}
const inFlight = () => [...posted.keys()];
async function answer(id: string, result: PostResult | Error = answered()): Promise<void> {
  await until(() => posted.has(`evt_${id}`));
  posted.get(`evt_${id}`)?.(result);
  posted.delete(`evt_${id}`);
}
/** Answers one delivery well while another stays in flight: a delivery without a slot is then queued. One slot is left. */
async function answerOneWell(): Promise<void> {
  send(delivery('first'));
  send(delivery('stays'));
  await answer('first');
  await sender.finished('first');
  [freed, woken, ended, recordings] = [[], [], [], 0];
}

test('an answer frees the slot, is recorded, and lets the next delivery of the payment begin', async () => {
  send(delivery('1'));
  expect(sender.unfinished).toBe(1);
  const finished = sender.finished('1');
  await answer('1');
  await finished;
  expect([freed.map(({ host }) => host), recordings, woken, ended]).toEqual([['a'], 1, ['pay_1'], [undefined]]);
  expect([sender.unfinished, lines, released]).toEqual([0, [], []]);
  expect(admits(delivery('2'))).toBe(true);
});

test('a queued delivery counts as unfinished, and takes a free slot in the same turn', async () => {
  await answerOneWell();
  send(delivery('1'));
  send(delivery('2'));
  expect([inFlight(), sender.unfinished]).toEqual([['evt_stays', 'evt_1'], 3]);
  let isFinished = false;
  const finished = sender.finished('2').then(() => {
    isFinished = true;
  });
  await answer('1');
  await answer('2');
  expect(isFinished).toBe(false);
  await finished;
  expect([sender.unfinished, released]).toEqual([1, []]);
});

test('a delivery that follows another is sent when that has ended', async () => {
  await answerOneWell();
  send(delivery('1'), delivery('2', { paymentId: 'pay_1', seq: 2 }));
  await answer('1');
  await answer('2');
  await sender.finished('2');
  // The follower was queued here, so it was sent without a search.
  expect([woken, ended, released]).toEqual([['pay_1'], [undefined, undefined], []]);
});

test('a delivery does not wait for the one before it when another process claimed that one', async () => {
  await answerOneWell();
  const [earlier, later] = [delivery('1'), delivery('2', { paymentId: 'pay_1', seq: 2 })];
  const { chosen } = dispatch.found([earlier, later], now);
  expect(chosen.map(({ delivery }) => delivery)).toEqual([earlier, later]);
  void sender.carryOut(dispatch.settled(chosen, [later], { now, steadyMs: performance.now() }));
  expect(inFlight()).toEqual(['evt_stays', 'evt_2']);
});

test('followers of a delivery that did not end are given back in order, until it is due again', async () => {
  await answerOneWell();
  send(delivery('1'), ...[2, 3].map((seq) => delivery(String(seq), { paymentId: 'pay_1', seq })));
  await answer('1', answered(404));
  await sender.finished('1');
  expect(released.map(({ claimed: { _id } }) => _id)).toEqual(['2', '3']);
  expect(released.every(({ dueAt }) => dueAt !== undefined && dueAt >= turnDueAt({ dueAt: now }, now))).toBe(true);
  expect([sender.unfinished, queue.isEmpty, ended]).toEqual([1, true, []]);
});

test('a try that cannot be recorded is named, its slot is free, and its follower is given back', async () => {
  await answerOneWell();
  faults.record = failure;
  send(delivery('1'), delivery('2', { paymentId: 'pay_1', seq: 2 }));
  await answer('1');
  await sender.finished('1');
  expect(lines).toEqual([['delivery.record-failed', { deliveryId: '1', host: 'a', error: failure }]]);
  expect(released).toEqual([{ claimed: expect.objectContaining({ _id: '2' }), dueAt: turnDueAt({ dueAt: now }, now) }]);
  expect([recordings, freed.length]).toEqual([1, 1]);
});

test('a send that throws is named, and its slot is given back', async () => {
  send(delivery('1'));
  await answer('1', failure);
  await sender.allFinished();
  expect(lines).toEqual([['delivery.record-failed', { deliveryId: '1', host: 'a', error: failure }]]);
  expect([freed.length, recordings, ended]).toEqual([1, 0, []]);
  // Nothing of it counts as being recorded: the process has all its room.
  expect(dispatch.fullSearchPage(now)?.limit).toBe(concurrency);
  expect(admits(delivery('2'))).toBe(true);
});

test('a failure to look for the next delivery is named', async () => {
  faults.wake = failure;
  send(delivery('1'));
  await answer('1');
  await sender.allFinished();
  expect(lines).toEqual([['delivery.follow-up-failed', { deliveryId: '1', error: failure }]]);
});

test('a receiver that is paused gets none of the deliveries that are queued for it', async () => {
  await answerOneWell();
  for (const id of ['1', '2', '3']) send(delivery(id));
  await answer('1', answered(500));
  await sender.finished('1');
  expect(inFlight()).toEqual(['evt_stays', 'evt_2']);
  await answer('stays', answered(500));
  await sender.finished('3');
  expect(released.map(({ claimed: { _id } }) => _id)).toEqual(['3']);
  const receiver = expect.objectContaining({ host: 'a', clientId: 'one' });
  expect(postponed).toEqual([[receiver, new Date(now.getTime() + 30_000)]]);
  expect(inFlight()).toEqual(['evt_2']);
  await answer('2');
  await sender.allFinished();
  expect(sender.unfinished).toBe(0);
});

test('closing gives back what is queued, and what is in flight still finishes', async () => {
  await answerOneWell();
  send(delivery('1'));
  send(delivery('2'));
  await sender.close();
  expect(released).toEqual([{ claimed: expect.objectContaining({ _id: '2' }) }]);
  expect(sender.unfinished).toBe(2);
  await answer('1');
  await answer('stays');
  await sender.allFinished();
  expect(sender.unfinished).toBe(0);
});

test('a delivery that cannot be given back at the end is named', async () => {
  await answerOneWell();
  send(delivery('1'));
  send(delivery('2'));
  faults.release = failure;
  await sender.close();
  expect(lines).toEqual([['delivery.follow-up-failed', { host: 'a', error: failure }]]);
  expect(sender.unfinished).toBe(2);
});

test('a queued delivery that finds no slot soon is given back, and its receiver is not quick any more', async () => {
  await answerOneWell();
  send(delivery('1'));
  send(delivery('2'));
  await until(() => released.length > 0);
  expect(released.map(({ claimed: { _id } }) => _id)).toEqual(['2']);
  expect(inFlight()).toEqual(['evt_stays', 'evt_1']);
  expect(admits(delivery('3'))).toBe(false);
});
