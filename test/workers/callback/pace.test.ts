/** Callbacks are sent as fast as receivers answer: slots are free at the answer, the next deliveries are claimed, order and limits hold. */

import type { ServerResponse } from 'node:http';
import { limits } from '../../../config/limits.js';
import { type CallbackPoster, createCallbackPoster } from '../../../workers/callback/post-callback.js';
import type { Receiver } from '../../outbound/receiver.js';
import { until } from '../../support/patience.js';
import { type Harness, startHarness } from './pool-harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness('callback_pace');
});
afterEach(() => harness.reset());
afterAll(() => harness.close());

const receiver: Harness['receiver'] = (...how) => harness.receiver(...how);
/** Returns a promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
const insert = async (count: number, url: string, events: number, clientId = 'client-a') => {
  for (let n = 0; n < count; n += 1) {
    await harness.insert(`pay_${clientId}${n}`, url, Array(events).fill({}), { clientId });
  }
};
/** Returns what a receiver got, by payment, in the order of arrival. */
function seqsOf({ received }: Receiver): Map<string, number[]> {
  const seqs = new Map<string, number[]>();
  for (const { body } of received) {
    const { id, seq } = JSON.parse(body);
    seqs.set(id, [...(seqs.get(id) ?? []), seq]);
  }
  return seqs;
}

it('frees a slot at the answer, so that a try that is not recorded yet delays no other payment', async () => {
  const target = await receiver();
  await insert(5 * limits.callbackPerClientAtHostMax, target.url, 2);
  const { opened, open } = gate();
  const record: Harness['deliveries']['record'] = async (...given) => {
    await opened;
    return harness.deliveries.record(...given);
  };
  const pool = harness.pool({ deliveries: { ...harness.deliveries, record } });
  const sweeping = pool.sweep();
  await until(() => target.received.length === 5 * limits.callbackPerClientAtHostMax);
  // The second event of a payment waits until the first is recorded: after a crash it could arrive before the first.
  expect([...seqsOf(target).values()].every((seqs) => seqs.length === 1 && seqs[0] === 1)).toBe(true);
  open();
  await sweeping;
  await harness.settle(pool);
  for (const seqs of seqsOf(target).values()) expect(seqs).toEqual([1, 2]);
});

it('claims more than there are slots, but sends within the limits and each payment in order', async () => {
  const { opened, open: answer } = gate();
  // The first answer shows that the host is quick. Its other slots stay taken until more was claimed than all slots hold.
  const gated = () => {
    let asked = 0;
    return receiver((_request, response) => {
      asked += 1;
      if (asked === 1) response.end();
      else void opened.then(() => response.end());
    });
  };
  const targets = await Promise.all([gated(), gated()]);
  for (const [n, { url }] of targets.entries()) await insert(40, url, 2, `client-${n}`);
  let claimedMost = 0;
  let open = 0;
  const claim: Harness['deliveries']['claim'] = async (...given) => {
    const claimed = await harness.deliveries.claim(...given);
    open += claimed.length;
    claimedMost = Math.max(claimedMost, open);
    if (claimedMost > 2 * limits.callbackPerClientAtHostMax) answer();
    return claimed;
  };
  const record: Harness['deliveries']['record'] = async (...given) => {
    open -= 1;
    return harness.deliveries.record(...given);
  };
  const pool = harness.pool({ deliveries: { ...harness.deliveries, claim, record } });
  await harness.settle(pool);
  expect(claimedMost).toBeGreaterThan(2 * limits.callbackPerClientAtHostMax);
  for (const target of targets) {
    expect(target.inFlightMax()).toBeLessThanOrEqual(limits.callbackPerClientAtHostMax);
    expect(target.received).toHaveLength(80);
    for (const seqs of seqsOf(target).values()) expect(seqs).toEqual([1, 2]);
  }
});

it('keeps a client of many quick hosts within its limit, and no host waits for another', async () => {
  const answerLater = (_request: unknown, response: ServerResponse) => void setTimeout(() => response.end(), 5);
  const target = await receiver(answerLater, '0.0.0.0');
  const hosts = Array.from({ length: 24 }, (_, n) => `http://127.0.2.${n + 1}:${target.port}/`);
  for (const [n, url] of hosts.entries()) {
    for (let m = 0; m < 8; m += 1) await harness.insert(`pay_${n}x${m}`, url, [{}]);
  }
  const released: string[] = [];
  const release: Harness['deliveries']['release'] = async (given) => {
    released.push(...given.map(({ claimed }) => claimed._id));
    return harness.deliveries.release(given);
  };
  await harness.settle(harness.pool({ deliveries: { ...harness.deliveries, release } }));
  expect(target.received).toHaveLength(24 * 8);
  expect(target.inFlightMax()).toBeLessThanOrEqual(64 * limits.callbackClientShare);
  expect(released).toEqual([]);
});

it('claims later events with the first of their payment, and sends each after the one before is recorded', async () => {
  const payments = 2 + limits.callbackPerClientAtHostMax;
  const recorded = new Set<string>();
  const early: string[] = [];
  const { opened, open } = gate();
  const target = await receiver((_request, response) => {
    const { id, seq } = JSON.parse(target.received.at(-1)?.body ?? '');
    if (seq > 1 && !recorded.has(`${id}:${seq - 1}`)) early.push(`${id}:${seq}`);
    // The first answer shows that the receiver is quick. The other slots stay taken until there was a claim for later.
    if (target.received.length === 1) response.end();
    else void opened.then(() => response.end());
  });
  await insert(payments, target.url, 3);
  let together = 0;
  const claim: Harness['deliveries']['claim'] = async (...given) => {
    const claimed = await harness.deliveries.claim(...given);
    together += claimed.length - new Set(claimed.map(({ paymentId }) => paymentId)).size;
    if (claimed.some(({ paymentId }) => paymentId === `pay_client-a${payments - 1}`)) open();
    return claimed;
  };
  const record: Harness['deliveries']['record'] = async (claimed, ...given) => {
    const done = await harness.deliveries.record(claimed, ...given);
    recorded.add(claimed._id);
    return done;
  };
  await harness.settle(harness.pool({ deliveries: { ...harness.deliveries, claim, record } }));
  expect([...seqsOf(target).values()]).toEqual(Array(payments).fill([1, 2, 3]));
  expect(early).toEqual([]);
  // These are later events of the payments that had no slot at first.
  expect(together).toBeGreaterThanOrEqual(4);
});

it('gives back the deliveries that it claimed to follow one that failed', async () => {
  const failsOnce = new Set(Array.from({ length: 10 }, (_, n) => `pay_client-a${3 * n}`));
  const failed = new Set<string>();
  const target = await receiver((_request, response) => {
    const { id } = JSON.parse(target.received.at(-1)?.body ?? '');
    const fails = failsOnce.has(id) && !failed.has(id);
    failed.add(id);
    setTimeout(() => response.writeHead(fails ? 400 : 200).end(), 5);
  });
  await insert(30, target.url, 2);
  const pool = harness.pool();
  await harness.settle(pool);
  const seqs = seqsOf(target);
  expect([...failsOnce].map((id) => seqs.get(id))).toEqual(Array(10).fill([1]));
  for (const id of failsOnce) {
    const [first, second] = [await harness.delivery(`${id}:1`), await harness.delivery(`${id}:2`)];
    expect(second).toMatchObject({ state: 'waiting', tries: 0, leaseUntil: new Date(0) });
    expect(second.dueAt.getTime()).toBeGreaterThanOrEqual(first.dueAt.getTime());
  }
  harness.pass(12_000);
  await harness.settle(pool);
  expect([...seqsOf(target).values()].filter((got) => got.length === 3)).toEqual(Array(10).fill([1, 1, 2]));
});

it('delivers everything when a process is killed with deliveries in flight, queued and not recorded', async () => {
  const target = await receiver();
  await insert(60, target.url, 2);
  const { opened, open } = gate();
  let recorded = 0;
  const dead = () => (recorded > 10 ? opened : undefined);
  // After ten records, nothing that this process does has an effect.
  const record: Harness['deliveries']['record'] = async (...given) => {
    recorded += 1;
    await dead();
    return harness.deliveries.record(...given);
  };
  const claim: Harness['deliveries']['claim'] = async (...given) => {
    await dead();
    return harness.deliveries.claim(...given);
  };
  const sending = createCallbackPoster({ environment: 'testing', allowPrivateNetworks: true });
  const poster: CallbackPoster = {
    post: async (callback) => {
      if (dead()) await opened.then(() => Promise.reject(new Error('killed')));
      return sending.post(callback);
    },
    close: sending.close,
  };
  const killed = harness.pool({ deliveries: { ...harness.deliveries, record, claim }, poster });
  const sweeping = killed.sweep();
  await until(() => recorded > 10);
  const pool = harness.pool();
  await until(async () => {
    await harness.expireLeases();
    await harness.settle(pool);
    const stored = harness.database.collection('deliveries');
    // After the lease, deliveries are due that the dead process had postponed until their turn.
    harness.pass(limits.callbackLeaseMs);
    return (await stored.countDocuments({ state: 'delivered' })) === 120;
  });
  const seqs = seqsOf(target);
  expect(seqs.size).toBe(60);
  for (const got of seqs.values()) {
    expect(new Set(got)).toEqual(new Set([1, 2]));
    // Each event arrives at least once, and never an earlier event after a later one.
    expect(got.toSorted()).toEqual(got);
  }
  open();
  await sweeping;
});

/** Builds a claim of which another process wins `pay_lost:1` once `open` is called. `claims` are the ids that were asked for. */
function losingClaim() {
  const { opened, open } = gate();
  const claims: string[] = [];
  const claim: Harness['deliveries']['claim'] = async (due, now) => {
    claims.push(...due.map(({ _id }) => _id));
    if (!due.some(({ _id }) => _id === 'pay_lost:1')) return harness.deliveries.claim(due, now);
    await opened;
    return [];
  };
  return { claim, claims, open };
}

it('lets a queued delivery take the slot of a claim that another process won', async () => {
  const held: ServerResponse[] = [];
  // The first answer shows that the receiver is quick. All slots are taken afterwards.
  const target = await receiver((_request, response) => {
    if (target.received.length === 1) response.end();
    else held.push(response);
  });
  const { claim, claims, open } = losingClaim();
  const pool = harness.pool({ deliveries: { ...harness.deliveries, claim } });
  await insert(1 + limits.callbackPerClientAtHostMax, target.url, 1);
  await pool.sweep();
  await until(() => held.length === limits.callbackPerClientAtHostMax);
  held.pop()?.end();
  await until(async () => {
    const stored = harness.database.collection('deliveries');
    return (await stored.countDocuments({ state: 'delivered' })) === 2;
  });
  await harness.insert('pay_lost', target.url, [{}]);
  const losing = pool.announce('pay_lost');
  await until(() => claims.includes('pay_lost:1'));
  await harness.insert('pay_queued', target.url, [{}]);
  await pool.announce('pay_queued');
  expect(seqsOf(target).has('pay_queued')).toBe(false);
  open();
  await losing;
  await until(() => seqsOf(target).has('pay_queued'));
  for (const response of held.splice(0)) response.end();
  await pool.idle();
  expect(target.inFlightMax()).toBe(limits.callbackPerClientAtHostMax);
});

it('searches for deliveries that had no room when a lost claim gives its slot back', async () => {
  const held: ServerResponse[] = [];
  const target = await receiver((_request, response) => void held.push(response));
  const { claim, claims, open } = losingClaim();
  const pool = harness.pool({ deliveries: { ...harness.deliveries, claim } });
  await insert(limits.callbackPerClientAtHostMax - 1, target.url, 1);
  await pool.sweep();
  await until(() => held.length === limits.callbackPerClientAtHostMax - 1);
  await harness.insert('pay_lost', target.url, [{}]);
  const losing = pool.announce('pay_lost');
  await until(() => claims.includes('pay_lost:1'));
  await harness.insert('pay_refused', target.url, [{}]);
  await pool.announce('pay_refused');
  expect(claims).not.toContain('pay_refused:1');
  // The other process holds the lost delivery.
  await harness.database
    .collection('deliveries')
    .updateOne({ paymentId: 'pay_lost' }, { $set: { state: 'delivered' } });
  open();
  await losing;
  await until(() => held.length === limits.callbackPerClientAtHostMax);
  expect([...seqsOf(target).keys()]).toContain('pay_refused');
  // The reason is not that another try has ended, not even by a timeout.
  expect(await harness.database.collection('deliveries').countDocuments({ tries: { $gt: 0 } })).toBe(0);
  for (const response of held.splice(0)) response.end();
  await pool.idle();
});

it('sends a later event at once when another process has sent the one before it', async () => {
  const held: ServerResponse[] = [];
  // The first answer shows that the receiver is quick, so that the later event is claimed with the first of its payment.
  const target = await receiver((_request, response) => {
    if (target.received.length === 2) held.push(response);
    else response.end();
  });
  const claim: Harness['deliveries']['claim'] = async (due, now) => {
    const first = due.filter(({ _id }) => _id === 'pay_both:1');
    for (const claimed of await harness.deliveries.claim(first, now)) {
      const attempt = { at: now, ms: 1, status: 200 };
      await harness.deliveries.record(claimed, { attempt, state: 'delivered' }, now);
    }
    return harness.deliveries.claim(due, now);
  };
  const pool = harness.pool({ deliveries: { ...harness.deliveries, claim } });
  await insert(2, target.url, 1);
  await pool.sweep();
  await until(() => held.length === 1);
  await harness.insert('pay_both', target.url, [{}, {}]);
  await pool.announce('pay_both');
  await until(() => seqsOf(target).has('pay_both'));
  for (const response of held) response.end();
  await pool.idle();
  expect(seqsOf(target).get('pay_both')).toEqual([2]);
});

it('gives back what is queued for a host that no longer answers', async () => {
  const held: ServerResponse[] = [];
  let answering = true;
  const target = await receiver((_request, response) => {
    if (answering) setTimeout(() => response.end(), 5);
    else held.push(response);
  });
  await insert(60, target.url, 1);
  const pool = harness.pool();
  const sweeping = pool.sweep();
  await until(() => target.received.length > 20);
  answering = false;
  await until(() => held.length === limits.callbackPerClientAtHostMax);
  const stored = harness.database.collection('deliveries');
  await until(async () => (await stored.countDocuments({ leaseUntil: { $gt: new Date() } })) === held.length);
  expect(await stored.countDocuments({ state: 'waiting' })).toBeGreaterThan(held.length);
  answering = true;
  for (const response of held.splice(0)) response.end();
  await sweeping;
  await until(async () => {
    await harness.settle(pool);
    return (await stored.countDocuments({ state: 'delivered' })) === 60;
  });
  expect(target.received).toHaveLength(60);
});
