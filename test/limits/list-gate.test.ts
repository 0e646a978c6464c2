import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { listCustomersEndpoint } from '../../api/customers/list-customers.js';
import { limitLists } from '../../api/http/limit-requests.js';
import { keepState, type RequestState } from '../../api/http/request-state.js';
import { createListGate } from '../../api/limits/list-gate.js';

const bounds = { listsAtOnceMax: 2, listsWaitingMax: 3, listWaitMs: 60_000 };
const refused = { code: 'too-many-requests', retryAfterSeconds: 1 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('two requests of a client run at once, the next follow in order, and another client does not wait', async () => {
  const gate = createListGate(bounds);
  const [first, second] = [await gate.enter('a'), await gate.enter('a')];
  const order: number[] = [];
  const waiting = [1, 2].map(async (n) => {
    const leave = await gate.enter('a');
    order.push(n);
    return leave;
  });
  await gate.enter('b');
  await tick();
  expect(order).toEqual([]);
  first?.();
  // A slot that is given back twice is given back once.
  first?.();
  await tick();
  expect(order).toEqual([1]);
  second?.();
  for (const leave of await Promise.all(waiting)) leave();
  const again = await Promise.all([gate.enter('a'), gate.enter('a')]);
  expect(again).toHaveLength(2);
});

test('a request that waits too long, or finds too many waiting, is refused, and no slot is lost', async () => {
  const gate = createListGate({ ...bounds, listWaitMs: 60 });
  const held = [await gate.enter('a'), await gate.enter('a')];
  const late = Array.from({ length: bounds.listsWaitingMax }, () => gate.enter('a').catch((error: unknown) => error));
  await expect(gate.enter('a')).rejects.toMatchObject(refused);
  for (const error of await Promise.all(late)) expect(error).toMatchObject(refused);
  for (const leave of held) leave();
  expect(await Promise.all([gate.enter('a'), gate.enter('a')])).toHaveLength(2);
});

test('a caller that hangs up while it waits holds no slot when its turn comes', async () => {
  const gate = createListGate({ listsAtOnceMax: 1, listsWaitingMax: 1, listWaitMs: 60 });
  const [enter] = limitLists(listCustomersEndpoint, gate);
  const ask = () => {
    const response = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response;
    keepState(response, { principal: { clientId: 'a' } } as RequestState);
    const begun = enter?.({} as Request, response, () => undefined);
    const close = () => {
      Object.assign(response, { closed: true });
      response.emit('close');
    };
    return { begun, close };
  };
  const first = ask();
  await first.begun;
  const gone = ask();
  gone.close();
  first.close();
  await gone.begun;
  const next = ask();
  await expect(next.begun).resolves.toBeUndefined();
  next.close();
});
