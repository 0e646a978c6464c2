/** Receivers for which more is due than could be claimed, and who may have been left out of a search. */
import { Backlog } from '../../../workers/callback/dispatch/backlog.js';

const of = (clientId: string, host = 'a') => ({ host, clientId });
const nothing = { hosts: [], clients: [], receivers: [] };
let backlog: Backlog;
beforeEach(() => {
  backlog = new Backlog();
});

test('a receiver is there once, and last when more is due again', () => {
  for (const receiver of [of('one'), of('two'), of('one', 'b'), of('one')]) backlog.add(receiver);
  expect(backlog.receivers()).toEqual([of('two'), of('one', 'b'), of('one')]);
  backlog.remove(of('one'));
  backlog.remove(of('three'));
  expect(backlog.receivers()).toEqual([of('two'), of('one', 'b')]);
});

test('what a search leaves out is added: full receivers, and those in flight at a full host or of a full client', () => {
  backlog.addLeftOut({ hosts: ['a'], clients: ['two'], receivers: [of('five', 'e')] }, [
    of('one', 'a'),
    of('two', 'b'),
    of('three', 'c'),
  ]);
  expect(backlog.receivers()).toEqual([of('five', 'e'), of('one', 'a'), of('two', 'b')]);
});

describe('a slot that is given back asks for a full search', () => {
  test('at a host that was full, of whatever client', () => {
    backlog.addLeftOut({ ...nothing, hosts: ['a'] }, []);
    expect([backlog.mayMiss(of('one', 'a')), backlog.mayMiss(of('one', 'b'))]).toEqual([true, false]);
  });

  test('of a client that was full and has no known receiver; one with such gets what it may have by that', () => {
    backlog.addLeftOut({ ...nothing, clients: ['one'] }, []);
    expect([backlog.mayMiss(of('one', 'b')), backlog.mayMiss(of('two', 'b'))]).toEqual([true, false]);
    backlog.add(of('two', 'c'));
    expect(backlog.mayMiss(of('one', 'b'))).toBe(true);
    backlog.add(of('one', 'c'));
    expect(backlog.mayMiss(of('one', 'b'))).toBe(false);
  });

  test('where the process was full, always', () => {
    expect([backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([false, false]);
    backlog.processIsFull();
    expect([backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([true, true]);
  });

  test('not after the next full search, which finds what is true', () => {
    backlog.processIsFull();
    backlog.addLeftOut({ hosts: ['a'], clients: ['one'], receivers: [of('one')] }, []);
    backlog.clear();
    expect([backlog.receivers(), backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([[], false, false]);
  });
});
