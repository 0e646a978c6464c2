import { limits } from '../../../config/limits.js';
import { type CallbackPoster, createCallbackPoster, type PostResult } from '../../../workers/callback/post-callback.js';
import type { Receiver } from '../../outbound/receiver.js';
import { until } from '../../support/patience.js';
import { type Harness, startHarness } from './pool-harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness('callback_isolation');
});
afterEach(() => harness.reset());
afterAll(() => harness.close());

const receiver: Harness['receiver'] = (...how) => harness.receiver(...how);

/** Builds a poster whose tries at these addresses hang until the test gives them up, however slow the machine is. Other tries are sent. */
function hangs(...urls: readonly string[]) {
  const direct = createCallbackPoster({ environment: 'testing', allowPrivateNetworks: true });
  let tries = 0;
  let giveUp: () => void = () => undefined;
  const given = new Promise<PostResult>((resolve) => {
    giveUp = () => resolve({ kind: 'no-answer', error: 'timeout', ms: limits.callbackTotalMs });
  });
  const poster: CallbackPoster = {
    post: (callback) => {
      if (!urls.includes(callback.url)) return direct.post(callback);
      tries += 1;
      return given;
    },
    close: () => direct.close(),
  };
  return { poster, tries: () => tries, giveUp };
}

it('does not make healthy hosts wait for a dead and a hanging one with far more to send', async () => {
  const hangingUrl = 'http://127.0.0.4:9/';
  const hanging = hangs(hangingUrl);
  const dead = await receiver(undefined, '127.0.0.3');
  await dead.close();
  const healthy = [await receiver(undefined, '127.0.0.1'), await receiver(undefined, '127.0.0.2')];
  // Oldest first: everything for the bad hosts is due before anything for the healthy ones.
  for (let n = 0; n < 200; n += 1) await harness.insert(`pay_b${n}`, n % 2 ? hangingUrl : dead.url, [{}]);
  for (let n = 0; n < 100; n += 1) await harness.insert(`pay_h${n}`, (healthy[n % 2] as Receiver).url, [{}]);
  const pool = harness.pool({ poster: hanging.poster });
  await pool.sweep();
  await until(() => healthy.flatMap(({ received }) => received).length === 100);
  // The hanging host is not waited for: its first tries are still in flight.
  expect(hanging.tries()).toBe(limits.callbackPerClientAtHostMax);
  // The dead host is given up after ten tries and those in flight by then. The rest waits for the end of its pause.
  const toDead = harness.records.filter(({ fields }) => fields.host === dead.host);
  expect(toDead.length).toBeGreaterThanOrEqual(limits.breakerFailures);
  expect(toDead.length).toBeLessThan(limits.breakerFailures + limits.callbackPerClientAtHostMax);
  // Ends the hanging tries, so that the pool can close.
  hanging.giveUp();
});

it('never has more than four deliveries of a client in flight at a host, however many nudges there are', async () => {
  const slow = await receiver((_request, response) => void setTimeout(() => response.end(), 5));
  for (let n = 0; n < 40; n += 1) await harness.insert(`pay_${n}`, slow.url, [{}]);
  const pool = harness.pool();
  await Promise.all([pool.sweep(), ...Array.from({ length: 40 }, (_, n) => pool.announce(`pay_${n}`))]);
  await harness.settle(pool);
  expect(slow.received).toHaveLength(40);
  expect(slow.inFlightMax()).toBeLessThanOrEqual(limits.callbackPerClientAtHostMax);
});

it('tries a paused receiver with one probe, and sends the rest in order once it answers well', async () => {
  let well = false;
  const target = await receiver((_request, response) => void response.writeHead(well ? 200 : 503).end());
  for (let n = 0; n < 30; n += 1) await harness.insert(`pay_${n}`, target.url, [{}, {}]);
  const pool = harness.pool();
  await harness.settle(pool);
  const before = target.received.length;
  expect(before).toBeLessThan(limits.breakerFailures + limits.callbackPerClientAtHostMax);
  // A delivery that is announced meanwhile waits for the end of the pause, so that not every sweep finds it.
  await harness.insert('pay_late', target.url, [{}]);
  await pool.announce('pay_late');
  expect((await harness.delivery('pay_late:1')).dueAt.getTime()).toBeGreaterThan(Date.now() + 20_000);
  expect(await harness.deliveries.findDue(new Date(), 100)).toEqual([]);
  harness.pass(limits.breakerOpenMs + 1_000);
  await harness.settle(pool);
  expect(target.received.length - before).toBe(1);
  well = true;
  harness.pass(2 * limits.breakerOpenMs + 1_000);
  await harness.settle(pool);
  harness.pass(60_000);
  await harness.settle(pool);
  const delivered = new Map<string, number[]>();
  for (const { body } of target.received.slice(before + 1)) {
    const { id, seq } = JSON.parse(body);
    delivered.set(id, [...(delivered.get(id) ?? []), seq]);
  }
  expect(delivered.get('pay_late')).toEqual([1]);
  delivered.delete('pay_late');
  expect(delivered.size).toBe(30);
  for (const order of delivered.values()) expect(order).toEqual([1, 2]);
});

it('does not make the callbacks of one client wait for another client with hundreds of hanging hosts', async () => {
  const hangingUrls = Array.from({ length: 200 }, (_, n) => `http://127.1.0.${n + 1}:9/`);
  const hanging = hangs(...hangingUrls);
  const healthy = await receiver(undefined, '127.0.0.1');
  for (const [n, url] of hangingUrls.entries()) await harness.insert(`pay_b${n}`, url, [{}]);
  for (let n = 0; n < 20; n += 1) await harness.insert(`pay_h${n}`, healthy.url, [{}], { clientId: 'client-b' });
  const pool = harness.pool({ poster: hanging.poster });
  await pool.sweep();
  await until(() => healthy.received.length === 20);
  await until(() => hanging.tries() >= 64 * limits.callbackClientShare);
  expect(hanging.tries()).toBe(64 * limits.callbackClientShare);
  // As slots become free the other deliveries follow, so that no limit stays unused.
  hanging.giveUp();
  await until(() => hanging.tries() > 64 * limits.callbackClientShare);
});
