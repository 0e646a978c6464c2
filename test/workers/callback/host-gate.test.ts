import { HostGate, type Ticket, type Visit } from '../../../workers/callback/host-gate.js';

const at = (ms: number) => new Date(1_000_000 + ms);
let gate: HostGate;
beforeEach(() => {
  gate = new HostGate({
    perClientMax: 4,
    perHostMax: 16,
    slowPerHostMax: 8,
    failuresMax: 10,
    openMs: 30_000,
    openMsMax: 600_000,
  });
});

const of = (clientId: string, host = 'a') => ({ host, clientId });
function enter(clientId: string, now = at(0), host = 'a'): Ticket {
  const entrance = gate.enter(of(clientId, host), now);
  if (entrance.kind !== 'entered') throw new Error(`${host} is ${entrance.kind} for ${clientId}`);
  return entrance.ticket;
}
function visit(clientId: string, times: number, how: Visit, now = at(0)): void {
  for (let n = 0; n < times; n += 1) gate.leave(enter(clientId, now), how, now);
}
/** Enters until there is no room; answers how many got in. */
function fill(clientId: string, host = 'a'): number {
  let entered = 0;
  while (gate.enter(of(clientId, host), at(0)).kind === 'entered') entered += 1;
  return entered;
}
const full = (now = at(0)) => {
  const { hosts, receivers } = gate.full(now);
  return { hosts, receivers: receivers.map(({ host, clientId }) => `${clientId}@${host}`) };
};

it('lets four of a client in at a host, and others there, and the client elsewhere', () => {
  const tickets = [1, 2, 3, 4].map(() => enter('one'));
  expect(gate.enter(of('one'), at(0))).toEqual({ kind: 'full' });
  expect(full()).toEqual({ hosts: [], receivers: ['one@a'] });
  enter('two');
  enter('one', at(0), 'b');
  gate.leave(tickets[0] as Ticket, 'unused', at(0));
  expect(full()).toEqual({ hosts: [], receivers: [] });
  enter('one');
});

it('leaves a slot for the next client, until the host has all it may have', () => {
  const entered = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((client) => fill(client));
  expect(entered).toEqual([4, 4, 3, 2, 1, 1, 1, 0]);
  expect(full().hosts).toEqual(['a']);
  expect(fill('eight', 'b')).toBe(4);
});

it.each(['slow', 'failed'] as const)('keeps half of a host free of clients that were %s there', (how) => {
  const clients = Array.from({ length: 20 }, (_, n) => `slow-${n}`);
  for (const client of clients) visit(client, 1, how);
  expect(clients.reduce((entered, client) => entered + fill(client), 0)).toBe(8);
  expect(full()).toEqual({ hosts: [], receivers: clients.map((client) => `${client}@a`) });
  expect(['one', 'two', 'three', 'four'].map((client) => fill(client))).toEqual([3, 2, 1, 1]);
});

it('counts a client as slow by its last visit, also for what is still under way', () => {
  const early = [enter('one'), enter('one'), enter('one')];
  gate.leave(early[0] as Ticket, 'slow', at(0));
  const clients = Array.from({ length: 20 }, (_, n) => `slow-${n}`);
  for (const client of clients) visit(client, 1, 'slow');
  expect(clients.reduce((entered, client) => entered + fill(client), 0)).toBe(6);
  gate.leave(early[1] as Ticket, 'good', at(0));
  // Its last slot counts as that of a client that answers well again: two of eight are free for slow ones.
  expect(clients.reduce((entered, client) => entered + fill(client), 0)).toBe(2);
});

it('closes a receiver after ten failures in a row, for its client alone, not when one succeeded in between', () => {
  visit('one', 9, 'failed');
  visit('one', 1, 'slow');
  visit('one', 9, 'failed');
  visit('one', 5, 'unused');
  expect(gate.enter(of('one'), at(0)).kind).toBe('entered');
  visit('one', 1, 'failed');
  expect(gate.enter(of('one'), at(29_999))).toEqual({ kind: 'open', until: at(30_000) });
  expect(gate.enter(of('two'), at(29_999)).kind).toBe('entered');
  expect(gate.enter(of('one', 'b'), at(29_999)).kind).toBe('entered');
  // It is found in spite of that: what is due for it is moved to when it opens.
  expect(full(at(29_999)).receivers).toEqual([]);
});

it('knows as quick who answered well last, and not who did not answer in time', () => {
  expect([gate.isQuickAt('a'), gate.isQuick(of('one'))]).toEqual([false, true]);
  const ticket = enter('one');
  expect(gate.isQuick(of('one'))).toBe(false);
  gate.leave(ticket, 'good', at(0));
  // Also while nothing is under way there.
  expect([gate.isQuickAt('a'), gate.isQuickAt('b'), gate.isQuick(of('one'))]).toEqual([true, false, true]);
  enter('one');
  gate.stalled(of('one'));
  expect([gate.isQuickAt('a'), gate.isQuick(of('one'))]).toEqual([false, false]);
  visit('two', 1, 'good');
  visit('three', 1, 'failed');
  expect([gate.isQuickAt('a'), gate.isQuick(of('two')), gate.isQuick(of('three'))]).toEqual([true, true, false]);
});

it('forgets which hosts were quick when there are too many of them, the first of all', () => {
  for (let n = 0; n <= 1_000; n += 1) gate.leave(enter('one', at(0), `host-${n}`), 'good', at(0));
  expect([gate.isQuickAt('host-0'), gate.isQuickAt('host-1'), gate.isQuickAt('host-1000')]).toEqual([
    false,
    true,
    true,
  ]);
});

it('then lets one probe in; a bad one closes it for longer, a good one opens it', () => {
  visit('one', 10, 'failed');
  const probe = enter('one', at(30_000));
  expect(gate.enter(of('one'), at(30_000))).toEqual({ kind: 'full' });
  expect(full(at(30_000)).receivers).toEqual(['one@a']);
  gate.leave(probe, 'failed', at(31_000));
  expect(gate.enter(of('one'), at(90_999))).toEqual({ kind: 'open', until: at(91_000) });
  const second = enter('one', at(91_000));
  gate.leave(second, 'unused', at(91_000));
  visit('one', 1, 'good', at(91_000));
  for (let n = 0; n < 4; n += 1) enter('one', at(91_000));
});

it('is not closed for longer by what was under way when it closed', () => {
  const underWay = [enter('one'), enter('one')];
  visit('one', 10, 'failed');
  for (const ticket of underWay) gate.leave(ticket, 'failed', at(40_000));
  enter('one', at(40_000));
});
