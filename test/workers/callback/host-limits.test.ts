import { HostLimits, type Slot, type SlotUse } from '../../../workers/callback/dispatch/host-limits.js';

const at = (ms: number) => new Date(1_000_000 + ms);
let hostLimits: HostLimits;
beforeEach(() => {
  hostLimits = new HostLimits({
    perReceiverMax: 4,
    perHostMax: 16,
    slowPerHostMax: 8,
    failuresMax: 10,
    openMs: 30_000,
    openMsMax: 600_000,
  });
});

const of = (clientId: string, host = 'a') => ({ host, clientId });
function take(clientId: string, now = at(0), host = 'a'): Slot {
  const taken = hostLimits.takeSlot(of(clientId, host), now);
  if (taken.kind !== 'slot') throw new Error(`${host} is ${taken.kind} for ${clientId}`);
  return taken.slot;
}
function use(clientId: string, times: number, how: SlotUse, now = at(0)): void {
  for (let n = 0; n < times; n += 1) hostLimits.giveBack(take(clientId, now), how, now);
}
/** Takes slots until there is none; returns how many there were. */
function takeAll(clientId: string, host = 'a'): number {
  let taken = 0;
  while (hostLimits.takeSlot(of(clientId, host), at(0)).kind === 'slot') taken += 1;
  return taken;
}
const full = (now = at(0)) => {
  const { hosts, receivers } = hostLimits.full(now);
  return { hosts, receivers: receivers.map(({ host, clientId }) => `${clientId}@${host}`) };
};

it('gives four slots to a client at a host, and further slots to others there and to the client elsewhere', () => {
  const slots = [1, 2, 3, 4].map(() => take('one'));
  expect(hostLimits.takeSlot(of('one'), at(0))).toEqual({ kind: 'full' });
  expect(full()).toEqual({ hosts: [], receivers: ['one@a'] });
  take('two');
  take('one', at(0), 'b');
  hostLimits.giveBack(slots[0] as Slot, 'unused', at(0));
  expect(full()).toEqual({ hosts: [], receivers: [] });
  take('one');
});

it('leaves a slot for the next client, until the host has all the slots it may have', () => {
  const taken = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((client) => takeAll(client));
  expect(taken).toEqual([4, 4, 3, 2, 1, 1, 1, 0]);
  expect(full().hosts).toEqual(['a']);
  expect(takeAll('eight', 'b')).toBe(4);
});

it.each(['slow', 'failed'] as const)('keeps half of a host free of clients that were %s there', (how) => {
  const clients = Array.from({ length: 20 }, (_, n) => `slow-${n}`);
  for (const client of clients) use(client, 1, how);
  expect(clients.reduce((taken, client) => taken + takeAll(client), 0)).toBe(8);
  expect(full()).toEqual({ hosts: [], receivers: clients.map((client) => `${client}@a`) });
  expect(['one', 'two', 'three', 'four'].map((client) => takeAll(client))).toEqual([3, 2, 1, 1]);
});

it('counts a client as slow by its last answer, also for slots that are still in flight', () => {
  const early = [take('one'), take('one'), take('one')];
  hostLimits.giveBack(early[0] as Slot, 'slow', at(0));
  const clients = Array.from({ length: 20 }, (_, n) => `slow-${n}`);
  for (const client of clients) use(client, 1, 'slow');
  expect(clients.reduce((taken, client) => taken + takeAll(client), 0)).toBe(6);
  hostLimits.giveBack(early[1] as Slot, 'good', at(0));
  // Its last slot counts for a client that answers well again: slow clients may take two of their eight slots.
  expect(clients.reduce((taken, client) => taken + takeAll(client), 0)).toBe(2);
});

it('pauses a receiver after ten failures in a row, only for its client, and not if one try succeeded', () => {
  use('one', 9, 'failed');
  use('one', 1, 'slow');
  use('one', 9, 'failed');
  use('one', 5, 'unused');
  expect(hostLimits.takeSlot(of('one'), at(0)).kind).toBe('slot');
  use('one', 1, 'failed');
  expect(hostLimits.takeSlot(of('one'), at(29_999))).toEqual({ kind: 'paused', until: at(30_000) });
  expect(hostLimits.takeSlot(of('two'), at(29_999)).kind).toBe('slot');
  expect(hostLimits.takeSlot(of('one', 'b'), at(29_999)).kind).toBe('slot');
  // The receiver is still found by searches: what is due for it is moved to the end of the pause.
  expect(full(at(29_999)).receivers).toEqual([]);
});

it('counts a receiver as quick after a good answer, and not after one that is late or missing', () => {
  expect({ host: hostLimits.isQuickAt('a'), receiver: hostLimits.isQuick(of('one')) }).toEqual({
    host: false,
    receiver: true,
  });
  const slot = take('one');
  expect(hostLimits.isQuick(of('one'))).toBe(false);
  hostLimits.giveBack(slot, 'good', at(0));
  // The host stays quick while nothing is in flight there.
  expect([hostLimits.isQuickAt('a'), hostLimits.isQuickAt('b'), hostLimits.isQuick(of('one'))]).toEqual([
    true,
    false,
    true,
  ]);
  take('one');
  hostLimits.notQuick(of('one'));
  expect({ host: hostLimits.isQuickAt('a'), receiver: hostLimits.isQuick(of('one')) }).toEqual({
    host: false,
    receiver: false,
  });
  use('two', 1, 'good');
  use('three', 1, 'failed');
  expect([hostLimits.isQuickAt('a'), hostLimits.isQuick(of('two')), hostLimits.isQuick(of('three'))]).toEqual([
    true,
    true,
    false,
  ]);
  use('four', 1, 'slow');
  expect(hostLimits.isQuick(of('four'))).toBe(false);
});

it('forgets the quick host that was noted first when there are too many', () => {
  for (let n = 0; n <= 1_000; n += 1) hostLimits.giveBack(take('one', at(0), `host-${n}`), 'good', at(0));
  expect([hostLimits.isQuickAt('host-0'), hostLimits.isQuickAt('host-1'), hostLimits.isQuickAt('host-1000')]).toEqual([
    false,
    true,
    true,
  ]);
});

it('gives a slot to one probe after the pause; a failure prolongs the pause, a good answer ends it', () => {
  use('one', 10, 'failed');
  const probe = take('one', at(30_000));
  expect(hostLimits.takeSlot(of('one'), at(30_000))).toEqual({ kind: 'full' });
  expect(full(at(30_000)).receivers).toEqual(['one@a']);
  hostLimits.giveBack(probe, 'failed', at(31_000));
  expect(hostLimits.takeSlot(of('one'), at(90_999))).toEqual({ kind: 'paused', until: at(91_000) });
  const second = take('one', at(91_000));
  hostLimits.giveBack(second, 'unused', at(91_000));
  use('one', 1, 'good', at(91_000));
  for (let n = 0; n < 4; n += 1) take('one', at(91_000));
});

it('does not prolong a pause by what was in flight when it began', () => {
  const inFlight = [take('one'), take('one')];
  use('one', 10, 'failed');
  for (const slot of inFlight) hostLimits.giveBack(slot, 'failed', at(40_000));
  take('one', at(40_000));
});
