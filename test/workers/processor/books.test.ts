/** A processor's books compared with payments: which payments are looked at, which source decides, and what the operator learns. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import type { BookEntry, Finding } from '../../../shared/domain/reconcile/compare-books.js';
import type { Log, LogFields } from '../../../shared/log.js';
import { createBooksAudit } from '../../../workers/processor/books/audit-books.js';
import { compareWindow, listsBooks } from '../../../workers/processor/books/compare-window.js';
import { importFinding } from '../../../workers/processor/books/import-finding.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  failed as failedOutcome,
  firstTx,
  lastTx,
  later,
  operated,
  paymentIn,
  settleContext,
  start,
  unresolvedContext,
} from '../../domain/payment/a-payment.js';

const { booksMarginMs, booksMadeBeforeMs, booksGraceMs, booksWindowMs, booksEveryMs } = limits;
const { booksKeysAtOnce, booksKeysScannedFor } = limits;
const until = later(60_000);
const traits = { dedupes: true, tombstones: true, refundNeedsPan: false };
const approved = { kind: 'found', outcome: { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } } as const;

const entry = (key: string, more: Partial<BookEntry> = {}): BookEntry => ({
  ...{ at: later(1_000).toISOString(), kind: 'purchase', key, original: null, amountMinor: 1050, currency: 'USD' },
  ...{ result: 'approved', ...more },
});
/** Builds a processor that lists `entries` and gives every inquiry the same answer. */
function processorWith(entries: readonly BookEntry[], answer: object = { kind: 'not-found' }, more: object = {}) {
  const asked = { listed: [] as unknown[], inquired: [] as string[], requests: [] as object[] };
  const processor = {
    code: 'fake',
    traits: { ...traits, ...more },
    listSince: async (...args: unknown[]) => {
      asked.listed.push(args);
      return entries;
    },
    inquire: async (request: { key: string }) => {
      asked.inquired.push(request.key);
      asked.requests.push(request);
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
  return { processor: processor as never, asked };
}
/** Builds a store that finds payments in three ways: by their time, by the index, and by a scan. */
function booksOf(made: readonly Payment[], indexed: readonly Payment[] = [], scanned: readonly Payment[] = []) {
  const asked: { made: unknown[]; by: [string, readonly string[]][] } = { made: [], by: [] };
  const failed: unknown[][] = [];
  const books = {
    payments: {
      async *pagesMadeWithin(...args: unknown[]) {
        asked.made.push(args);
        for (const payment of made) yield [payment];
      },
      findById: async (id: string) => [...made, ...indexed, ...scanned].find(({ _id }) => _id === id),
      findByTransactions: async (keys: readonly string[], where: 'index' | 'scan') => {
        asked.by.push([where, keys]);
        const all = where === 'index' ? indexed : scanned;
        return all.filter(({ transactions }) => transactions.some(({ id }) => keys.includes(id)));
      },
    },
    clientIds: async () => ['cli_a', 'cli_b'],
    notAsked: (...args: unknown[]) => void failed.push(args),
  };
  return { books, asked, failed };
}
const kinds = (findings: readonly Finding[]) => findings.map(({ kind }) => kind);

describe('comparing a window', () => {
  test('the books and payments that are read reach beyond the window that is judged', async () => {
    const { books, asked } = booksOf([]);
    const { processor, asked: listed } = processorWith([]);
    expect(await compareWindow(books, processor, start, until)).toEqual([]);
    expect(listed.listed).toEqual([[later(-booksMarginMs), later(60_000 + booksMarginMs)]]);
    const [since, end] = [later(-booksMadeBeforeMs), later(60_000 + booksMarginMs)];
    expect(asked.made).toEqual([
      ['cli_a', since, end],
      ['cli_b', since, end],
    ]);
  });

  test('entries of other times are looked up by their keys: first by the index, then by a scan', async () => {
    const [made, indexed, scanned] = [approvedPayment(), approvedPayment(), approvedPayment()];
    const [one, two, three] = [made, indexed, scanned].map((payment) => firstTx(payment).id) as [
      string,
      string,
      string,
    ];
    const { books, asked } = booksOf([made], [indexed], [scanned]);
    const entries = [one, two, three].map((key) => entry(key));
    expect(await compareWindow(books, processorWith(entries).processor, start, until)).toEqual([]);
    expect(asked.by).toEqual([
      ['index', [two, three]],
      ['scan', [three]],
    ]);
  });

  test('many keys are looked up in parts, with the originals that operations act on', async () => {
    const { books, asked } = booksOf([]);
    const entries = Array.from({ length: booksKeysAtOnce }, (_, n) => entry(`txn_${n}`));
    entries.push(entry('txn_refund', { kind: 'refund', original: 'txn_of' }));
    const found = await compareWindow(books, processorWith(entries).processor, start, until);
    expect(found).toHaveLength(booksKeysAtOnce + 1);
    expect(asked.by.map(([where, keys]) => [where, keys.length])).toEqual([
      ['index', booksKeysAtOnce],
      ['index', 2],
      ['scan', booksKeysAtOnce + 2],
    ]);
    expect(asked.by[1]?.[1]).toEqual(['txn_refund', 'txn_of']);
  });

  test('a scan of all payments takes as many keys as a statement allows', async () => {
    const { books, asked } = booksOf([]);
    const entries = Array.from({ length: booksKeysScannedFor + 1 }, (_, n) => entry(`txn_${n}`));
    expect(await compareWindow(books, processorWith(entries).processor, start, until)).toHaveLength(entries.length);
    const scans = asked.by.filter(([where]) => where === 'scan');
    expect(scans.map(([, keys]) => keys.length)).toEqual([booksKeysScannedFor, 1]);
  });

  test.each([
    ['found', approved, true],
    ['not found', { kind: 'not-found' }, false],
    ['declined', { kind: 'found', outcome: { kind: 'declined' } }, false],
    ['not answered', { kind: 'no-answer', internal: 'x' }, true],
  ])('a payment that failed here but is approved there is inquired about: %s', async (_what, answer, remains) => {
    const created = createdPayment();
    const { id } = firstTx(created);
    const failed = settle(created, id, failedOutcome, settleContext());
    const { processor, asked } = processorWith([entry(id)], answer);
    const found = await compareWindow(booksOf([failed]).books, processor, start, until);
    expect(kinds(found)).toEqual(remains ? ['contradicted'] : []);
    expect(asked.inquired).toEqual([id]);
  });

  test.each([
    ['found', approved, false],
    ['not found', { kind: 'not-found' }, true],
    ['not answered', { kind: 'no-answer', internal: 'x' }, true],
  ])('a payment that is approved here but not listed there is inquired about: %s', async (_what, answer, remains) => {
    const payment = approvedPayment();
    const { processor } = processorWith([], answer);
    const found = await compareWindow(booksOf([payment]).books, processor, start, until);
    expect(kinds(found)).toEqual(remains ? ['missing'] : []);
  });

  test('a payment about which the processor cannot be asked stays different, and the others are compared', async () => {
    const [broken, there, lost] = [approvedPayment(), approvedPayment(), approvedPayment()];
    const failure = new Error('no such field');
    const { processor, asked } = processorWith([], ({ key }: { key: string }) => {
      if (key === firstTx(broken).id) throw failure;
      return key === firstTx(there).id ? approved : { kind: 'not-found' };
    });
    const { books, failed } = booksOf([broken, there, lost]);
    const found = await compareWindow(books, processor, start, until);
    expect(found.map(({ kind, paymentId }) => [kind, paymentId])).toEqual([
      ['missing', broken._id],
      ['missing', lost._id],
    ]);
    expect(asked.inquired).toHaveLength(3);
    expect(failed).toEqual([['fake', found[0], failure]]);
  });

  test('no inquiry is made about a certain finding, nor where an inquiry would send', async () => {
    const other = processorWith([entry('txn_other')]);
    expect(kinds(await compareWindow(booksOf([]).books, other.processor, start, until))).toEqual(['unknown-payment']);
    const sending = processorWith([], approved, { inquiresBySending: true });
    const found = await compareWindow(booksOf([approvedPayment()]).books, sending.processor, start, until);
    expect(kinds(found)).toEqual(['missing']);
    expect([other.asked.inquired, sending.asked.inquired]).toEqual([[], []]);
  });

  test('an adapter that has listSince lists its books', () => {
    expect(listsBooks(processorWith([]).processor)).toBe(true);
    expect(listsBooks({ code: 'fake' } as never)).toBe(false);
  });
});

describe('the audit', () => {
  let lines: [string, LogFields][];
  beforeEach(() => {
    lines = [];
  });
  const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };

  function audit({
    from = start as Date | 'taken',
    orphanPages = [{ found: [] }] as object[],
    more = {} as object,
  } = {}) {
    const calls: unknown[][] = [];
    const counted: unknown[][] = [];
    let now = later(booksGraceMs + 10_000);
    const { processor } = processorWith([entry('txn_lost')]);
    const audited = createBooksAudit({
      clock: { now: () => now },
      log,
      metrics: {
        event: (...args) => void counted.push(['event', ...args]),
        bookFindings: (counts) => void counted.push(['open', counts]),
        orphans: (count) => void counted.push(['orphans', count]),
      },
      books: booksOf([]).books,
      findings: {
        claim: async (...args: unknown[]) => {
          calls.push(['claim', ...args]);
          return from === 'taken' ? undefined : from;
        },
        advance: async (...args: unknown[]) => void calls.push(['advance', ...args]),
        note: async (_code: string, found: readonly Finding[]) =>
          found.map((one) => ({ ...one, isNew: true })) as never,
        countOpen: async () => ({ 'unknown-payment': 2 }),
      },
      payments: {
        findOrphans: async (...args: unknown[]) => {
          calls.push(['orphans', ...args]);
          return (orphanPages.shift() ?? { found: [] }) as never;
        },
      },
      processors: [processor, { code: 'lists-nothing' } as never],
      ...more,
    });
    const pass = (ms: number) => {
      now = later(ms, now);
    };
    return { sweep: () => audited.sweep(), calls, counted, pass, at: () => now };
  }

  test('a difference is logged once and counted, and the position advances', async () => {
    const { sweep, calls, counted, at } = audit();
    expect(await sweep()).toBe(1);
    expect(lines).toEqual([['books.differ', { code: 'fake', kind: 'unknown-payment', txId: 'txn_lost' }]]);
    expect(calls).toEqual([
      ['orphans', undefined, limits.orphansPage],
      ['claim', 'fake', at()],
      ['advance', 'fake', later(10_000), later(booksEveryMs, at())],
    ]);
    expect(counted).toContainEqual(['event', 'books-differ']);
    expect(counted).toContainEqual(['open', expect.objectContaining({ 'unknown-payment': 2, missing: 0, doubled: 0 })]);
  });

  test('books are compared although the search for orphans fails', async () => {
    const failing = { findOrphans: async () => Promise.reject(new Error('too slow')) };
    const { sweep, counted } = audit({ more: { payments: failing } });
    expect(await sweep()).toBe(1);
    expect(lines.map(([message]) => message)).toEqual(['payment.orphans-not-searched', 'books.differ']);
    expect(counted).toContainEqual(['event', 'books-differ']);
  });

  test('a known difference is not logged again', async () => {
    const { sweep, counted } = audit({
      more: {
        findings: {
          claim: async () => start,
          advance: async () => undefined,
          countOpen: async () => ({}),
          note: async () => [{ isNew: false }],
        },
      },
    });
    expect(await sweep()).toBe(0);
    expect([lines, counted.filter(([kind]) => kind === 'event')]).toEqual([[], []]);
  });

  test('a position far behind catches up one window at a time, without a pause', async () => {
    const { sweep, calls, at } = audit({ from: later(-2 * booksWindowMs) });
    await sweep();
    expect(calls.at(-1)).toEqual(['advance', 'fake', later(-booksWindowMs), at()]);
  });

  test('a window that is not old enough waits', async () => {
    const { sweep, calls, at } = audit({ from: later(10_000) });
    expect(await sweep()).toBe(0);
    expect(calls.at(-1)).toEqual(['advance', 'fake', later(10_000), later(booksEveryMs, at())]);
    expect(lines).toEqual([]);
  });

  test('a difference of a known payment names the payment', async () => {
    const missing = approvedPayment();
    const { processor } = processorWith([]);
    const { sweep } = audit({ more: { books: booksOf([missing]).books, processors: [processor] } });
    await sweep();
    const { _id: paymentId } = missing;
    expect(lines).toEqual([['books.differ', { code: 'fake', kind: 'missing', txId: firstTx(missing).id, paymentId }]]);
  });

  test('books that another process has claimed are not compared', async () => {
    const { sweep, calls } = audit({ from: 'taken' });
    expect(await sweep()).toBe(0);
    expect(calls.map(([name]) => name)).toEqual(['orphans', 'claim']);
  });

  test('books that cannot be compared are named, and other books are still compared', async () => {
    const silent = { code: 'silent', traits, listSince: () => Promise.reject(new Error('timeout')) };
    const { processor } = processorWith([entry('txn_lost')]);
    const { sweep } = audit({ more: { processors: [silent, processor] } });
    expect(await sweep()).toBe(1);
    expect(lines.map(([message, { code }]) => [message, code])).toEqual([
      ['books.not-compared', 'silent'],
      ['books.differ', 'fake'],
    ]);
  });

  test('orphans are found page by page, logged once, and counted until a round does not find them', async () => {
    const { sweep, calls, counted, pass } = audit({
      from: later(1e9),
      orphanPages: [
        { found: ['pay_1'], next: 'pay_5' },
        { found: ['pay_7'] },
        { found: ['pay_1'], next: 'pay_5' },
        { found: [] },
      ],
    });
    const counts = () => counted.splice(0).flatMap(([kind, count]) => (kind === 'orphans' ? [count] : []));
    await sweep();
    expect([counts(), lines.map(([message, { paymentId }]) => [message, paymentId])]).toEqual([
      [1],
      [['payment.orphaned', 'pay_1']],
    ]);
    await sweep();
    expect(calls.filter(([name]) => name === 'orphans')).toHaveLength(1);
    pass(limits.orphansEveryMs);
    await sweep();
    expect(counts()).toEqual([2, 2]);
    pass(limits.orphansEveryMs);
    await sweep();
    expect(counts()).toEqual([2]);
    pass(limits.orphansEveryMs);
    await sweep();
    expect(counts()).toEqual([2, 1]);
    expect(calls.filter(([name]) => name === 'orphans').map(([, cursor]) => cursor)).toEqual([
      ...[undefined, 'pay_5', undefined, 'pay_5'],
    ]);
    expect(lines).toHaveLength(2);
  });
});

describe('importing a finding', () => {
  const finding = (kind: Finding['kind'], more: Partial<Finding> = {}): Finding => ({
    ...{ kind, key: 'txn_lost', amountMinor: 1050, currency: 'USD', ...more },
  });
  function deps(payment?: Payment) {
    const occupied: unknown[][] = [];
    const state = { payment };
    const given = {
      payments: {
        findById: async (id: string) => (state.payment?._id === id ? state.payment : undefined),
        update: async (current: Payment, plan: (current: Payment) => Payment | undefined) => {
          const after = plan(current);
          if (after) state.payment = after;
          return after;
        },
      },
      reservations: { blockReference: async (...args: unknown[]) => void occupied.push(args) },
      clientOf: async (merchantId: number) => (merchantId === 1001 ? 'cli_a' : undefined),
      planContext: () => unresolvedContext(later(5_000)),
    };
    return { given: given as never, occupied, state };
  }
  const named = entry('txn_lost', { referenceId: 'order-1', merchantId: 1001 });

  test('the reference of an unknown payment is blocked', async () => {
    const { given, occupied } = deps();
    const done = await importFinding(given, processorWith([]).processor, finding('unknown-payment', { entry: named }));
    expect(done).toMatchObject({ kind: 'imported', note: expect.stringContaining('charged no second time') });
    expect(occupied).toEqual([['books:fake:txn_lost', 'cli_a', 'payment:order-1']]);
  });

  test.each([
    ['without its reference', entry('txn_lost', { merchantId: 1001 }), /does not say its reference/],
    ['without its merchant', entry('txn_lost', { referenceId: 'order-1' }), /does not say its reference/],
    ['of an unknown merchant', entry('txn_lost', { referenceId: 'order-1', merchantId: 7 }), /merchant is not known/],
    ['that the books do not hold', undefined, /does not say its reference/],
  ])('a payment %s needs a person', async (_what, line, note) => {
    const { given, occupied } = deps();
    const found = finding('unknown-payment', line ? { entry: line } : {});
    const done = await importFinding(given, processorWith([]).processor, found);
    expect(done).toEqual({ kind: 'refused', note: expect.stringMatching(note) });
    expect(occupied).toEqual([]);
  });

  test.each([
    ['contradicted', /refund it there/],
    ['missing', /ask the processor which is true/],
    ['amount-differs', /which amount is true/],
    ['doubled', /taken back/],
  ] as const)('a finding of the kind %s needs a person', async (kind, note) => {
    const done = await importFinding(deps().given, processorWith([]).processor, finding(kind));
    expect(done).toEqual({ kind: 'refused', note: expect.stringMatching(note) });
  });

  const settled = (payment: Payment) => {
    const { id: key } = firstTx(payment);
    return finding('not-settled', { key, paymentId: payment._id, entry: entry(key) });
  };

  test('an outcome that the gateway waits for is taken from the answer of the processor', async () => {
    const payment = createdPayment();
    const { given, state } = deps(payment);
    const answer = { kind: 'found', outcome: { ...approved.outcome, authorization: 'A-1' } };
    const { processor, asked } = processorWith([], answer);
    expect(await importFinding(given, processor, settled(payment))).toMatchObject({ kind: 'imported' });
    expect(state.payment).toMatchObject({ status: 'approved', transactions: [{ authorization: 'A-1' }] });
    expect(asked.inquired).toEqual([firstTx(payment).id]);
  });

  test.each([
    ['does not find it', { kind: 'not-found' }, {}],
    ['would be sent to again', approved, { inquiresBySending: true }],
  ])('the books decide when the processor %s', async (_what, answer, more) => {
    const payment = createdPayment();
    const { given, state } = deps(payment);
    const { processor } = processorWith([], answer, more);
    await importFinding(given, processor, settled(payment));
    expect(state.payment).toMatchObject({
      status: 'approved',
      transactions: [{ resultCode: '00', resultMessage: 'Approved, by the books of the processor' }],
    });
  });

  test.each([
    ['the processor', { kind: 'found', outcome: { ...approved.outcome, approvedMinor: 700 } }, 1050],
    ['its books', { kind: 'not-found' }, 700],
  ])('a part that %s calls approved is taken back', async (_who, answer, amountMinor) => {
    const payment = createdPayment();
    const { given, state } = deps(payment);
    const found = settled(payment);
    const line = entry(found.key, { amountMinor });
    expect(await importFinding(given, processorWith([], answer).processor, { ...found, entry: line })).toEqual({
      kind: 'imported',
      note: expect.stringContaining('taken back'),
    });
    expect(state.payment).toMatchObject({ status: 'pending', capturedMinor: 0, work: { kind: 'reverse' } });
  });

  test.each([
    ['less of a capture', { amountMinor: 500 }, 'capture'],
    ['more of a refund', { amountMinor: 1051 }, 'refund'],
    ['more than was asked for', { amountMinor: 1051 }, undefined],
    ['another currency', { currency: 'EUR' }, undefined],
  ] as const)('books that list %s do not settle it', async (_what, listed, operation) => {
    const before = operation === 'capture' ? authorizedPayment() : approvedPayment();
    const payment = operation ? operated(before, operation) : createdPayment();
    const { given, state } = deps(payment);
    const { id: key } = operation ? lastTx(payment) : firstTx(payment);
    const found = finding('not-settled', { key, paymentId: payment._id, entry: entry(key, listed) });
    const doubted = { kind: 'no-answer', internal: 'the answer approves an amount that was not asked for' };
    const done = await importFinding(given, processorWith([], doubted).processor, found);
    expect(done).toEqual({ kind: 'refused', note: expect.stringMatching(/: ask the processor which amount is true$/) });
    expect(state.payment).toBe(payment);
  });

  test('a verification that the books list with the amount 0 is approved', async () => {
    const payment = createdPayment({ purpose: 'verification' });
    const { given, state } = deps(payment);
    const found = settled(payment);
    const line = entry(found.key, { kind: 'verification', amountMinor: 0 });
    await importFinding(given, processorWith([]).processor, { ...found, entry: line });
    expect(state.payment).toMatchObject({ status: 'approved' });
  });

  test('an operation that the payment does not have is added, after an inquiry by its own key', async () => {
    const payment = authorizedPayment({ work: undefined });
    const { given, state } = deps(payment);
    const { processor, asked } = processorWith([], { kind: 'not-found' });
    const line = entry('txn_cap', { kind: 'capture', original: firstTx(payment).id });
    const found = finding('unknown-operation', { key: 'txn_cap', paymentId: payment._id, entry: line });
    expect(await importFinding(given, processor, found)).toMatchObject({ kind: 'imported' });
    expect(state.payment).toMatchObject({
      capturedMinor: 1050,
      transactions: [{}, { id: 'txn_cap', kind: 'capture' }],
    });
    expect(asked.requests).toMatchObject([
      {
        ...{ key: 'txn_cap', operation: 'capture', amountMinor: 1050, original: firstTx(payment).id },
        references: { createdAt: new Date(line.at) },
      },
    ]);
  });

  test.each([
    ['cancellation', 'cancel', authorizedPayment],
    ['refund', 'refund', approvedPayment],
  ] as const)('a %s is inquired about as its own operation', async (kind, operation, make) => {
    const payment = make({ work: undefined } as never);
    const line = entry('txn_op', { kind, original: firstTx(payment).id });
    const { processor, asked } = processorWith([]);
    const found = finding('unknown-operation', { key: 'txn_op', paymentId: payment._id, entry: line });
    expect(await importFinding(deps(payment).given, processor, found)).toEqual({
      kind: 'imported',
      note: 'the payment has it now',
    });
    expect(asked.requests).toMatchObject([{ key: 'txn_op', operation }]);
  });

  test('an operation that the payment has already is inquired about once, as it is stored', async () => {
    const payment = createdPayment();
    const { processor, asked } = processorWith([]);
    await importFinding(deps(payment).given, processor, settled(payment));
    expect(asked.requests).toMatchObject([{ key: firstTx(payment).id, operation: 'authorize', amountMinor: 1050 }]);
  });

  test.each([
    ['not found', { kind: 'not-found' }],
    ['pending', { kind: 'found', outcome: { kind: 'pending', resultMessage: 'later' } }],
    ['not answered', { kind: 'no-answer', internal: 'x' }],
  ])('an operation in flight that is %s stays in flight, and nothing is imported', async (_what, answer) => {
    const payment = createdPayment();
    const { given, state } = deps(payment);
    const inquire = ({ key }: { key: string }) => (key === firstTx(payment).id ? answer : { kind: 'not-found' });
    const line = entry('txn_refund', { kind: 'refund', original: firstTx(payment).id, amountMinor: 50 });
    const found = finding('unknown-operation', { key: 'txn_refund', paymentId: payment._id, entry: line });
    const { processor, asked } = processorWith([], inquire);
    expect((await importFinding(given, processor, found)).kind).toBe('refused');
    expect([state.payment, asked.inquired[0]]).toEqual([payment, firstTx(payment).id]);
  });

  test('an operation in flight is not inquired about where an inquiry would send', async () => {
    const payment = createdPayment();
    const { processor, asked } = processorWith([], approved, { inquiresBySending: true });
    const line = entry('txn_refund', { kind: 'refund', original: firstTx(payment).id, amountMinor: 50 });
    const found = finding('unknown-operation', { key: 'txn_refund', paymentId: payment._id, entry: line });
    await importFinding(deps(payment).given, processor, found);
    expect(asked.inquired).toEqual([]);
  });

  test('an import into a payment that is gone is refused', async () => {
    const payment = createdPayment();
    const { given } = deps(payment);
    const gone = { ...(given as object), payments: { findById: async () => payment, update: async () => undefined } };
    expect(await importFinding(gone as never, processorWith([]).processor, settled(payment))).toEqual({
      kind: 'refused',
      note: 'the payment is gone',
    });
  });

  test('an operation that was in flight when the backup was made is settled before the import', async () => {
    const payment = createdPayment();
    const { given, state } = deps(payment);
    const { processor, asked } = processorWith([], approved);
    const line = entry('txn_refund', { kind: 'refund', original: firstTx(payment).id, amountMinor: 50 });
    const found = finding('unknown-operation', {
      key: 'txn_refund',
      paymentId: payment._id,
      entry: line,
      amountMinor: 50,
    });
    expect(await importFinding(given, processor, found)).toMatchObject({ kind: 'imported' });
    expect(asked.inquired).toEqual([firstTx(payment).id, 'txn_refund']);
    expect(state.payment).toMatchObject({ status: 'partially-refunded', refundedMinor: 50 });
  });

  test.each([
    ['an unknown payment', undefined, true],
    ['nothing in the books', approvedPayment(), false],
  ])('an operation with %s needs a person', async (_what, payment, listed) => {
    const { given } = deps(payment);
    const found = finding('not-settled', {
      ...(payment && { paymentId: payment._id }),
      ...(listed && { entry: named }),
    });
    expect(await importFinding(given, processorWith([]).processor, found)).toEqual({
      kind: 'refused',
      note: 'what it acts on is not known: see the payment there',
    });
  });

  test('a finding that does not fit the payment is refused with the reason', async () => {
    const payment = paymentIn('cancelled');
    const line = entry('txn_cap', { kind: 'capture', original: firstTx(payment).id });
    const found = finding('unknown-operation', { key: 'txn_cap', paymentId: payment._id, entry: line });
    const { given, state } = deps(payment);
    const done = await importFinding(given, processorWith([]).processor, found);
    expect(done.kind).toBe('refused');
    expect(done.note.length).toBeGreaterThan(10);
    expect(state.payment).toBe(payment);
  });
});
