import { limits } from '../../../config/limits.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Session } from '../../../shared/domain/session/session.js';
import { SESSIONS } from '../../../shared/store/session.model.js';
import type { CallbackPoster } from '../../../workers/callback/post-callback.js';
import { type Receiver, startReceiver } from '../../outbound/receiver.js';
import { until } from '../../support/patience.js';
import { type Harness, startHarness } from './pool-harness.js';

let harness: Harness;
const receivers: Receiver[] = [];

beforeAll(async () => {
  harness = await startHarness('callback_pool');
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await harness.reset();
});
afterAll(() => harness.close());

/** Starts a receiver that answers with each of `statuses` in turn, and then repeats the last. */
async function receiver(...statuses: number[]): Promise<Receiver> {
  let n = 0;
  const started = await startReceiver((_request, response) => {
    response.writeHead(statuses[Math.min(n, statuses.length - 1)] ?? 200).end();
    n += 1;
  });
  receivers.push(started);
  return started;
}
const seqs = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).seq);
const header = ({ received }: Receiver, name: string) => received.map(({ headers }) => headers[name]);

describe('announcing', () => {
  it('sends each event of a payment once and in order, after the nudge alone', async () => {
    const { url, received } = await receiver();
    const payment = await harness.insert('pay_1', url, [{}, {}, {}]);
    const pool = harness.pool();
    await pool.announce('pay_1');
    await pool.idle();
    expect(received.map(({ body }) => body)).toEqual(payment.events.map(({ body }) => body));
    expect(received.map(({ headers }) => headers['gateway-resource-version'])).toEqual(['1', '2', '3']);
    expect(received[0]?.headers['gateway-event-created-at']).toBe(payment.events[0]?.at.toISOString());
    await harness.settle(pool);
    expect(received).toHaveLength(3);
    const stored = await harness.payments.findById('pay_1');
    expect(stored).toMatchObject({ fannedOutSeq: 3, version: payment.version + 1 });
    expect(stored).not.toHaveProperty('announceAt');
  });

  it('does not wait for a session that cannot be announced, or for sessions that cannot be read', async () => {
    const { url, received } = await receiver();
    const event = { seq: 1, url: 'no address', body: '{}', at: new Date() };
    const broken = { _id: 'ses_broken', clientId: 'cli_1', events: [event], eventSeq: 1 } as unknown as Session;
    const changed: string[] = [];
    const update = async (session: Session) => {
      changed.push(session._id);
      return undefined;
    };
    for (const [id, findToAnnounce] of [
      ['pay_1', async () => [broken]],
      ['pay_2', () => Promise.reject(new Error('a statement that is too slow'))],
    ] as const) {
      await harness.insert(id, url, [{}]);
      await harness.settle(harness.pool({ sessions: { findToAnnounce, update } }));
    }
    expect(received).toHaveLength(2);
    expect(changed).toEqual([]);
    const said = harness.records.map(({ message }) => message);
    expect(said).toEqual(expect.arrayContaining(['session.announce-failed', 'sweep.failed']));
  });

  it('announces the nudges of one turn together, and claims what it stored without reading it again', async () => {
    const target = await receiver();
    const ids = Array.from({ length: 20 }, (_, n) => `pay_${n}`);
    for (const id of ids) await harness.insert(id, target.url, [{}]);
    const asked: string[][] = [];
    const findByIds = (paymentIds: readonly string[]) => {
      asked.push([...paymentIds]);
      return harness.payments.findByIds(paymentIds);
    };
    let read = 0;
    const findDueAmong: Harness['deliveries']['findDueAmong'] = async (...given) => {
      const found = await harness.deliveries.findDueAmong(...given);
      read += found.length;
      return found;
    };
    const pool = harness.pool({
      announcements: { ...harness.payments, findByIds },
      deliveries: { ...harness.deliveries, findDueAmong },
    });
    await Promise.all([...ids, 'pay_0', 'pay_unknown'].map(pool.announce));
    await harness.settle(pool);
    expect(asked).toEqual([[...ids, 'pay_unknown']]);
    expect(read).toBe(0);
    expect(target.received).toHaveLength(20);
    // Announced again, as after a crash: the deliveries are known and not sent again.
    await pool.announce('pay_3');
    await harness.settle(pool);
    expect(target.received).toHaveLength(20);
  });

  it('announces and sends by a sweep alone', async () => {
    const target = await receiver();
    for (let n = 0; n < limits.sweepPageMax + 6; n += 1) await harness.insert(`pay_${n}`, target.url, [{}, {}]);
    const pool = harness.pool();
    // The first sweep announces all payments, which are more than a page.
    expect(await pool.sweep()).toBeGreaterThanOrEqual(limits.sweepPageMax + 6);
    await pool.idle();
    expect(target.received).toHaveLength(2 * (limits.sweepPageMax + 6));
  });

  it('waits until the caller cannot get the event as its answer any more, and skips what the caller got', async () => {
    const target = await receiver();
    const soon = new Date(Date.now() + 10_000);
    await harness.insert('pay_1', target.url, [{}, { notBefore: soon }, { notBefore: soon }]);
    const pool = harness.pool();
    await pool.announce('pay_1');
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1]);
    await harness.database.collection<Payment>('payments').updateOne({ _id: 'pay_1' }, { $set: { answered: [2] } });
    harness.pass(10_001);
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1, 3]);
  });

  it('is harmless when it is repeated, at the same time or after a crash between its two writes', async () => {
    const target = await receiver();
    const payment = await harness.insert('pay_1', target.url, [{}, {}]);
    const pools = [harness.pool(), harness.pool()];
    await Promise.all(pools.flatMap((pool) => [pool.announce('pay_1'), pool.sweep()]));
    for (const pool of pools) await harness.settle(pool);
    expect(seqs(target)).toEqual([1, 2]);
    // The deliveries are stored, but the payment does not say so: as after a crash.
    const { fannedOutSeq, announceAt, events } = payment;
    await harness.database
      .collection<Payment>('payments')
      .updateOne({ _id: 'pay_1' }, { $set: { fannedOutSeq, events, ...defined({ announceAt }) } });
    await harness.settle(pools[0] ?? harness.pool());
    expect(seqs(target)).toEqual([1, 2]);
    expect(await harness.payments.findById('pay_1')).toMatchObject({ fannedOutSeq: 2 });
  });

  it('loses no event whose delivery could not be stored: the payment stays due', async () => {
    const target = await receiver();
    await harness.insert('pay_1', target.url, [{}, {}]);
    const insert = () => Promise.reject(new Error('connection closed'));
    const failing = harness.pool({ deliveries: { ...harness.deliveries, insert } });
    await expect(failing.announce('pay_1')).rejects.toThrow('connection closed');
    await failing.sweep();
    expect(await harness.payments.findById('pay_1')).toMatchObject({ fannedOutSeq: 0, announceAt: expect.any(Date) });
    await harness.settle(harness.pool());
    expect(seqs(target)).toEqual([1, 2]);
  });

  it('loses no event of a session whose delivery could not be stored', async () => {
    const target = await receiver();
    const event = { seq: 1, url: target.url, body: '{"seq":1}', at: new Date() };
    const sessions = harness.database.collection<{ _id: string }>(SESSIONS);
    const due = { _id: 'ses_1', clientId: 'cli_1', version: 1, events: [event], eventSeq: 1, announceAt: event.at };
    await sessions.insertOne(due);
    const insert = () => Promise.reject(new Error('connection closed'));
    await harness.pool({ deliveries: { ...harness.deliveries, insert } }).sweep();
    expect(await sessions.findOne({ _id: 'ses_1' })).toMatchObject(due);
    await harness.settle(harness.pool());
    expect(seqs(target)).toEqual([1]);
    expect(await sessions.findOne({ _id: 'ses_1' })).toMatchObject({ events: [] });
    await sessions.deleteMany({});
  });

  it('goes on with other payments when one cannot be announced', async () => {
    const target = await receiver();
    await harness.insert('pay_1', 'not a url', [{}]);
    await harness.insert('pay_2', target.url, [{}]);
    await harness.pool().sweep();
    await harness.settle(harness.pool());
    expect(target.received).toHaveLength(1);
    expect(harness.records).toContainEqual(expect.objectContaining({ message: 'payment.announce-failed' }));
  });
});

describe('a delivery', () => {
  it('is retried on the schedule under the same event id, while later events of its payment wait', async () => {
    const target = await receiver(500, 302, 200);
    await harness.insert('pay_1', target.url, [{}, {}]);
    const pool = harness.pool();
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1]);
    harness.pass(9_000);
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1]);
    harness.pass(1_500);
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1, 1]);
    harness.pass(60_500);
    await harness.settle(pool);
    expect(seqs(target)).toEqual([1, 1, 1, 2]);
    expect(header(target, 'gateway-delivery-attempt')).toEqual(['1', '2', '3', '1']);
    expect(new Set(header(target, 'gateway-event-id')).size).toBe(2);
    expect(await harness.delivery('pay_1:1')).toMatchObject({
      state: 'delivered',
      tries: 3,
      attempts: [{ status: 500 }, { status: 302 }, { status: 200 }],
    });
  });

  it('is exhausted after ten tries; the next one of its payment follows, and it can be replayed', async () => {
    const target = await receiver(...Array.from({ length: 10 }, () => 404), 200);
    await harness.insert('pay_1', target.url, [{}, {}]);
    const pool = harness.pool();
    for (const afterMs of limits.callbackAfterMs) {
      harness.pass(afterMs + 100);
      await harness.settle(pool);
    }
    expect(seqs(target)).toEqual([...Array.from({ length: 10 }, () => 1), 2]);
    const { eventId, ...exhausted } = await harness.delivery('pay_1:1');
    expect(exhausted).toMatchObject({ state: 'exhausted', tries: 10 });
    await pool.deliver((await harness.deliveries.replay('pay_1', eventId, new Date())) ?? '');
    expect(target.received.at(-1)?.headers['gateway-event-id']).toBe(eventId);
    expect((await harness.delivery('pay_1:1')).state).toBe('delivered');
  });

  it('ends with 410, and the next one follows', async () => {
    const target = await receiver(410, 200);
    await harness.insert('pay_1', target.url, [{}, {}]);
    await harness.settle(harness.pool());
    expect(seqs(target)).toEqual([1, 2]);
    expect((await harness.delivery('pay_1:1')).state).toBe('ended');
  });

  it('is sent by only one of two pools', async () => {
    const target = await receiver();
    for (let n = 0; n < 30; n += 1) await harness.insert(`pay_${n}`, target.url, [{}]);
    const pools = [harness.pool(), harness.pool()];
    await Promise.all(pools.map((pool) => harness.settle(pool)));
    expect(target.received).toHaveLength(30);
    expect(new Set(header(target, 'gateway-event-id')).size).toBe(30);
  });

  it('whose sender died is sent again after its lease has ended', async () => {
    const target = await receiver();
    await harness.insert('pay_1', target.url, [{}]);
    const dead: CallbackPoster = { post: () => Promise.reject(new Error('killed')), close: async () => {} };
    await harness.settle(harness.pool({ poster: dead }));
    const pool = harness.pool();
    await harness.settle(pool);
    expect(target.received).toHaveLength(0);
    await harness.expireLeases();
    await harness.settle(pool);
    expect(header(target, 'gateway-delivery-attempt')).toEqual(['1']);
  });

  it('is not sent before its turn, even by a nudge', async () => {
    const target = await receiver(500, 200);
    await harness.insert('pay_1', target.url, [{}, {}]);
    const pool = harness.pool();
    await harness.settle(pool);
    await pool.deliver('pay_1:2');
    await pool.deliver('pay_1:1');
    await pool.deliver('unknown:1');
    expect(seqs(target)).toEqual([1]);
  });

  it('leaves one log line per try, with the host and nothing else of the URL', async () => {
    const target = await receiver(500, 200);
    await harness.insert('pay_1', target.url, [{}]);
    const pool = harness.pool();
    await harness.settle(pool);
    harness.pass(10_001);
    await harness.settle(pool);
    const tries = harness.records.filter(({ message }) => message === 'delivery.attempted');
    expect(tries.map(({ fields }) => [fields.host, fields.status, fields.tries, fields.kind])).toEqual([
      [target.host, 500, 1, 'waiting'],
      [target.host, 200, 2, 'delivered'],
    ]);
    expect(JSON.stringify(harness.records)).not.toMatch(/hook|key=1/);
  });

  it('to a private address is refused unless that is allowed, without a connection', async () => {
    const target = await receiver();
    await harness.insert('pay_1', target.url, [{}]);
    const config = {
      environment: 'testing',
      callbackAllowPrivateNetworks: false,
      timeScale: 1,
      workerConcurrency: 8,
    } as const;
    await harness.settle(harness.pool({ config }));
    expect(target.connections()).toBe(0);
    expect((await harness.delivery('pay_1:1')).attempts).toEqual([
      expect.objectContaining({ error: 'target-refused' }),
    ]);
  });
});

describe('a pool that closes', () => {
  it('gives back what it is just claiming, so that another pool need not wait for the lease', async () => {
    const target = await receiver();
    await harness.insert('pay_1', target.url, [{}]);
    const closing = harness.pool({
      deliveries: {
        ...harness.deliveries,
        claim: async (...given) => {
          void closing.close();
          return harness.deliveries.claim(...given);
        },
      },
    });
    await closing.sweep();
    await closing.close();
    expect(target.received).toHaveLength(0);
    await harness.settle(harness.pool());
    expect(target.received).toHaveLength(1);
  });

  it('gives back what it has claimed and not sent, while the rest of the search is still running', async () => {
    const target = await receiver();
    await harness.insert('pay_1', target.url, [{}]);
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let claimed = false;
    const closing = harness.pool({
      deliveries: {
        ...harness.deliveries,
        claim: async (...given) => {
          const won = await harness.deliveries.claim(...given);
          claimed = won.length > 0;
          return won;
        },
        postpone: () => finished,
      },
    });
    const sweeping = closing.sweep();
    await until(() => claimed);
    const closed = closing.close();
    finish();
    await Promise.all([sweeping, closed]);
    expect(target.received).toHaveLength(0);
    await harness.settle(harness.pool());
    expect(target.received).toHaveLength(1);
  });

  it('finishes what is in flight and starts nothing more', async () => {
    const slow = await startReceiver((_request, response) => void setTimeout(() => response.end(), 150));
    receivers.push(slow);
    for (let n = 0; n < 10; n += 1) await harness.insert(`pay_${n}`, slow.url, [{}]);
    const pool = harness.pool();
    await pool.sweep();
    await pool.close();
    expect(slow.received).toHaveLength(limits.callbackPerClientAtHostMax);
    await pool.sweep();
    await pool.announce('pay_9');
    const others = await harness.deliveries.findDue(new Date(), 20);
    expect(others).toHaveLength(10 - limits.callbackPerClientAtHostMax);
    expect(slow.received).toHaveLength(limits.callbackPerClientAtHostMax);
    const states = await Promise.all(slow.received.map(({ body }) => harness.delivery(`${JSON.parse(body).id}:1`)));
    expect(states.every(({ state }) => state === 'delivered')).toBe(true);
  });
});
