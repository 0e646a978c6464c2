import { mongo } from 'mongoose';
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newClaimedWork, nextWork } from '../../shared/domain/payment/work.js';
import { createClaims } from '../../shared/store/claim-work.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createdPayment, firstTx, later, start } from '../domain/payment/a-payment.js';
import { faulty, openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('claims');
});
afterAll(() => store?.close());

describe.each([
  ['batched', true],
  ['alone', false],
])('claims sent %s', (_name, batched) => {
  const claims = (now = start, collection = store.payments) =>
    createClaims(collection, 'processor', () => now, batched).claim;
  const put = async (more: Partial<Payment> = {}) => {
    const payment = createdPayment(more);
    await store.put(payment);
    return payment;
  };
  const firstNudgeOf = (payment: Payment) => ({ paymentId: payment._id, txId: firstTx(payment).id });

  test('a claim sets a lease by the database clock and an attempt that proves a send', async () => {
    const payment = await put();
    const claimed = await claims()(firstNudgeOf(payment));
    const stored = await store.read(payment._id);
    expect(claimed).toEqual(stored);
    const { leaseToken, leaseUntil, attempt } = stored.work ?? {};
    expect(leaseToken).toEqual(expect.any(String));
    expect(attempt?.token).toBe(leaseToken);
    expect(stored.version).toBe(2);
    // The business clock of this test is in another year: the lease does not follow it.
    const leftMs = (leaseUntil?.getTime() ?? 0) - Date.now();
    expect(leftMs).toBeGreaterThan(limits.leaseMs - 3_000);
    expect(leftMs).toBeLessThanOrEqual(limits.leaseMs + 1_000);
  });

  test('four racing claimants claim each of hundreds of payments once', async () => {
    const payments = Array.from({ length: 300 }, () => createdPayment());
    await store.put(...payments);
    const claimants = Array.from({ length: 4 }, () => claims());
    const won = await Promise.all(
      claimants.map(async (claim, index) => {
        const order = index % 2 === 0 ? payments : [...payments].reverse();
        return (await Promise.all(order.map((payment) => claim(firstNudgeOf(payment))))).flatMap(
          (payment) => payment ?? [],
        );
      }),
    );
    const leases = new Map<string, number[]>();
    for (const { _id, work } of won.flat()) {
      leases.set(_id, [...(leases.get(_id) ?? []), work?.leaseUntil.getTime() ?? 0]);
    }
    expect(leases.size).toBe(300);
    // On a machine so slow that a lease ran out during the test, the next lease may begin after that, and not before.
    for (const ends of leases.values()) {
      const gaps = ends
        .sort((a, b) => a - b)
        .map((end, index) => (index === 0 ? Infinity : end - (ends[index - 1] ?? 0)));
      expect(Math.min(...gaps)).toBeGreaterThan(limits.leaseMs);
    }
  });

  test('a payment that is leased, not due yet, of another queue, or without work is not claimed', async () => {
    const claim = claims();
    const leased = await put();
    await claim(firstNudgeOf(leased));
    const early = createdPayment();
    const none = createdPayment();
    const { work: _gone, ...workless } = none;
    await store.put({ ...early, work: { ...early.work, dueAt: later(1) } as Payment['work'] }, workless);
    for (const payment of [leased, early, none, createdPayment()])
      expect(await claim(firstNudgeOf(payment))).toBeUndefined();
    expect(await claims(later(1))(firstNudgeOf(early))).toBeDefined();
    const other = await put();
    expect(
      await createClaims(store.payments, 'threeds', () => start, batched).claim(firstNudgeOf(other)),
    ).toBeUndefined();
  });

  test('a payment whose lease ran out is claimed by another worker, which inherits the attempt', async () => {
    const payment = await put();
    const first = await claims()(firstNudgeOf(payment));
    expect(await claims()(firstNudgeOf(payment))).toBeUndefined();
    await store.endLease(payment._id);
    const second = await claims()(firstNudgeOf(payment));
    expect(second?.work?.leaseToken).not.toBe(first?.work?.leaseToken);
    expect(second?.work?.attempt).toEqual(first?.work?.attempt);
  });

  test('a claimant whose own clock runs years ahead does not take a lease over', async () => {
    const payment = await put();
    await claims()(firstNudgeOf(payment));
    expect(await claims(new Date('2099-01-01'))(firstNudgeOf(payment))).toBeUndefined();
  });

  test('of several nudges for one payment only one claims it', async () => {
    const payment = await put();
    const claim = claims();
    const results = await Promise.all([
      claim(firstNudgeOf(payment)),
      claim(firstNudgeOf(payment)),
      claim(firstNudgeOf(payment)),
    ]);
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  test('a nudge for a finished transaction neither claims the next transaction nor uses up its lease', async () => {
    const payment = await put();
    const stale = { paymentId: payment._id, txId: 'txn_done' };
    expect(await claims()(stale)).toBeUndefined();
    expect((await store.read(payment._id)).work).toEqual(payment.work);
    const claim = claims();
    const [first, second] = await Promise.all([claim(stale), claim(firstNudgeOf(payment))]);
    expect(first).toBeUndefined();
    expect(second?._id).toBe(payment._id);
  });

  test('after a lost acknowledgement the token shows whether the claim was stored', async () => {
    const faults = faulty(store.payments);
    const claim = claims(start, faults.collection);
    const [won, never] = [await put(), await put()];
    faults.loseAnswer('findOneAndUpdate');
    expect((await claim(firstNudgeOf(won)))?._id).toBe(won._id);
    faults.loseRequest('findOneAndUpdate');
    expect(await claim(firstNudgeOf(never))).toBeUndefined();
    expect((await store.read(never._id)).work?.leaseToken).toBeUndefined();
    // Each claim is looked up by its token and not sent a second time.
    expect(faults.calls('find')).toBe(2);
    expect(faults.calls('findOneAndUpdate')).toBe(2);
  });

  test('after a lost acknowledgement of many claims the token shows which were stored', async () => {
    const faults = faulty(store.payments);
    const claim = claims(start, faults.collection);
    const payments = [await put(), await put(), await put()];
    const leased = payments[0] as Payment;
    const other = await claims()(firstNudgeOf(leased));
    faults.loseAnswer(batched ? 'updateMany' : 'findOneAndUpdate');
    const results = await Promise.all(payments.map((payment) => claim(firstNudgeOf(payment))));
    expect(results.map((payment) => payment?._id)).toEqual([undefined, payments[1]?._id, payments[2]?._id]);
    expect((await store.read(leased._id)).work?.leaseToken).toBe(other?.work?.leaseToken);
  });

  test('a claim that MongoDB refuses as invalid rejects, and does not count as taken by another worker', async () => {
    const faults = faulty(store.payments);
    const payment = await put();
    const refusal = new mongo.MongoServerError({ message: 'Document failed validation', code: 121 });
    faults.loseRequest('findOneAndUpdate', refusal);
    await expect(claims(start, faults.collection)(firstNudgeOf(payment))).rejects.toBe(refusal);
    expect((await store.read(payment._id)).work?.leaseToken).toBeUndefined();
  });

  test('a single claim is one command without a read', async () => {
    const faults = faulty(store.payments);
    const payment = await put();
    expect(await claims(start, faults.collection)(firstNudgeOf(payment))).toEqual(await store.read(payment._id));
    expect([faults.calls('findOneAndUpdate'), faults.calls('updateMany'), faults.calls('find')]).toEqual([1, 0, 0]);
  });

  test('released work is claimed again with a new lease token and the inherited attempt', async () => {
    const payment = await put();
    const claimed = await claims()(firstNudgeOf(payment));
    if (!claimed?.work) throw new Error('not claimed');
    const repository = createPaymentRepository(store.database, batched);
    const work = nextWork(claimed.work, 'inquire', start, 0);
    await repository.save(claimed, { ...claimed, work });
    const again = await claims()(firstNudgeOf(payment));
    expect(again?.work).toMatchObject({ kind: 'inquire', gen: 2, attempt: claimed.work.attempt });
    expect(again?.work?.leaseToken).not.toBe(claimed.work.leaseToken);
  });

  test('a payment of a newer release is neither claimed nor taken by its stored claim', async () => {
    const newer = await put({ schemaVersion: 2 });
    expect(await claims()(firstNudgeOf(newer))).toBeUndefined();
    const payment = createdPayment({ schemaVersion: 2 });
    const work = newClaimedWork(firstTx(payment).id, new Date(), 'token', limits.storedClaimLeaseMs);
    await store.put({ ...payment, work });
    const { takeStored } = createClaims(store.payments, 'processor', () => new Date(), batched);
    expect(await takeStored({ ...firstNudgeOf(payment), storedClaim: 'token' })).toBeUndefined();
    expect((await store.read(newer._id)).version).toBe(newer.version);
  });

  test('the leases that a worker holds are renewed, those of others are not', async () => {
    const repository = createPaymentRepository(store.database, batched);
    const [mine, theirs, released] = [await put(), await put(), await put()];
    const [a, b] = [await claims()(firstNudgeOf(mine)), await claims()(firstNudgeOf(theirs))];
    for (const payment of [mine, theirs]) await store.endLease(payment._id);
    await repository.renewLeases([mine._id, theirs._id, released._id], [a?.work?.leaseToken ?? '']);
    const untilOf = async (payment: Payment) => (await store.read(payment._id)).work?.leaseUntil.getTime() ?? 0;
    expect(await untilOf(mine)).toBeGreaterThan(Date.now() + limits.leaseMs - 3_000);
    expect(await untilOf(theirs)).toBeLessThan(Date.now());
    expect(await untilOf(released)).toBe(0);
    expect(b).toBeDefined();
    // A renewal does not change the version of the payment: the worker's compare-and-set still succeeds.
    expect((await store.read(mine._id)).version).toBe(a?.version);
  });

  describe('a payment with a stored claim', () => {
    const takes = (collection = store.payments) => createClaims(collection, 'processor', () => new Date(), batched);
    const putClaimed = async (leaseMs: number = limits.storedClaimLeaseMs) => {
      const payment = createdPayment();
      const work = newClaimedWork(firstTx(payment).id, new Date(), `token-of-${payment._id}`, leaseMs);
      await store.put({ ...payment, work });
      return store.read(payment._id);
    };
    const firstNudge = (payment: Payment) => ({ ...firstNudgeOf(payment), storedClaim: `token-of-${payment._id}` });

    test('is taken by its first nudge without a write, with the claim and the attempt of its insert', async () => {
      const faults = faulty(store.payments);
      const [one, other] = [await putClaimed(), await putClaimed()];
      const { takeStored } = takes(faults.collection);
      const taken = await Promise.all([one, other].map((payment) => takeStored(firstNudge(payment))));
      expect(taken).toEqual([one, other]);
      expect(taken[0]?.work?.attempt?.token).toBe(taken[0]?.work?.leaseToken);
      expect(await store.read(one._id)).toEqual(one);
      expect([faults.calls('findOneAndUpdate'), faults.calls('updateMany')]).toEqual([0, 0]);
    });

    test('belongs to its first nudge alone while its lease lasts', async () => {
      const payment = await putClaimed();
      expect(await takes().claim(firstNudgeOf(payment))).toBeUndefined();
      const results = await Promise.all([takes().claim(firstNudgeOf(payment)), takes().claim(firstNudge(payment))]);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(results[1]?.version).toBe(2);
    });

    test('is claimed by a late first nudge, which inherits the attempt: the earlier holder may have sent', async () => {
      const payment = await putClaimed(limits.storedClaimSendByMs - 1_000);
      expect(await takes().takeStored(firstNudge(payment))).toBeUndefined();
      const claimed = await takes().claim(firstNudge(payment));
      expect(claimed?.version).toBe(2);
      expect(claimed?.work?.attempt).toEqual(payment.work?.attempt);
      expect(claimed?.work?.leaseToken).not.toBe(payment.work?.attempt?.token);
    });

    test('is not taken once it is claimed, nor claimed again by its first nudge', async () => {
      const payment = await putClaimed();
      await store.endLease(payment._id);
      const claimed = await takes().claim(firstNudgeOf(payment));
      expect(claimed?.work?.attempt).toEqual(payment.work?.attempt);
      expect(await takes().takeStored(firstNudge(payment))).toBeUndefined();
      expect(await takes().claim(firstNudge(payment))).toBeUndefined();
    });

    test('the lease of a worker is not taken over by a first nudge', async () => {
      const payment = await put();
      await takes().claim(firstNudgeOf(payment));
      expect(await takes().takeStored(firstNudge(payment))).toBeUndefined();
      expect(await takes().claim(firstNudge(payment))).toBeUndefined();
    });

    test('is not taken by a nudge for another transaction, another insert or another queue', async () => {
      const payment = await putClaimed();
      expect(await takes().takeStored({ ...firstNudge(payment), txId: 'txn_other' })).toBeUndefined();
      expect(await takes().takeStored({ ...firstNudge(payment), storedClaim: 'of-another-insert' })).toBeUndefined();
      expect(await takes().claim({ ...firstNudge(payment), storedClaim: 'of-another-insert' })).toBeUndefined();
      expect(
        await createClaims(store.payments, 'qr', () => start, batched).takeStored(firstNudge(payment)),
      ).toBeUndefined();
    });
  });
});
