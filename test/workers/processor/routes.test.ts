/** The step from one route to the next, on the real MongoDB: when it is made, when it is not, and what a killed worker leaves behind. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { PaymentRouting } from '../../../shared/domain/routing/payment-routing.js';
import type { Declined, SendResult } from '../../../shared/processors/processor.js';
import { operated } from '../../domain/payment/a-payment.js';
import {
  approved,
  declined,
  type FakeProcessor,
  fakeProcessor,
  found,
  notFound,
  notSent,
  unknown,
} from './fake-processor.js';
import { abandoned } from './pool-under-test.js';
import { accepted, sends, store, under, useStore } from './processor-suite.js';

useStore();

const softDecline: Declined = { ...declined, advice: 'retry-later' };

interface Acquirers {
  readonly first: FakeProcessor;
  readonly second: FakeProcessor;
  readonly third: FakeProcessor;
}

const routing = (more: Partial<PaymentRouting> = {}): PaymentRouting => ({
  candidates: [
    { processor: 'first', acquirer: 'a', merchantIdentificationNumber: '1', reason: 'chosen' },
    { processor: 'second', acquirer: 'b', merchantIdentificationNumber: '2', terminalNumber: 't2', reason: 'next' },
    { processor: 'third', acquirer: 'c', reason: 'next' },
    { processor: 'fourth', acquirer: 'd', reason: 'condition', detail: 'currencies' },
  ],
  ...more,
});

const atFirst = (more: Partial<Payment> = {}): Partial<Payment> => ({
  processor: 'first',
  acquirer: 'a',
  merchantIdentificationNumber: '1',
  routing: routing(),
  ...more,
});

function acquirers(scripts: Partial<Record<keyof Acquirers, Parameters<typeof fakeProcessor>[0]>>): Acquirers {
  return {
    first: fakeProcessor(scripts.first),
    second: fakeProcessor(scripts.second),
    third: fakeProcessor(scripts.third),
  };
}
const pool = (all: Acquirers) =>
  under(undefined, { processors: { get: (code) => ({ ...all })[code as keyof Acquirers] } });

/** Reserves a refund on the paid payment; returns the payment as it is stored. */
async function refunding(payment: Payment): Promise<Payment> {
  const names = { referenceId: `op-${payment._id}`, txId: `txn_op_${payment._id}` };
  const reserved = operated(payment, 'refund', { ...names, amountMinor: 400, now: new Date() });
  await store.payments.replaceOne({ _id: payment._id }, reserved);
  return store.read(payment._id);
}

const attempts = (payment: Payment) =>
  payment.transactions.map(({ kind, status, leftRoute }) => `${kind} ${status} ${leftRoute?.processor ?? ''}`.trim());
const reasons = (payment: Payment) =>
  payment.routing?.candidates.map(({ processor, reason }) => `${processor} ${reason}`);
const keyOf = ({ calls }: FakeProcessor) => calls.map((call) => call.split(' ')[1]);

/** Checks what must hold of every payment: at most one effective authorization, and no key that two processors got. */
function expectOneStory(payment: Payment, all: Acquirers): void {
  const taken = payment.transactions.filter(({ kind, status }) => kind === 'purchase' && status === 'approved');
  expect(taken.length).toBeLessThanOrEqual(1);
  const keys = Object.values(all).map((processor) => new Set(keyOf(processor)));
  const shared = keys.flatMap((one, at) =>
    keys.slice(at + 1).flatMap((other) => [...one].filter((key) => other.has(key))),
  );
  expect(shared).toEqual([]);
}

describe('an acquirer that is not reached', () => {
  test('the next route is tried with a key and numbers of its own, and takes what follows', async () => {
    const all = acquirers({ first: { send: [notSent] } });
    const workers = pool(all);
    const payment = await accepted(atFirst());
    const left = await workers.step(payment, 'reply-1');
    expect(attempts(left)).toEqual(['purchase failed first', 'purchase created']);
    expect(left).toMatchObject({
      status: 'created',
      processor: 'second',
      acquirer: 'b',
      merchantIdentificationNumber: '2',
    });
    expect(workers.replies).toEqual([]);
    expect(workers.nudges.at(-1)?.payload).toMatchObject({ txId: left.work?.txId, replyTo: 'reply-1' });

    const paid = await workers.step(left, 'reply-1');
    expect(paid).toMatchObject({ status: 'approved', capturedMinor: 1050, terminalNumber: 't2' });
    expect(reasons(paid)).toEqual(['first not-reached', 'second chosen', 'third next', 'fourth condition']);
    expect(paid).not.toHaveProperty('cvc');
    expect(workers.replies).toHaveLength(1);
    expect(all.second.requests).toMatchObject([
      { key: left.work?.txId, acquirer: 'b', merchant: { merchantIdentificationNumber: '2', terminalNumber: 't2' } },
    ]);
    expectOneStory(paid, all);

    const refunded = await workers.step(await refunding(paid));
    expect(refunded.status).toBe('partially-refunded');
    expect(all.second.requests.at(-1)).toMatchObject({ original: left.work?.txId, acquirer: 'b' });
    expect(sends(all.first)).toBe(1);
  });

  test('a next route without numbers does not get the numbers of the route before', async () => {
    const all = acquirers({ first: { send: [notSent] }, second: { send: [notSent] } });
    const paid = await pool(all).finish(await accepted(atFirst()));
    expect(attempts(paid)).toEqual(['purchase failed first', 'purchase failed second', 'purchase approved']);
    expect(paid).toMatchObject({ processor: 'third' });
    expect(paid).not.toHaveProperty('merchantIdentificationNumber');
    expect(all.third.requests[0]?.merchant).not.toHaveProperty('terminalNumber');
    expectOneStory(paid, all);
  });

  test('the last route is tried again like an only route, then the payment fails', async () => {
    const down = { send: [notSent] };
    const all = acquirers({ first: down, second: down, third: down });
    const failed = await pool(all).finish(await accepted(atFirst()));
    expect(failed).toMatchObject({ status: 'failed', processor: 'third' });
    expect([sends(all.first), sends(all.second), sends(all.third)]).toEqual([1, 1, limits.notSentTriesMax]);
    expect(failed.transactions.at(-1)).toMatchObject({ errorCode: 'acquirer-offline', resultCode: '91' });
  });

  test('no more routes are tried than a payment may try', async () => {
    const down = { send: [notSent] };
    const all = acquirers({ first: down, second: down, third: down });
    const { processors, schedule } = pool(all).deps;
    const narrow = under(undefined, { processors, schedule: { ...schedule, routeAttemptsMax: 2 } });
    await narrow.finish(await accepted(atFirst()));
    expect([sends(all.first), sends(all.second), sends(all.third)]).toEqual([1, limits.notSentTriesMax, 0]);
  });

  test('no route follows after authorizeBy', async () => {
    const all = acquirers({
      first: {
        send: [
          () => {
            workers.advance(limits.authorizeWithinMs + 1_000);
            return notSent;
          },
        ],
      },
    });
    const workers = pool(all);
    expect((await workers.finish(await accepted(atFirst()))).status).toBe('failed');
    expect(sends(all.second)).toBe(0);
  });

  test('a fault of the card or its vault leads to no other route', async () => {
    const all = acquirers({});
    const closed = {
      open: async () => Promise.reject(new Error('no key')),
      seal: async () => Promise.reject(new Error()),
    };
    const failing = under(undefined, { processors: pool(all).deps.processors, vault: closed });
    const left = await failing.step(await accepted(atFirst()));
    expect(left.transactions).toHaveLength(1);
    expect(sends(all.second)).toBe(0);
  });

  test('a payment without a list of routes stays at its route', async () => {
    const all = acquirers({ first: { send: [notSent, approved] } });
    const { routing: _none, ...single } = atFirst();
    const paid = await pool(all).finish(await accepted(single));
    expect(paid.transactions).toHaveLength(1);
    expect(sends(all.first)).toBe(2);
  });
});

describe('an unknown outcome', () => {
  test('is inquired about where it was sent, and leads to no other route', async () => {
    const all = acquirers({ first: { send: [unknown], inquire: [found(approved)] } });
    const paid = await pool(all).finish(await accepted(atFirst()));
    expect(paid).toMatchObject({ status: 'approved', processor: 'first' });
    expect(sends(all.second)).toBe(0);
  });

  test('leads to the next route only after its reversal is confirmed', async () => {
    const all = acquirers({
      first: {
        send: [unknown],
        inquire: [notFound],
        reverse: [{ kind: 'no-answer', internal: 'x' }, { kind: 'reversed' }],
      },
    });
    const workers = pool(all);
    let payment = await accepted(atFirst());
    while (payment.work?.kind !== 'reverse') payment = await workers.step(payment);
    payment = await workers.step(payment);
    expect(sends(all.second)).toBe(0);
    expect(payment.work?.kind).toBe('reverse');
    const paid = await workers.finish(payment);
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect(attempts(paid)).toEqual(['purchase failed first', 'reversal approved', 'purchase approved']);
    expect(reasons(paid)?.slice(0, 2)).toEqual(['first reversed', 'second chosen']);
    expect(all.first.reversals.at(-1)).toMatchObject({
      acquirer: 'a',
      merchant: { merchantIdentificationNumber: '1' },
    });
    expectOneStory(paid, all);
  });

  test('fails the payment when the reversal is confirmed too late', async () => {
    const all = acquirers({ first: { send: [unknown], inquire: [notFound] } });
    const workers = pool(all);
    let payment = await accepted(atFirst());
    while (payment.work?.kind !== 'reverse') payment = await workers.step(payment);
    workers.advance(limits.authorizeWithinMs);
    expect((await workers.finish(payment)).status).toBe('failed');
    expect(sends(all.second)).toBe(0);
  });

  test.each([
    ['declined', declined],
    ['failed', { kind: 'failed', resultCode: '91', resultMessage: 'Acquirer offline' }],
  ] as [string, SendResult][])('a left attempt that is %s late does not end the next attempt', async (_, result) => {
    let late: (result: SendResult) => void = () => undefined;
    const answer = new Promise<SendResult>((resolve) => {
      late = resolve;
    });
    const all = acquirers({ first: { send: [() => answer], inquire: [notFound] } });
    const workers = pool(all);
    let payment = await accepted(atFirst());
    const slow = workers.step(payment);
    while (sends(all.first) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.endLease(payment._id);
    while (payment.processor !== 'second') payment = await workers.step(payment);
    late(result);
    await slow;
    expect(await store.read(payment._id)).toEqual(payment);
    expect(await workers.finish(payment)).toMatchObject({ status: 'approved', processor: 'second' });
    expect(await workers.deps.metrics.text()).toMatch(/event="illegal-transition"[^\n]* 0\n/);
  });

  test('an attempt that was left and is approved late is reversed at its own route', async () => {
    let late: (result: SendResult) => void = () => undefined;
    const answer = new Promise<SendResult>((resolve) => {
      late = resolve;
    });
    const all = acquirers({ first: { send: [() => answer], inquire: [notFound] } });
    const workers = pool(all);
    const payment = await accepted(atFirst());
    const slow = workers.step(payment);
    while (sends(all.first) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.endLease(payment._id);
    const paid = await workers.finish(payment);
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    late(approved);
    await slow;
    const after = await workers.finish(payment);
    expect(after).toMatchObject({ status: 'approved', processor: 'second', capturedMinor: 1050 });
    expect(all.first.reversals).toHaveLength(2);
    expect(all.second.reversals).toEqual([]);
    expect(after.transactions[0]?.flagged).toBeDefined();
  });
});

describe('a decline', () => {
  const soft = { first: { send: [softDecline] } };

  test('is final unless the merchant opted in', async () => {
    const all = acquirers(soft);
    expect((await pool(all).finish(await accepted(atFirst()))).status).toBe('denied');
    expect(sends(all.second)).toBe(0);
  });

  test('with advice to retry is followed by the next route, without the cvc and with the proof', async () => {
    const all = acquirers(soft);
    const workers = pool(all);
    const proof = { required: true, reason: 'always', status: 'authenticated', eci: '05' } as const;
    const wanted = atFirst({ routing: routing({ retrySoftDeclines: true }), threeDs: proof });
    const payment = await accepted({ ...wanted, authenticationValue: (await accepted()).cvc });
    const left = await workers.step(payment);
    expect(attempts(left)).toEqual(['purchase denied first', 'purchase created']);
    expect(left).not.toHaveProperty('cvc');
    expect(left.transactions[0]).toMatchObject({ declineCode: 'insufficient_funds', advice: 'retry-later' });
    const paid = await workers.finish(left);
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect(all.second.requests[0]).toMatchObject({ proof: { eci: '05', authenticationValue: expect.any(String) } });
    expect((all.second.requests[0] as { credential?: { card?: object } }).credential?.card).not.toHaveProperty('cvc');
    expectOneStory(paid, all);
  });

  test.each([
    ['no advice', declined],
    ['do-not-retry', { ...declined, advice: 'do-not-retry' }],
    ['update-credentials', { ...declined, advice: 'update-credentials' }],
  ] as [string, Declined][])('with %s is final', async (_name, answer) => {
    const all = acquirers({ first: { send: [answer] } });
    const payment = await accepted(atFirst({ routing: routing({ retrySoftDeclines: true }) }));
    expect((await pool(all).finish(payment)).status).toBe('denied');
    expect(sends(all.second)).toBe(0);
  });

  test('of a cryptogram is final, because a cryptogram can be used only once', async () => {
    const all = acquirers(soft);
    const plain = await accepted();
    const payment = await accepted(
      atFirst({
        routing: routing({ retrySoftDeclines: true }),
        paymentMethod: { ...plain.paymentMethod, source: 'network-token' },
      }),
    );
    expect((await pool(all).finish(payment)).status).toBe('denied');
  });

  test('by the last route ends the payment', async () => {
    const all = acquirers({ ...soft, second: { send: [softDecline] }, third: { send: [softDecline] } });
    const payment = await accepted(atFirst({ routing: routing({ retrySoftDeclines: true }) }));
    const denied = await pool(all).finish(payment);
    expect(denied.status).toBe('denied');
    expect(attempts(denied)).toEqual(['purchase denied first', 'purchase denied second', 'purchase denied']);
  });
});

describe('a worker is killed', () => {
  test('before it noted the failure of the first route: inquiry and reversal there, then the next route', async () => {
    const all = acquirers({ first: { inquire: [notFound] } });
    const paid = await pool(all).finish(await abandoned(store, await accepted(atFirst())));
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect(sends(all.first)).toBe(0);
    expect(all.first.reversals).toHaveLength(1);
    expectOneStory(paid, all);
  });

  test('after that, before the second route was claimed: the second route gets the payment once', async () => {
    const all = acquirers({ first: { send: [notSent] } });
    const left = await pool(all).step(await accepted(atFirst()));
    // The stored payment is all that another process has: it finds work without a claim.
    expect(left.work).toMatchObject({ kind: 'authorize', txId: left.transactions[1]?.id, leaseUntil: new Date(0) });
    expect(left.work).not.toHaveProperty('attempt');
    const paid = await pool(all).finish(left);
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect(sends(all.second)).toBe(1);
  });

  test('after the second route may have taken the payment: only the second route is asked', async () => {
    const all = acquirers({ first: { send: [notSent] }, second: { inquire: [found(approved)] } });
    const left = await pool(all).step(await accepted(atFirst()));
    const paid = await pool(all).finish(await abandoned(store, left));
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect([sends(all.first), sends(all.second), sends(all.third)]).toEqual([1, 0, 0]);
    expect(all.second.calls).toEqual([`inquire ${left.work?.txId}`]);
  });
});

describe('the circuit breaker', () => {
  const opened = async (all: Acquirers) => {
    const workers = pool(all);
    for (let n = 0; n < limits.routeFailuresMax; n += 1) await workers.finish(await accepted(atFirst()));
    return workers;
  };

  test('when it is open, the next payment takes another route, without a call here or a failed transaction', async () => {
    const all = acquirers({ first: { send: [notSent] } });
    const workers = await opened(all);
    const before = sends(all.first);
    const paid = await workers.finish(await accepted(atFirst()));
    expect(sends(all.first)).toBe(before);
    expect(paid).toMatchObject({ status: 'approved', processor: 'second' });
    expect(attempts(paid)).toEqual(['purchase approved']);
    expect(reasons(paid)?.slice(0, 2)).toEqual(['first breaker-open', 'second chosen']);
    expectOneStory(paid, all);
  });

  test('when it is half-open, one payment probes the route, and a success closes it', async () => {
    let up = false;
    const all = acquirers({ first: { send: [() => (up ? approved : notSent)] } });
    const workers = await opened(all);
    workers.advance(limits.routeOpenMs);
    const before = sends(all.first);
    await workers.finish(await accepted(atFirst()));
    await workers.finish(await accepted(atFirst()));
    expect(sends(all.first)).toBe(before + 1);
    up = true;
    workers.advance(limits.routeOpenMs * 2);
    expect(await workers.finish(await accepted(atFirst()))).toMatchObject({ status: 'approved', processor: 'first' });
    expect(await workers.finish(await accepted(atFirst()))).toMatchObject({ status: 'approved', processor: 'first' });
  });

  test('does not stop a payment that has no other route', async () => {
    let up = false;
    const all = acquirers({ first: { send: [() => (up ? approved : notSent)] } });
    const workers = await opened(all);
    up = true;
    const { routing: _none, ...single } = atFirst();
    expect(await workers.finish(await accepted(single))).toMatchObject({ status: 'approved', processor: 'first' });
    // The acquirer was reached: payments with a choice of routes use it again.
    expect(await workers.finish(await accepted(atFirst()))).toMatchObject({ processor: 'first' });
  });

  test('when all routes are open, the first is tried again, and the payment fails', async () => {
    const down = { send: [notSent] };
    const all = acquirers({ first: down, second: down, third: down });
    const workers = await opened(all);
    for (let n = 0; n < limits.routeFailuresMax; n += 1) await workers.finish(await accepted(atFirst()));
    const before = sends(all.first);
    const failed = await workers.finish(await accepted(atFirst()));
    expect(failed.status).toBe('failed');
    expect(sends(all.first)).toBe(before + 1);
  });

  test('does not stop an operation on a payment at this route', async () => {
    const all = acquirers({ first: { send: [notSent] } });
    const workers = await opened(all);
    const paid = await workers.finish(await accepted({ ...atFirst(), processor: 'second', acquirer: 'b' }));
    for (let n = 0; n < limits.routeFailuresMax; n += 1) workers.deps.routes.begin(paid)(notSent);
    expect(workers.deps.routes.isOpen(paid)).toBe(true);
    expect((await workers.step(await refunding(paid))).status).toBe('partially-refunded');
  });
});
