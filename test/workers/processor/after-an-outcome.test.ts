/** What the pool does beside its work: it bounds a slow acquirer, saves cards after a payment, and asks about refunds again. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Log, LogFields } from '../../../shared/log.js';
import { VaultError } from '../../../shared/vault/vault-error.js';
import { createAcquirerGate } from '../../../workers/processor/acquirer-gate.js';
import { checkRefunds } from '../../../workers/processor/check-refunds.js';
import type { ProcessorDeps } from '../../../workers/processor/processor-context.js';
import { noteOnCard, saveForgottenCards, saveInstrument } from '../../../workers/processor/save-instrument.js';
import { approvedPayment, createdPayment, firstTx, later, schedule, start } from '../../domain/payment/a-payment.js';

let lines: [string, LogFields][];
beforeEach(() => {
  lines = [];
});
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const clock = { now: () => start };
const failure = new Error('no primary');

describe('an acquirer that is slow', () => {
  let nowMs = 0;
  const gate = (slots: number, share = 0.5) => createAcquirerGate(slots, share, () => nowMs);
  beforeEach(() => {
    nowMs = 1_000;
  });

  test('has all slots while it is alone, and only its share once another acquirer enters', () => {
    const { enter } = gate(4);
    const held = Array.from({ length: 3 }, () => enter('slow'));
    expect(held.every(Boolean)).toBe(true);
    expect(enter('other')).toBeDefined();
    expect(enter('slow')).toBeUndefined();
    held[0]?.();
    expect(enter('slow')).toBeUndefined();
    held[1]?.();
    expect(enter('slow')).toBeDefined();
    expect(enter('slow')).toBeUndefined();
  });

  test('can use its slot again each time it has left', () => {
    const { enter } = gate(2);
    enter('other');
    for (let round = 0; round < 3; round += 1) {
      const leave = enter('slow');
      expect(enter('slow')).toBeUndefined();
      leave?.();
    }
  });

  test('has at least one slot', () => {
    const { enter } = gate(1, 0.1);
    enter('other');
    expect(enter('slow')).toBeDefined();
    expect(enter('slow')).toBeUndefined();
  });

  test('has all slots again when no other acquirer was seen for a while', () => {
    const { enter } = gate(2);
    enter('other');
    nowMs += limits.acquirerSeenMs;
    expect([enter('slow'), enter('slow')].map(Boolean)).toEqual([true, false]);
    nowMs += 1;
    expect(enter('slow')).toBeDefined();
  });
});

describe('a card that is saved with a payment', () => {
  const tokenization = { token: 'tok_1', type: 'persistent' } as const;
  const toSave = (more: Partial<Payment> = {}): Payment => {
    const payment = approvedPayment({ customerId: 'cus_1', tokenization, tokenizeAt: start, ...more });
    const transactions = [{ ...firstTx(payment), networkTransactionId: 'net-1' }];
    return { ...payment, transactions, ...more };
  };
  function deps({
    kept = true,
    current = undefined as Payment | undefined,
    due = [] as Payment[],
    insert = undefined as (() => Promise<boolean>) | undefined,
    found = undefined as object | undefined,
  } = {}) {
    const inserted: object[] = [];
    const asked: unknown[] = [];
    const removed: unknown[] = [];
    const written: (Payment | undefined)[] = [];
    const given = {
      payments: {
        update: async (payment: Payment, plan: (current: Payment) => Payment | undefined) => {
          written.push(plan(current ?? payment));
          return written.at(-1);
        },
        findById: async () => current,
        findToTokenize: async (...args: unknown[]) => {
          asked.push(args);
          return due;
        },
      },
      instruments: {
        insert: async (instrument: object) => {
          inserted.push(instrument);
          return insert ? insert() : kept;
        },
        remove: async (...args: unknown[]) => removed.push(args) > 0,
        find: async () => found,
      },
      vault: {
        open: async () => Buffer.from('{"number":"4242424242424242","expMonth":12,"expYear":2034}'),
        seal: async () => ({ kid: 'card:1' }),
      },
      bins: { find: async () => undefined },
      clock,
      log,
      renderCallback: () => 'body',
    };
    return { deps: given as never, inserted, asked, removed, written };
  }

  test('belongs to the payment, its customer and its method, and has the network id of the first charge', async () => {
    const { deps: given, inserted } = deps();
    const payment = toSave();
    const saved = await saveInstrument(given, payment);
    expect(inserted).toMatchObject([
      {
        ...{ _id: 'tok_1', clientId: 'cli_a', merchantId: 1001, customerId: 'cus_1', paymentId: payment._id },
        ...{ paymentMethodId: 'visa', tokenizationType: 'persistent', last4: '4242', createdAt: start },
        ...{ networkTransactionId: 'net-1' },
      },
    ]);
    expect(saved.tokenizeAt).toBeUndefined();
    expect(saved.tokenization).toEqual(tokenization);
  });

  test('of a customer that was deleted meanwhile is not kept', async () => {
    expect((await saveInstrument(deps({ kept: false }).deps, toSave())).tokenization).toBeUndefined();
  });

  test('is removed if it was deleted meanwhile, and stays if it was only saved already', async () => {
    const saved = toSave({ tokenizeAt: undefined });
    const deleted = { ...saved, tokenization: { ...tokenization, deleted: true as const } };
    const [again, once] = [deps({ current: deleted }), deps({ current: saved })];
    expect(await saveInstrument(again.deps, toSave())).toBe(deleted);
    expect(again.removed).toEqual([['cli_a', 'cus_1', 'tok_1']]);
    expect(await saveInstrument(once.deps, toSave())).toBe(saved);
    expect(once.removed).toEqual([]);
  });

  test.each([
    ['it has one already', { tokenizeAt: undefined }],
    ['it wants none', { tokenization: undefined }],
  ])('nothing is saved for a payment when %s', async (_what, more) => {
    const { deps: given, inserted } = deps();
    const payment = toSave(more as never);
    expect(await saveInstrument(given, payment)).toBe(payment);
    expect(inserted).toEqual([]);
  });

  test('is saved by the sweep after a process was killed, and one that fails delays no other', async () => {
    const [broken, other] = [toSave(), toSave()];
    let calls = 0;
    const {
      deps: given,
      inserted,
      asked,
      written,
    } = deps({
      due: [broken, other],
      insert: () => {
        calls += 1;
        return calls === 1 ? Promise.reject(failure) : Promise.resolve(true);
      },
    });
    await saveForgottenCards(given, later(7));
    expect(asked).toEqual([[later(7 - limits.saveForgottenMs), limits.sweepPageMax]]);
    expect(inserted).toHaveLength(2);
    // The payment whose card failed is tried again last.
    expect(written.map((payment) => payment?.tokenizeAt)).toEqual([later(7), undefined]);
    expect(lines).toEqual([['instrument.not-saved', { paymentId: broken._id, error: failure }]]);
  });

  test.each([
    ['does not open', 'envelope-invalid', false],
    ['has lost its key', 'key-unknown', false],
    ['waits for its master key', 'master-key-missing', true],
  ] as const)('a card that %s is given up only if no later try can help: %s', async (_what, code, goesOn) => {
    const given = deps({ due: [toSave()], insert: () => Promise.reject(new VaultError(code, 'no')) });
    await saveForgottenCards(given.deps, later(7));
    const [written] = given.written;
    expect([written?.tokenizeAt, written?.tokenization]).toEqual(
      goesOn ? [later(7), tokenization] : [undefined, undefined],
    );
    expect(lines).toMatchObject([['instrument.not-saved', {}]]);
  });

  test.each([
    ['given up', new VaultError('envelope-invalid', 'no')],
    ['put off', failure],
  ])('a card that cannot even be %s delays no other', async (_what, error) => {
    const [broken, other] = [toSave(), toSave()];
    let calls = 0;
    const insert = async () => {
      calls += 1;
      if (calls === 1) throw error;
      return true;
    };
    const { deps: given, written } = deps({ due: [broken, other], insert });
    const { payments } = given as ProcessorDeps;
    const update = (payment: Payment, plan: (current: Payment) => Payment | undefined) =>
      payment === broken ? Promise.reject(failure) : payments.update(payment, plan);
    await saveForgottenCards({ ...(given as object), payments: { ...payments, update } } as never, later(7));
    expect(written).toMatchObject([{ _id: other._id, tokenizeAt: undefined, tokenization }]);
    expect(lines.at(-1)).toEqual(['instrument.not-saved', { paymentId: broken._id, error: failure }]);
  });

  test('a card that cannot be given up waits behind all others', async () => {
    const insert = () => Promise.reject(new VaultError('envelope-invalid', 'no'));
    const { deps: given, written } = deps({ due: [toSave()], insert });
    const instruments = { insert, find: () => Promise.reject(failure) };
    await saveForgottenCards({ ...(given as object), instruments } as never, later(7));
    expect(written).toMatchObject([{ tokenizeAt: later(7), tokenization }]);
  });

  test('a card that a killed process had stored stays, though it does not open any more', async () => {
    const insert = () => Promise.reject(new VaultError('envelope-invalid', 'no'));
    const { deps: given, written } = deps({ due: [toSave()], insert, found: {} });
    await saveForgottenCards(given, later(7));
    expect(written).toMatchObject([{ tokenizeAt: undefined, tokenization }]);
  });
});

describe('a saved card learns from its charge', () => {
  async function noted(more: object, tx: object) {
    const calls: unknown[][] = [];
    const payment = approvedPayment({ instrument: 'tok_1', ...more });
    const charge = { ...firstTx(payment), ...tx };
    await noteOnCard(
      { instruments: { noteCharge: async (...args: unknown[]) => void calls.push(args) } } as never,
      payment,
      charge,
    );
    return calls.map(([clientId, token]) => [clientId, token]);
  }
  const named = { networkTransactionId: 'net-1' };

  test.each([
    ['its network reference', named],
    ['a new expiry', { updatedExpiry: { expMonth: 1, expYear: 2039 } }],
  ])('%s', async (_what, tx) => {
    expect(await noted({}, tx)).toEqual([['cli_a', 'tok_1']]);
  });

  test.each([
    ['of a card that is not saved', { instrument: undefined }, named],
    ['that says nothing new', {}, {}],
    ['that was declined', {}, { ...named, status: 'denied' }],
    ['of another attempt', {}, { ...named, id: 'txn_other' }],
  ])('nothing from a charge %s', async (_what, more, tx) => {
    expect(await noted(more, tx)).toEqual([]);
  });
});

describe('refunds are asked about again', () => {
  const check = (txId: string, ms = 0) => ({ txId, tries: 0, at: later(ms) });
  /** An approved payment with approved refunds of 100 minor units each. */
  function refunded(ids: readonly string[], checks = ids.map((id) => check(id))): Payment {
    const payment = approvedPayment();
    const refund = (id: string) =>
      ({ id, kind: 'refund', referenceId: id, amountMinor: 100, status: 'approved', createdAt: start }) as const;
    return {
      ...payment,
      status: 'partially-refunded',
      refundedMinor: 100 * ids.length,
      transactions: [...payment.transactions, ...ids.map(refund)],
      refundChecks: checks,
      refundCheckAt: start,
    };
  }
  /** @param answers by the key that is asked about; all other refunds are found approved */
  function deps(due: readonly Payment[], answers: Readonly<Record<string, object | Error>> = {}, traits: object = {}) {
    const inquired: string[] = [];
    const asked: unknown[] = [];
    const saved: Payment[] = [];
    const inquire = async ({ key }: { key: string }) => {
      inquired.push(key);
      const said = answers[key] ?? { kind: 'found', outcome: { kind: 'approved' } };
      if (said instanceof Error) throw said;
      return said;
    };
    const given = {
      payments: {
        findRefundChecks: async (...args: unknown[]) => {
          asked.push(args);
          return due;
        },
        update: async (payment: Payment, plan: (current: Payment) => Payment | undefined) => {
          const after = plan(payment);
          if (after) saved.push(after);
          return after;
        },
      },
      processors: { get: (code: string) => (code === 'fake' ? { inquire, traits } : undefined) },
      nudges: { add: async () => true },
      metrics: { event: () => undefined },
      renderCallback: () => 'body',
      ...{ clock, log, schedule },
    };
    return { deps: given as never, inquired, asked, saved };
  }
  const returned = (kind: string) => ({ kind: 'found', outcome: { kind, resultCode: '14', resultMessage: 'Closed' } });
  const logged = () => lines.filter(([message]) => message === 'refund.failed-later');

  test('due refunds are asked about, as many at once as allowed, and unchanged ones again later', async () => {
    const ids = Array.from({ length: limits.refundChecksAtOnceMax + 1 }, (_, n) => `txn_${n}`);
    const payment = refunded(ids, [...ids.map((id) => check(id)), check('txn_later', 1)]);
    const { deps: given, inquired, asked, saved } = deps([payment]);
    expect(await checkRefunds(given, start)).toBe(1);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
    expect(inquired).toEqual(ids.slice(0, -1));
    const due = (saved[0]?.refundChecks ?? []).filter(({ at }) => at <= start).map(({ txId }) => txId);
    expect(due).toEqual([ids.at(-1)]);
    expect(saved[0]?.refundChecks?.find(({ txId }) => txId === 'txn_0')).toMatchObject({ tries: 1 });
    expect(logged()).toEqual([]);
  });

  test('a refund about which the processor cannot be asked stays due, and the others of its payment are checked', async () => {
    const failure = new Error('no such field');
    const payment = refunded(['txn_a', 'txn_b', 'txn_c']);
    const { deps: given, saved } = deps([payment], { txn_a: failure, txn_b: returned('failed') });
    await checkRefunds(given, start);
    expect(saved[0]?.refundChecks?.map(({ txId, tries, at }) => [txId, tries, at <= start])).toEqual([
      ['txn_a', 0, true],
      ['txn_c', 1, false],
    ]);
    expect(logged()).toMatchObject([['refund.failed-later', { txId: 'txn_b' }]]);
    expect(lines).toContainEqual(['refund.not-checked', { paymentId: payment._id, txId: 'txn_a', error: failure }]);
  });

  test.each(['failed', 'declined'])('a refund with the answer %s is returned and logged', async (kind) => {
    const payment = refunded(['txn_a', 'txn_b']);
    const { deps: given, saved } = deps([payment], { txn_a: returned(kind) });
    await checkRefunds(given, start);
    expect(saved).toMatchObject([{ refundedMinor: 100, refundChecks: [{ txId: 'txn_b', tries: 1 }] }]);
    expect(logged()).toEqual([
      ['refund.failed-later', { paymentId: payment._id, txId: 'txn_a', traceId: payment.traceId }],
    ]);
  });

  test('a refund that another process has returned meanwhile is not reported a second time', async () => {
    const { deps: given, saved } = deps([refunded(['txn_a', 'txn_b'])], { txn_a: returned('failed') });
    const { payments } = given as ProcessorDeps;
    const elsewhere = { ...refunded(['txn_b']), version: 9 };
    const update = (_read: Payment, plan: (current: Payment) => Payment | undefined) =>
      payments.update(elsewhere, plan);
    await checkRefunds({ ...(given as ProcessorDeps), payments: { ...payments, update } } as ProcessorDeps, start);
    expect(saved).toMatchObject([{ version: 9, refundedMinor: 100 }]);
    expect(logged()).toEqual([]);
  });

  test.each([
    ['not found', { kind: 'not-found' }],
    ['pending', { kind: 'found', outcome: { kind: 'pending' } }],
    ['not answered', { kind: 'no-answer', internal: 'x' }],
  ])('a refund that is %s stays as it is', async (_what, answer) => {
    const { deps: given, saved } = deps([refunded(['txn_a'])], { txn_a: answer });
    await checkRefunds(given, start);
    expect(saved).toMatchObject([{ refundedMinor: 100, refundChecks: [{ tries: 1 }] }]);
  });

  test('a refund of a processor that is not configured here stays too', async () => {
    const { deps: given, saved } = deps([{ ...refunded(['txn_a']), processor: 'other' }]);
    await checkRefunds(given, start);
    expect(saved).toMatchObject([{ refundedMinor: 100 }]);
  });

  test('a refund that only our database remembers is not asked about, as an inquiry would take it back', async () => {
    const settledByHand = refunded(['txn_a']);
    const {
      deps: given,
      inquired,
      saved,
    } = deps([settledByHand], { txn_a: returned('failed') }, { outcomesKeptHere: true });
    await checkRefunds(given, start);
    expect(inquired).toEqual([]);
    expect(saved).toMatchObject([{ status: 'partially-refunded', refundedMinor: 100, refundChecks: [{ tries: 1 }] }]);
  });

  test('a check that another process made first writes and logs nothing', async () => {
    const payment = refunded(['txn_a'], [check('txn_a', 5)]);
    const { deps: given, saved } = deps([payment], { txn_a: returned('failed') });
    await checkRefunds(given, later(5));
    expect([saved, logged()]).toEqual([[], []]);
  });

  test('a payment that cannot be checked delays no other', async () => {
    const [broken, other] = [refunded(['txn_a']), refunded(['txn_b'])];
    const unreadable = { ...refunded(['txn_c']), refundChecks: 'of another release' } as never;
    const { deps: given, saved } = deps([unreadable, broken, other], { txn_a: failure });
    expect(await checkRefunds(given, start)).toBe(3);
    expect(saved.map(({ _id }) => _id)).toEqual([other._id]);
    const { _id: paymentId } = unreadable as Payment;
    expect(lines).toEqual([
      ['refund.not-checked', { paymentId, error: expect.any(TypeError) }],
      ['refund.not-checked', { paymentId: broken._id, txId: 'txn_a', error: failure }],
    ]);
  });

  test('a payment without refunds is left alone', async () => {
    const { deps: given, saved } = deps([createdPayment()]);
    await checkRefunds(given, start);
    expect(saved).toEqual([]);
  });
});
