/** Receivers for which more is due than could be claimed, and receivers that a search may have left out. */
import { Backlog } from '../../../workers/callback/dispatch/backlog.js';

const of = (clientId: string, host = 'a') => ({ host, clientId });
const nothing = { hosts: [], clients: [], receivers: [] };
let backlog: Backlog;
beforeEach(() => {
  backlog = new Backlog();
});

test('a receiver is listed once, and moves to the end when more is due for it', () => {
  for (const receiver of [of('one'), of('two'), of('one', 'b'), of('one')]) backlog.add(receiver);
  expect(backlog.receivers()).toEqual([of('two'), of('one', 'b'), of('one')]);
  backlog.remove(of('one'));
  backlog.remove(of('three'));
  expect(backlog.receivers()).toEqual([of('two'), of('one', 'b')]);
});

test('a search adds full receivers, and receivers in flight at a full host or of a full client', () => {
  backlog.addLeftOut({ hosts: ['a'], clients: ['two'], receivers: [of('five', 'e')] }, [
    of('one', 'a'),
    of('two', 'b'),
    of('three', 'c'),
  ]);
  expect(backlog.receivers()).toEqual([of('five', 'e'), of('one', 'a'), of('two', 'b')]);
});

describe('a slot that is given back asks for a full search', () => {
  test('at a host that was full, for any client', () => {
    backlog.addLeftOut({ ...nothing, hosts: ['a'] }, []);
    expect([backlog.mayMiss(of('one', 'a')), backlog.mayMiss(of('one', 'b'))]).toEqual([true, false]);
  });

  test('for a client that was full, unless one of its receivers is listed and gets the slot', () => {
    backlog.addLeftOut({ ...nothing, clients: ['one'] }, []);
    expect([backlog.mayMiss(of('one', 'b')), backlog.mayMiss(of('two', 'b'))]).toEqual([true, false]);
    backlog.add(of('two', 'c'));
    expect(backlog.mayMiss(of('one', 'b'))).toBe(true);
    backlog.add(of('one', 'c'));
    expect(backlog.mayMiss(of('one', 'b'))).toBe(false);
  });

  test('always, if the process was full', () => {
    expect([backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([false, false]);
    backlog.processIsFull();
    expect([backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([true, true]);
  });

  test('no more after the next full search, which finds the current state', () => {
    backlog.processIsFull();
    backlog.addLeftOut({ hosts: ['a'], clients: ['one'], receivers: [of('one')] }, []);
    backlog.clear();
    expect([backlog.receivers(), backlog.processWasFull, backlog.mayMiss(of('one'))]).toEqual([[], false, false]);
  });
});
