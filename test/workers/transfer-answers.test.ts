/** What each answer of a bank does to a payment by code: when the code is issued, while its transfer is awaited, and after its end. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { settle } from '../../shared/domain/payment/settle.js';
import { newWork } from '../../shared/domain/payment/work.js';
import type { CodeRequest, InquireRequest } from '../../shared/processors/processor.js';
import type { Pool } from '../../workers/pool.js';
import { createQrPool } from '../../workers/qr/qr-pool.js';
import { createdPayment, firstTx, operated, schedule, settleContext } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { readFields } from '../support/read-emv.js';
import { type WorkHarness, workHarness } from './work-harness.js';

const issued = {
  kind: 'issued',
  account: { scheme: 'example.bank', account: '0001', reference: 'REF1' },
  url: 'https://bank.example/pay/1',
} as const;
const payee = { name: 'Shop', country: 'UY', merchantCategoryCode: '5411' };
const silent = { kind: 'no-answer', internal: 'timeout' } as const;

let store: PaymentStore;
let harness: WorkHarness;
let pool: Pool | undefined;
beforeAll(async () => {
  store = await openPaymentStore('transfer_answers');
});
beforeEach(() => {
  harness = workHarness(store);
});
afterEach(async () => {
  await pool?.close();
  const orphans = await store.orphanIds();
  await store.payments.deleteMany({});
  expect(orphans).toEqual([]);
});
afterAll(() => store?.close());

type Asked = { question: 'issue' | 'find'; request: CodeRequest & InquireRequest };
interface Bank {
  readonly issue?: object;
  readonly find?: object | (() => Promise<object>);
}

/** Sets up a bank with one answer for each question; returns the list of what it is asked. `undefined`: the bank is not configured. */
function bankWith(bank: Bank | undefined): Asked[] {
  const asked: Asked[] = [];
  const answer = (question: Asked['question']) => async (request: Asked['request']) => {
    asked.push({ question, request });
    const said = bank?.[question];
    return typeof said === 'function' ? said() : said;
  };
  const processor = {
    code: 'fake',
    ...(bank?.issue && { issueCode: answer('issue') }),
    ...(bank?.find && { findTransfers: answer('find') }),
  };
  const given: object = {
    ...harness.deps,
    processors: { get: (code: string) => (bank && code === 'fake' ? processor : undefined) },
    links: { findToDraw: async () => [] },
  };
  pool = createQrPool(given as Parameters<typeof createQrPool>[0]);
  return asked;
}
const step = (payment: Payment) => harness.step(pool as Pool, payment);

async function put(more: Partial<Payment> = {}): Promise<Payment> {
  const now = harness.deps.clock.now();
  const { card: _, cvc: __, cvcDestroyAt: ___, ...payment } = createdPayment({ createdAt: now, payee, ...more });
  await store.put({
    ...payment,
    paymentMethod: { id: 'instant', name: 'Instant', type: 'bank-transfer', source: 'bank-transfer' },
    work: newWork('issue-code', firstTx(payment as Payment).id, now),
  } as Payment);
  return store.read(payment._id);
}
const waiting = async (bank: Bank, more: Partial<Payment> = {}) => {
  const asked = bankWith({ issue: issued, ...bank });
  const payment = await step(await put(more));
  asked.splice(0);
  return { asked, payment };
};
const transfer = (more: object = {}) => ({
  id: 'bank-1',
  paidAt: harness.deps.clock.now(),
  amountMinor: 1050,
  currency: 'USD',
  returned: false,
  ...more,
});
const waitOf = ({ work }: Payment) => (work?.dueAt.getTime() ?? 0) - harness.deps.clock.now().getTime();

describe('issuing a code', () => {
  test('the bank gets the amount, the merchant, the order and the expiry', async () => {
    const asked = bankWith({ issue: issued, find: silent });
    const before = await put({ merchantIdentificationNumber: 'MID' });
    await step(before);
    expect(asked).toMatchObject([
      {
        question: 'issue',
        request: {
          ...{ key: firstTx(before).id, amountMinor: 1050, currency: 'USD', acquirer: 'acquirer-a' },
          merchant: { id: 1001, ...payee, merchantIdentificationNumber: 'MID' },
          order: { referenceId: before.referenceId, invoiceNumber: 'INV-1' },
          expiresAt: new Date(before.createdAt.getTime() + schedule.codeExpiryMs),
          traceId: before.traceId,
        },
      },
    ]);
  });

  test('a payment shows the payload for the bank, its picture and its address', async () => {
    bankWith({ issue: { ...issued, ticket: 'T-1' }, find: silent });
    // The merchant changed after the payment was accepted.
    harness.deps.merchants.findMerchant = async () => ({ name: 'Moved', country: 'AR' });
    const payment = await step(await put());
    expect(payment).toMatchObject({
      status: 'pending',
      code: { url: issued.url },
      transactions: [{ status: 'pending', ticket: 'T-1' }],
      work: { kind: 'await-transfer', tries: 0 },
      expiresAt: new Date(payment.createdAt.getTime() + schedule.codeExpiryMs),
    });
    const { value = '', base64Image = '' } = payment.code ?? {};
    expect(Object.fromEntries(readFields(value))).toMatchObject({
      '52': '5411',
      '53': '840',
      '54': '10.50',
      '58': 'UY',
      '59': 'Shop',
      '60': 'NA',
    });
    expect(Buffer.from(base64Image, 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(harness.replies).toMatchObject([{ channel: 'channel' }]);
    expect(harness.outcomes).toEqual(['issued']);
  });

  test('a payment of an earlier release gets a code, even when its merchant is not known any more', async () => {
    const asked = bankWith({ issue: issued, find: silent });
    const payment = await step(await put({ payee: undefined as never }));
    expect(asked[0]?.request.merchant).toEqual({ id: 1001, name: '' });
    expect(Object.fromEntries(readFields(payment.code?.value ?? ''))).toMatchObject({ '52': '0000', '58': 'UY' });
    harness.deps.merchants.findMerchant = async () => ({ name: 'Found' });
    await step(await put({ payee: undefined as never }));
    expect(asked[1]?.request.merchant).toEqual({ id: 1001, name: 'Found' });
  });

  test.each([
    ['refused', { kind: 'declined', error: 'declined-by-acquirer', resultCode: '05', resultMessage: 'No' }, 'denied'],
    ['not possible there', { kind: 'failed', resultCode: '96', resultMessage: 'Down' }, 'failed'],
  ])('a code that is %s ends the payment', async (_what, issue, status) => {
    bankWith({ issue, find: silent });
    expect(await step(await put())).toMatchObject({
      status,
      transactions: [{ resultCode: issue.resultCode, resultMessage: issue.resultMessage }],
    });
    expect(harness.outcomes).toEqual([issue.kind]);
  });

  test.each([
    ['not reached', { kind: 'not-sent', internal: 'refused' }, 'refused'],
    ['of unknown fate', { kind: 'unknown', internal: 'timeout' }, 'timeout'],
  ])('a request %s is repeated with the same key, as often as allowed', async (_what, issue, reason) => {
    const asked = bankWith({ issue, find: silent });
    let payment = await put();
    for (let tries = 1; tries < schedule.notSentTriesMax; tries += 1) {
      payment = await step(payment);
      expect(payment).toMatchObject({ status: 'created', work: { kind: 'issue-code', tries } });
      expect(waitOf(payment)).toBeGreaterThan(0);
      expect(waitOf(payment)).toBeLessThanOrEqual(schedule.notSentRetryMs);
    }
    expect(await step(payment)).toMatchObject({
      status: 'failed',
      transactions: [{ resultCode: '91', resultMessage: 'Acquirer offline', errorCode: 'acquirer-offline' }],
    });
    expect(new Set(asked.map(({ request }) => request.key)).size).toBe(1);
    expect(asked).toHaveLength(schedule.notSentTriesMax);
    expect(harness.lines).toContainEqual(['code.no-answer', reason]);
  });

  test.each([
    ['that is not configured here', undefined],
    ['that issues no codes', { find: silent }],
  ])('a bank %s is treated like one that is not reached', async (_what, bank) => {
    bankWith(bank);
    expect(await step(await put())).toMatchObject({ status: 'created', work: { kind: 'issue-code', tries: 1 } });
    expect(harness.lines).toContainEqual(['code.no-answer', 'the processor is not configured in this process']);
    expect(harness.outcomes).toEqual(['no-answer']);
  });

  describe('too late to issue a code', () => {
    const late = async (find: object) => {
      const asked = bankWith({ issue: issued, find });
      const payment = await put();
      harness.advance(schedule.codeExpiryMs + 60_000);
      return { asked, payment };
    };

    test('no code is requested and the payment fails; the bank is asked about its money, now and later', async () => {
      const { asked, payment } = await late({ kind: 'not-found' });
      expect(await step(payment)).toMatchObject({
        status: 'failed',
        transactions: [{ resultMessage: 'Not sent: accepted too long ago' }],
        transferChecks: schedule.transferCheckAfterMs.map((ms) => new Date(harness.deps.clock.now().getTime() + ms)),
      });
      expect(asked).toMatchObject([{ question: 'find', request: { key: firstTx(payment).id } }]);
      expect(harness.outcomes).toEqual(['too-old']);
    });

    test('a payment of a restored backup whose code was paid meanwhile is approved', async () => {
      const paidAt = new Date(harness.deps.clock.now().getTime() + 1);
      const { payment } = await late({ kind: 'found', transfers: [transfer({ paidAt })] });
      expect(await step(payment)).toMatchObject({ status: 'approved', capturedMinor: 1050 });
    });

    test('a silent bank is asked again, then the payment fails and the bank is asked later', async () => {
      const { asked, payment } = await late(silent);
      let tried = payment;
      for (let tries = 1; tries < schedule.notSentTriesMax; tries += 1) {
        tried = await step(tried);
        expect(tried).toMatchObject({ status: 'created', work: { kind: 'issue-code', tries } });
      }
      const ended = await step(tried);
      expect([ended.status, ended.transferChecks?.length]).toEqual(['failed', schedule.transferCheckAfterMs.length]);
      expect(asked).toHaveLength(schedule.notSentTriesMax);
    });
  });
});

describe('a cancellation that is refused before there is a code', () => {
  /** Stores a payment whose code was not made in time, and whose cancellation the bank refused because it does not know the payment. */
  async function refused() {
    const now = harness.deps.clock.now();
    const before = await put({ status: 'pending' });
    const cancelled = operated(before, 'cancellation', { txId: 'txn_cancel', now });
    const answer = { kind: 'declined', resultCode: '25', resultMessage: 'Unable to locate record' } as const;
    const payment = settle(cancelled, 'txn_cancel', answer, settleContext(now));
    await harness.deps.payments.update(before, () => payment);
    return store.read(before._id);
  }

  test('the code is requested again, then its transfer is awaited', async () => {
    const asked = bankWith({ issue: issued, find: silent });
    const before = await refused();
    expect(before).toMatchObject({ status: 'pending', work: { kind: 'issue-code', txId: firstTx(before).id } });
    expect(await step(before)).toMatchObject({ code: { url: issued.url }, work: { kind: 'await-transfer' } });
    expect(asked).toMatchObject([{ question: 'issue', request: { key: firstTx(before).id } }]);
  });

  test('without a code in time the payment fails, and the cancellation keeps its answer', async () => {
    bankWith({ issue: issued, find: { kind: 'not-found' } });
    const before = await refused();
    harness.advance(schedule.codeExpiryMs + 60_000);
    expect(await step(before)).toMatchObject({
      status: 'failed',
      transactions: [{ resultMessage: 'Not sent: accepted too long ago' }, { status: 'denied', resultCode: '25' }],
    });
  });
});

describe('waiting for a transfer', () => {
  test('the bank is asked by the ticket that it gave to the code', async () => {
    const { asked, payment } = await waiting(
      { issue: { ...issued, ticket: 'T-1' }, find: { kind: 'not-found' } },
      { terminalNumber: 'POS-1' },
    );
    expect(await step(payment)).toMatchObject({ status: 'pending', work: { kind: 'await-transfer', tries: 0 } });
    expect(asked).toMatchObject([
      {
        question: 'find',
        request: {
          ...{ key: firstTx(payment).id, operation: 'issue-code', acquirer: 'acquirer-a', traceId: payment.traceId },
          ...{ amountMinor: 1050, currency: 'USD', references: { ticket: 'T-1' } },
          merchant: { id: 1001, name: 'Shop', terminalNumber: 'POS-1' },
        },
      },
    ]);
  });

  test('a payment whose transfer arrived is approved', async () => {
    const { payment } = await waiting({ find: async () => ({ kind: 'found', transfers: [transfer()] }) });
    expect(await step(payment)).toMatchObject({ status: 'approved', capturedMinor: 1050 });
    expect(harness.outcomes).toEqual(['issued', 'paid']);
  });

  test('a transfer of another amount does not pay, however often the bank is asked', async () => {
    const { payment } = await waiting({
      find: async () => ({ kind: 'found', transfers: [transfer({ amountMinor: 1049 })] }),
    });
    const again = await step(payment);
    expect(again).toMatchObject({ status: 'pending', capturedMinor: 0, work: { kind: 'await-transfer' } });
    await step(again);
    expect(harness.outcomes).toEqual(['issued', 'asked', 'asked']);
  });

  test('while no transfer has arrived, the bank is asked again', async () => {
    const { payment } = await waiting({ find: { kind: 'found', transfers: [] } });
    expect(await step(payment)).toMatchObject({ status: 'pending', work: { kind: 'await-transfer', tries: 0 } });
    expect(harness.outcomes).toEqual(['issued', 'asked']);
  });

  test('a final refusal by the bank denies the payment', async () => {
    const rejected = { resultCode: '05', resultMessage: 'Account closed' };
    const { payment } = await waiting({ find: { kind: 'found', transfers: [], rejected } });
    expect(await step(payment)).toMatchObject({ status: 'denied', transactions: [rejected] });
  });

  test('a silent bank is asked again, and the try is counted', async () => {
    const { payment } = await waiting({ find: silent });
    expect(await step(payment)).toMatchObject({ status: 'pending', work: { kind: 'await-transfer', tries: 1 } });
    expect(harness.lines).toContainEqual(['transfer.no-answer', 'the bank does not answer']);
    expect(harness.outcomes).toEqual(['issued', 'no-answer']);
  });

  test('a bank that is not configured here counts as silent', async () => {
    const { payment } = await waiting({ find: silent });
    await pool?.close();
    bankWith(undefined);
    expect(await step(payment)).toMatchObject({ status: 'pending', work: { tries: 1 } });
  });
});

describe('checking a code after its end', () => {
  /** Stores a paid payment and moves the clock to the first check of its code. */
  async function checked(find: Bank['find']) {
    const answers = { find: async (): Promise<object> => ({ kind: 'found', transfers: [transfer()] }) };
    const { asked, payment } = await waiting({ find: () => answers.find() });
    const paid = await step(payment);
    const dueMs = (paid.transferCheckAt?.getTime() ?? 0) - harness.deps.clock.now().getTime();
    harness.advance(dueMs);
    answers.find = async () => (typeof find === 'function' ? find() : (find ?? silent));
    asked.splice(0);
    return { asked, paid };
  }
  const sweep = async () => (await pool?.sweep())?.found;

  test('when nothing more arrived, the code is checked again at its next time', async () => {
    const { asked, paid } = await checked({ kind: 'not-found' });
    const before = paid.transferChecks?.length ?? 0;
    expect(await sweep()).toBe(1);
    expect(asked).toMatchObject([{ question: 'find', request: { key: firstTx(paid).id } }]);
    expect(await store.read(paid._id)).toMatchObject({ status: 'approved', capturedMinor: 1050 });
    expect((await store.read(paid._id)).transferChecks).toHaveLength(before - 1);
    expect(await sweep()).toBe(0);
  });

  test('a second transfer is recorded and flagged', async () => {
    const { paid } = await checked(async () => ({
      kind: 'found',
      transfers: [transfer(), transfer({ id: 'bank-2', paidAt: new Date(harness.deps.clock.now().getTime() + 1) })],
    }));
    await sweep();
    const payment = await store.read(paid._id);
    expect(payment.transactions).toHaveLength(2);
    expect(payment.alerts?.length).toBeGreaterThan(0);
  });

  test('a check that fails is logged and delays no other check', async () => {
    const { asked, paid } = await checked(() => Promise.reject(new Error('a defect')));
    const transactions = [{ ...firstTx(paid), id: 'txn_other' }];
    await store.put({ ...paid, _id: 'pay_other', refKeys: ['payment:other'], transactions });
    expect(await sweep()).toBe(2);
    expect(asked).toHaveLength(2);
    const named = harness.lines.filter(([message]) => message === 'transfer.not-checked');
    expect(named).toHaveLength(2);
  });

  test('bank and pictures are asked for also while the search for due work fails', async () => {
    const looked: string[] = [];
    const look = (what: string) => async () => {
      looked.push(what);
      return [];
    };
    const given: object = {
      ...harness.deps,
      payments: {
        ...harness.deps.payments,
        findDueWork: () => Promise.reject(new Error('no primary')),
        findTransferChecks: look('transfers'),
      },
      processors: { get: () => undefined },
      links: { findToDraw: look('pictures') },
    };
    const failing = createQrPool(given as Parameters<typeof createQrPool>[0]);
    expect(await failing.sweep()).toEqual({ found: 0, more: false });
    expect(looked).toEqual(['transfers', 'pictures']);
    expect(harness.lines.map(([message]) => message)).toEqual(['sweep.failed']);
    await failing.close();
  });

  test('a full page asks for the next sweep at once', async () => {
    bankWith({ find: { kind: 'not-found' } });
    harness.deps.payments.findTransferChecks = async () => [];
    expect(await pool?.sweep()).toEqual({ found: 0, more: false });
    const page = Array.from({ length: limits.sweepPageMax }, (_, n) => createdPayment({ _id: `pay_${n}` }));
    const given: object = {
      ...harness.deps,
      payments: { ...harness.deps.payments, findTransferChecks: async () => page, update: async () => undefined },
      processors: { get: () => undefined },
      links: { findToDraw: async () => [] },
    };
    const full = createQrPool(given as Parameters<typeof createQrPool>[0]);
    expect(await full.sweep()).toEqual({ found: limits.sweepPageMax, more: true });
    await full.close();
  });
});
