/** Which due delivery may be claimed: all limits of the `callback` pool together, and what is free again afterwards. */
import type { ClaimedDelivery } from '../../../shared/domain/callback/delivery.js';
import { Admission, ClientLimits } from '../../../workers/callback/dispatch/admission.js';
import { HostLimits, type Slot } from '../../../workers/callback/dispatch/host-limits.js';
import { SendQueue } from '../../../workers/callback/dispatch/send-queue.js';

let now: Date;
let hostLimits: HostLimits;
let queue: SendQueue;
let clientLimits: ClientLimits;
beforeEach(() => {
  now = new Date(1_000_000);
  const breaker = { failuresMax: 1, openMs: 30_000, openMsMax: 600_000 };
  hostLimits = new HostLimits({ perReceiverMax: 2, perHostMax: 16, slowPerHostMax: 8, ...breaker });
  queue = new SendQueue({ perReceiverMax: 4, perHostMax: 8, perClientMax: 6, max: 20 });
  clientLimits = new ClientLimits(3);
});
const admission = (concurrency = 100) => new Admission({ hostLimits, clientLimits, queue, concurrency });
const of = (clientId: string, host = 'a') => ({ host, clientId });

function slot(by: Admission, clientId = 'one', host = 'a'): Slot {
  const admitted = by.admit(of(clientId, host), now);
  if (admitted.kind !== 'admitted' || admitted.to === 'queue') throw new Error(`there is no slot: ${admitted.kind}`);
  return admitted.to;
}
/** Answers one delivery well while another stays in flight: slots are free again soon. Returns the slot that stays. */
function answerOneWell(by: Admission, clientId = 'one', host = 'a'): Slot {
  const [first, stays] = [slot(by, clientId, host), slot(by, clientId, host)];
  by.giveBack(first, 'good', now);
  return stays;
}
const to = (by: Admission, clientId = 'one', host = 'a') => {
  const admitted = by.admit(of(clientId, host), now);
  if (admitted.kind !== 'admitted') return admitted.kind;
  return admitted.to === 'queue' ? 'queue' : 'slot';
};

test('slots come first, then the send queue where slots are free again soon, then nothing', () => {
  const by = admission();
  const places = () => Array.from({ length: 6 }, () => to(by));
  answerOneWell(by);
  expect(places()).toEqual(['slot', 'queue', 'queue', 'queue', 'queue', 'full']);
});

test('nothing is queued for a host that was not quick, or for a receiver that is not quick', () => {
  const by = admission();
  expect([to(by), to(by), to(by)]).toEqual(['slot', 'slot', 'full']);
  expect(by.admitToQueue(of('two'))).toBe(false);
  answerOneWell(by, 'two');
  expect(by.admitToQueue(of('two'))).toBe(true);
  expect(by.admitToQueue(of('one'))).toBe(false);
});

test('a receiver that failed too often is paused for a time', () => {
  const by = admission();
  by.giveBack(slot(by), 'failed', now);
  expect(by.admit(of('one'), now)).toEqual({ kind: 'paused', until: new Date(now.getTime() + 30_000) });
  expect(to(by, 'two')).toBe('slot');
});

test('a client has a limit over all hosts; a slot given back makes room at the hosts where it waits', () => {
  const by = admission();
  const [first] = [answerOneWell(by), answerOneWell(by, 'one', 'b'), slot(by, 'one', 'c')];
  expect(clientLimits.full()).toEqual(['one']);
  expect(by.takeSlot(of('one', 'd'), now)).toEqual({ kind: 'full' });
  expect(to(by, 'one', 'b')).toBe('queue');
  queue.put({ _id: 'x', ...of('one', 'b') } as ClaimedDelivery, 0);
  expect(by.busy(now).clients).toEqual(['one']);
  expect(by.giveBack(first as Slot, 'good', now)).toEqual(['a', 'b']);
  expect(clientLimits.full()).toEqual([]);
  expect(clientLimits.roomFor('one')).toBe(1);
  const again = slot(by);
  by.giveBack(again, 'unused', now);
  const last = slot(by, 'one', 'c');
  by.giveBack(last, 'unused', now);
  // The client had room besides: deliveries that wait at other hosts do not wait for its limit.
  expect(by.giveBack(slot(by, 'two'), 'unused', now)).toEqual(['a']);
});

test('the process claims no more than its limit, queued and in flight together', () => {
  const by = admission(3);
  answerOneWell(by);
  expect([to(by), to(by)]).toEqual(['slot', 'queue']);
  expect(by.room).toBe(0);
  expect([to(by, 'two'), by.admitToQueue(of('two'))]).toEqual(['full', false]);
  queue.cancel(of('one'));
  expect(by.room).toBe(1);
  expect(to(by, 'two')).toBe('slot');
});

test('answers that are being recorded count too, until the recording ends', () => {
  const by = admission(2);
  by.beginRecording();
  by.beginRecording();
  expect([by.room, to(by)]).toEqual([0, 'full']);
  by.endRecording();
  by.endRecording();
  expect(by.room).toBe(2);
});

test('an admission that is cancelled before the claim does not count any more', () => {
  const by = admission(10);
  const [, place] = [answerOneWell(by), slot(by)];
  expect(to(by)).toBe('queue');
  expect(by.room).toBe(7);
  by.cancel(of('one'), 'queue', now);
  by.cancel(of('one'), place, now);
  expect(by.room).toBe(9);
  expect([clientLimits.roomFor('one'), queue.roomFor(of('one'))]).toEqual([2, 4]);
});

test('a receiver is busy when it has neither a slot nor room in the send queue', () => {
  const by = admission();
  answerOneWell(by);
  slot(by);
  expect(by.busy(now)).toEqual({ hosts: [], receivers: [], clients: [] });
  while (queue.reserve(of('one')));
  expect(by.busy(now).receivers).toMatchObject([of('one')]);
  slot(by, 'two', 'b');
  slot(by, 'two', 'b');
  // This receiver is not known to be quick: the send queue has no room for it.
  hostLimits.notQuick(of('two', 'b'));
  expect(by.busy(now).receivers).toMatchObject([of('one'), of('two', 'b')]);
});

test('a search asks for the free slots, and for the send queue while it is at most half full', () => {
  const by = admission();
  expect(by.roomFor(of('one'), now)).toBe(2);
  const stays = slot(by, 'two');
  expect(by.roomFor(of('two'), now)).toBe(1);
  by.giveBack(stays, 'unused', now);
  answerOneWell(by);
  expect(by.roomFor(of('one'), now)).toBe(1 + 4);
  for (let n = 0; n < 3; n += 1) queue.reserve(of('one'));
  // Less than half is free in the send queue.
  expect(by.roomFor(of('one'), now)).toBe(1);
  expect(by.roomForClient('one')).toBe(2 + 3);
});
