/** The wait for an outcome: by reply, by reading, or not at all, on the real MongoDB with replies of the test. */
import { getMaxListeners } from 'node:events';
import { answerOutcome, answerRepeatedCall, awaitAnswer, markAnswered } from '../../api/payments/answer-outcome.js';
import { createOutcomeWaiter } from '../../api/payments/await-outcome.js';
import { limits } from '../../config/limits.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment, TransactionKind } from '../../shared/domain/payment/payment.js';
import { planInstrumentSaved, savedInstrumentOf } from '../../shared/domain/payment/saved-instrument.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import { createLog } from '../../shared/log.js';
import { type Reply, toReply } from '../../shared/queue/reply-channel.js';
import { createPaymentRepository, type PaymentRepository } from '../../shared/store/payment.repository.js';
import { approved, createdPayment, declined, firstTx, later, settleContext } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { PATIENCE_MS } from '../support/patience.js';

let store: PaymentStore;
let payments: PaymentRepository;
beforeAll(async () => {
  store = await openPaymentStore('await_outcome');
  payments = createPaymentRepository(store.database, true);
});
afterAll(() => store?.close());

function waiter(more: { connected?: boolean; payments?: PaymentRepository; shutdown?: AbortSignal } = {}) {
  const listeners = new Map<string, (reply: Reply) => void>();
  const events: string[] = [];
  const outcomes = createOutcomeWaiter({
    replies: {
      channel: 'channel-1',
      connected: () => more.connected ?? true,
      listen: (id, listener) => {
        listeners.set(id, listener);
        return () => listeners.delete(id);
      },
    },
    payments: more.payments ?? payments,
    clock: { now: () => later(16_000) },
    renderCallback: () => '{}',
    shutdown: more.shutdown ?? new AbortController().signal,
    metrics: { event: (event) => void events.push(event) },
    log: createLog('test', 'silent'),
  });
  return { ...outcomes, listeners, events, reply: (reply: Reply) => listeners.get(reply.paymentId)?.(reply) };
}
const stored = async (more: Partial<Payment> = {}, kind: TransactionKind = 'purchase') => {
  const payment = createdPayment(more, kind);
  await store.put(payment);
  return payment;
};
/** Does what a worker does in two writes: a claim and an outcome. */
async function work(payment: Payment, outcome = approved): Promise<Payment> {
  const claimed = await payments.save(payment, { ...payment, traceId: 'claimed' });
  const done = await payments.update(claimed as Payment, (current) =>
    settle(current, firstTx(current).id, outcome, settleContext()),
  );
  return done as Payment;
}

const planSaved = (payment: Payment) => planInstrumentSaved(payment, true, () => '{}');

test('a reply is applied to the payment that the caller holds, without a read', async () => {
  const payment = await stored();
  const blind = { ...payments, findById: () => Promise.reject(new Error('no reading here')) };
  const { start, reply, listeners } = waiter({ payments: blind });
  const waiting = start(payment, firstTx(payment).id).wait(5_000);
  const done = await work(payment);
  reply(toReply(done, 'txn_other'));
  reply(toReply(done, firstTx(payment).id));
  const answer = await waiting;
  expect(answer).toMatchObject({ status: 'approved', version: done.version, capturedMinor: 1050, eventSeq: 2 });
  expect(listeners.size).toBe(0);
});

test('the reply of a worker that also saved the card needs no read either', async () => {
  const payment = await stored({ tokenization: { token: 'tok_1', type: 'persistent' } });
  const blind = { ...payments, findById: () => Promise.reject(new Error('no reading here')) };
  const { start, reply } = waiter({ payments: blind });
  const waiting = start(payment, firstTx(payment).id).wait(5_000);
  const saved = (await payments.update(await work(payment), planSaved)) as Payment;
  reply(toReply(saved, firstTx(payment).id, true));
  const answer = await waiting;
  expect(answer).toMatchObject({ status: 'approved', version: 4 });
  expect([answer.tokenizeAt, savedInstrumentOf(answer)?.token]).toEqual([undefined, 'tok_1']);
});

test('the reply of an earlier release, which does not say that the card was saved, causes a read', async () => {
  const payment = await stored({ tokenization: { token: 'tok_1', type: 'persistent' } });
  const { start, reply } = waiter();
  const waiting = start(payment, firstTx(payment).id).wait(5_000);
  const saved = (await payments.update(await work(payment), planSaved)) as Payment;
  await store.payments.updateOne({ _id: payment._id }, { $set: { invoiceNumber: 'INV-read' } });
  reply(toReply(saved, firstTx(payment).id));
  expect(await waiting).toMatchObject({ status: 'approved', invoiceNumber: 'INV-read', version: 4 });
});

test('a reply with another version causes a read, because another process wrote in between', async () => {
  const payment = await stored();
  const { start, reply } = waiter();
  const waiting = start(payment, firstTx(payment).id).wait(5_000);
  const done = await work((await payments.save(payment, { ...payment, invoiceNumber: 'INV-between' })) as Payment);
  reply(toReply(done, firstTx(payment).id));
  expect(await waiting).toMatchObject({ status: 'approved', invoiceNumber: 'INV-between', version: 4 });
});

test('a lost reply costs a read', async () => {
  const payment = await stored();
  const { start, events } = waiter({ connected: false });
  const waiting = start(payment, firstTx(payment).id).wait(PATIENCE_MS);
  await work(payment);
  expect((await waiting).status).toBe('approved');
  expect(events).toEqual(['reply-lost']);
});

test('while nothing is written, waiting callers read only versions', async () => {
  const held = [await stored(), await stored(), await stored()];
  let [looks, reads] = [0, 0];
  let looked: () => void = () => undefined;
  const allLooked = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const counting: PaymentRepository = {
    ...payments,
    findVersion: async (id) => {
      const version = await payments.findVersion(id);
      looks += 1;
      if (looks === 2 * held.length) looked();
      return version;
    },
    findById: (id) => {
      reads += 1;
      return payments.findById(id);
    },
  };
  const { start, events } = waiter({ connected: false, payments: counting });
  const waiting = held.map((payment) => start(payment, firstTx(payment).id).wait(PATIENCE_MS));
  await allLooked;
  expect(reads).toBe(0);
  await Promise.all(held.map((payment) => work(payment)));
  for (const { status } of await Promise.all(waiting)) expect(status).toBe('approved');
  expect(events).toEqual(['reply-lost', 'reply-lost', 'reply-lost']);
});

test('a payment that cannot be understood harms no call but its own, which ends as pending', async () => {
  const [broken, other] = [await stored(), await stored()];
  const looks: string[] = [];
  const foreign: PaymentRepository = {
    ...payments,
    findById: async (id) => {
      looks.push(id);
      const payment = await payments.findById(id);
      return id === broken._id ? ({ ...payment, transactions: undefined } as never) : payment;
    },
  };
  const escaped: unknown[] = [];
  const noteEscaped = (error: unknown) => void escaped.push(error);
  process.on('unhandledRejection', noteEscaped);
  const { start, reply, events } = waiter({ connected: false, payments: foreign });
  const waiting = start(broken, firstTx(broken).id).wait(limits.pollWithoutSubscriberMs * 5);
  const untouched = start(other, firstTx(other).id).wait(PATIENCE_MS);
  const done = await work((await payments.save(broken, { ...broken, invoiceNumber: 'INV-between' })) as Payment);
  await work(other);
  // Its version is another one than the call expects, so the payment is read; afterwards it is polled.
  reply(toReply(done, firstTx(broken).id));
  expect((await untouched).status).toBe('approved');
  expect(await waiting).toMatchObject({ _id: broken._id, status: 'pending' });
  expect(looks.filter((id) => id === broken._id).length).toBeGreaterThan(1);
  expect([escaped, events]).toEqual([[], ['reply-lost']]);
  process.off('unhandledRejection', noteEscaped);
});

test('at the end of the wait the payment is stored as pending, with its event', async () => {
  const payment = await stored({ callbackUrl: 'https://shop.example/hook' });
  const answer = await waiter().start(payment, firstTx(payment).id).wait(1);
  expect(answer.status).toBe('pending');
  expect(await store.read(payment._id)).toMatchObject({
    status: 'pending',
    eventSeq: 1,
    work: { kind: 'authorize' },
    announceAt: later(16_000),
  });
});

test('an outcome that is faster than the end of the wait is the answer', async () => {
  const payment = await stored();
  await work(payment, declined);
  expect((await waiter().start(payment, firstTx(payment).id).wait(1)).status).toBe('denied');
});

test('a call that finds the finished payment of another call answers with it and does not wait', async () => {
  const finished = await work(await stored());
  const asked: unknown[] = [];
  const nudges = { add: async (...job: unknown[]) => asked.push(job) > 0 };
  const awaited = { txId: firstTx(finished).id, waitMs: 1_000, sinceSeq: finished.eventSeq };
  const answer = await awaitAnswer({ outcomes: waiter(), nudges } as never, finished, {} as never, awaited);
  expect([answer.status, asked]).toEqual(['approved', []]);
});

test('a verification is answered and marked as authorized, however fast its release was', async () => {
  const payment = await stored({ purpose: 'verification', callbackUrl: 'https://shop.example/hook' }, 'authorization');
  const authorized = await work(payment);
  const release = authorized.transactions.at(-1)?.id ?? '';
  const released = (await payments.update(authorized, (current) =>
    settle(current, release, approved, settleContext()),
  )) as Payment;
  expect(released).toMatchObject({ status: 'cancelled', eventSeq: 3 });
  const marks: unknown[] = [];
  const marking = { ...payments, markAnswered: async (...args: unknown[]) => void marks.push(args) };
  const caller = { onFlushed: (callback: (flushed: boolean) => void) => callback(true) } as never;
  const deps = { outcomes: waiter(), nudges: { add: async () => true }, payments: marking } as never;
  const txId = firstTx(payment).id;
  const awaited = { txId, waitMs: 1, sinceSeq: 0 };
  expect((await awaitAnswer(deps, payment, caller, awaited)).status).toBe('authorized');
  expect((await answerRepeatedCall(deps, released, txId, caller)).status).toBe('authorized');
  expect(marks).toEqual([[payment._id, 1, 2]]);
});

test('a card that is still being saved is waited for, because its token belongs to the answer', async () => {
  const paid = await work(await stored());
  const saving = (await payments.save(paid, { ...paid, tokenizeAt: later(0) })) as Payment;
  const admissionLimit = { enterIfRoom: () => ({ waitMs: PATIENCE_MS, leave: () => undefined }) };
  const caller = { onFlushed: () => undefined } as never;
  const answer = answerRepeatedCall(
    { outcomes: waiter(), payments, admissionLimit } as never,
    saving,
    firstTx(saving).id,
    caller,
  );
  await payments.save(saving, { ...saving, tokenizeAt: undefined });
  expect((await answer).tokenizeAt).toBeUndefined();
  // When there is no room to wait, the answer is what is known.
  const full = { outcomes: waiter(), payments, admissionLimit: { enterIfRoom: () => undefined } } as never;
  expect(await answerRepeatedCall(full, saving, firstTx(saving).id, caller)).toBe(saving);
});

test('the end of the process ends the wait', async () => {
  const payment = await stored();
  const shutdown = new AbortController();
  const waiting = waiter({ shutdown: shutdown.signal }).start(payment, firstTx(payment).id).wait(60_000);
  shutdown.abort();
  expect((await waiting).status).toBe('pending');
  const late = await stored();
  expect((await waiter({ shutdown: shutdown.signal }).start(late, firstTx(late).id).wait(60_000)).status).toBe(
    'pending',
  );
});

test('a MongoDB that is away causes no error, because the payment is stored', async () => {
  const payment = createdPayment();
  const away = () => Promise.reject(new Error('away'));
  const answer = await waiter({ payments: { ...payments, findById: away, update: away } })
    .start(payment, firstTx(payment).id)
    .wait(1);
  expect(answer).toMatchObject({ _id: payment._id, status: 'pending' });
});

test('a caller that does not wait after all leaves no listener', async () => {
  const payment = createdPayment();
  const { start, listeners } = waiter();
  start(payment, firstTx(payment).id).cancel();
  expect(listeners.size).toBe(0);
});

describe('the answer', () => {
  const settled = (outcome: Outcome) => {
    const payment = createdPayment();
    return settle(payment, firstTx(payment).id, outcome, settleContext());
  };

  test('is the payment, or the error of the transaction with the id of the payment', () => {
    const paid = settled(approved);
    expect(answerOutcome(paid, firstTx(paid).id)).toBe(paid);
    const denied = settled(declined);
    expect(() => answerOutcome(denied, firstTx(denied).id)).toThrow(
      expect.objectContaining({
        code: 'declined-by-acquirer',
        declineCode: 'insufficient_funds',
        params: { paymentId: [denied._id] },
      }),
    );
    const pending = createdPayment();
    expect(answerOutcome(pending, firstTx(pending).id)).toBe(pending);
  });

  test('does not ask to retry what the processor of the payment never takes', () => {
    const errorBy = (outcome: Outcome): GatewayError => {
      const failed = settled(outcome);
      try {
        answerOutcome(failed, firstTx(failed).id);
      } catch (error) {
        return error as GatewayError;
      }
      throw new Error('it was answered');
    };
    const errorOf = (resultCode: string, resultMessage: string) =>
      errorBy({ kind: 'failed', resultCode, resultMessage });
    const notTaken = errorOf(responseCodes.notSupported, 'Not sent: acme takes no click-to-pay');
    expect([notTaken.code, notTaken.publicMessage]).toEqual([
      'acquirer-offline',
      'Not sent: acme takes no click-to-pay. No money moved; the same request would fail again.',
    ]);
    expect(errorOf(responseCodes.issuerInoperative, 'Acquirer offline').publicMessage).toMatch(/Retry later/);
    // An issuer may send the same code about a card: another card may pass.
    const byIssuer = errorBy({ ...declined, resultCode: responseCodes.notSupported });
    expect([byIssuer.code, byIssuer.publicMessage]).toEqual([
      'declined-by-acquirer',
      expect.not.stringContaining('would fail again'),
    ]);
  });

  test('is marked as answered only if it was sent completely and callbacks are subscribed', () => {
    const marks: unknown[] = [];
    const marking = {
      ...payments,
      markAnswered: async (...args: unknown[]) => void marks.push(args),
    } as PaymentRepository;
    const caller = (flushed: boolean) =>
      ({ onFlushed: (callback: (flushed: boolean) => void) => callback(flushed) }) as Parameters<
        typeof markAnswered
      >[0];
    const subscribed = { ...settled(approved), callbackUrl: 'https://shop.example/hook' };
    markAnswered(caller(false), marking, subscribed, 0);
    markAnswered(caller(true), marking, settled(approved), 0);
    markAnswered(caller(true), marking, subscribed, subscribed.eventSeq);
    expect(marks).toEqual([]);
    markAnswered(caller(true), marking, subscribed, 0);
    expect(marks).toEqual([[subscribed._id, 1, 2]]);
  });
});

test('as many calls as may wait can listen for the end of the process without a leak warning', () => {
  const shutdown = new AbortController();
  waiter({ shutdown: shutdown.signal });
  expect(getMaxListeners(shutdown.signal)).toBeGreaterThanOrEqual(limits.waitingMax);
});
