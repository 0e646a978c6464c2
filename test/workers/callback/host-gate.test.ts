import { createHostGate, type HostGate, type Ticket, type Visit } from '../../../workers/callback/host-gate.js';

const at = (ms: number) => new Date(1_000_000 + ms);
let gate: HostGate;
beforeEach(() => {
  gate = createHostGate({ perHostMax: 4, failuresMax: 10, openMs: 30_000, openMsMax: 600_000 });
});

function enter(host: string, now = at(0)): Ticket {
  const entrance = gate.enter(host, now);
  if (entrance.kind !== 'entered') throw new Error(`${host} is ${entrance.kind}`);
  return entrance.ticket;
}
function visit(host: string, times: number, how: Visit, now = at(0)): void {
  for (let n = 0; n < times; n += 1) gate.leave(enter(host, now), how, now);
}

it('lets four in at a host, and others into other hosts', () => {
  const tickets = [1, 2, 3, 4].map(() => enter('a'));
  expect(gate.enter('a', at(0))).toEqual({ kind: 'full' });
  expect(gate.fullHosts(at(0))).toEqual(['a']);
  enter('b');
  gate.leave(tickets[0] as Ticket, 'unused', at(0));
  expect(gate.fullHosts(at(0))).toEqual([]);
  enter('a');
});

it('closes a host after ten failures in a row, not when one went well in between', () => {
  visit('a', 9, 'unwell');
  visit('a', 1, 'well');
  visit('a', 9, 'unwell');
  visit('a', 5, 'unused');
  expect(gate.enter('a', at(0)).kind).toBe('entered');
  visit('a', 1, 'unwell');
  expect(gate.enter('a', at(29_999))).toEqual({ kind: 'open', until: at(30_000) });
});

it('then lets one probe in; a bad one closes it for longer, a good one opens it', () => {
  visit('a', 10, 'unwell');
  const probe = enter('a', at(30_000));
  expect(gate.enter('a', at(30_000))).toEqual({ kind: 'full' });
  expect(gate.fullHosts(at(30_000))).toEqual(['a']);
  gate.leave(probe, 'unwell', at(31_000));
  expect(gate.enter('a', at(90_999))).toEqual({ kind: 'open', until: at(91_000) });
  const second = enter('a', at(91_000));
  gate.leave(second, 'unused', at(91_000));
  visit('a', 1, 'well', at(91_000));
  for (let n = 0; n < 4; n += 1) enter('a', at(91_000));
});

it('is not closed for longer by what was under way when it closed', () => {
  const underWay = [enter('a'), enter('a')];
  visit('a', 10, 'unwell');
  for (const ticket of underWay) gate.leave(ticket, 'unwell', at(40_000));
  enter('a', at(40_000));
});
