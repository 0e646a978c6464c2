/**
 * Makes every write of the API and of the workers, one after the other, on real documents. MongoDB refuses a write that drifts
 * from the description of a payment, so each write that succeeds proves that it does not drift (I2 included).
 */

import type { ApiDeps } from '../../api/deps.js';
import type { Caller } from '../../api/http/define-endpoint.js';
import { createPayment } from '../../api/payments/create-payment.js';
import {
  type PaymentRequestBody,
  paymentRequestSchema,
  type VerifyRequestBody,
  verifyRequestSchema,
} from '../../api/payments/payment-request.schema.js';
import { verifyPayment } from '../../api/payments/verify-payment.js';
import { loadConfig } from '../../config/index.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { renderCallback } from '../../shared/contract/present-payment.js';
import { planFanOut } from '../../shared/domain/callback/plan-fan-out.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import type { CallerOperation } from '../../shared/domain/payment/plan-operation.js';
import { lateApprovalReversed, planLateApproval } from '../../shared/domain/payment/plan-reversal.js';
import { planInquiry, planNotFound, planPending } from '../../shared/domain/payment/plan-unresolved.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import { createLog } from '../../shared/log.js';
import { createClaims } from '../../shared/store/claim-work.js';
import { createPaymentRepository, type PaymentRepository } from '../../shared/store/payment.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import {
  approved,
  declined,
  failed,
  firstTx,
  later,
  operated,
  settleContext,
  unresolvedContext,
} from '../domain/payment/a-payment.js';
import { paymentBody, testSettings } from '../support/gateway.js';
import { testMongoUri } from '../support/services.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
let payments: PaymentRepository;
let deps: ApiDeps;
beforeAll(async () => {
  store = await openPaymentStore('documents');
  payments = createPaymentRepository(store.database, true);
  const config = loadConfig(testSettings({ MONGODB_URI: testMongoUri('documents') }));
  const clock = { now: () => new Date() };
  const settings = {
    paymentProcessor: { id: 'fake', acquirer: 'acquirer-a' },
    merchantIdentificationNumber: '77',
    terminalNumber: '8',
  };
  deps = {
    config,
    clock,
    payments,
    vault: openVault(store.database, config, clock),
    merchants: { findMerchant: async () => undefined },
    customers: { find: async () => ({}) },
    methods: { findPaymentMethod: async () => ({ enabled: true, settings }) },
    chargeContexts: { now: async () => ({ environment: 'testing' }) },
    nudges: { ready: () => false, add: async () => false, close: async () => undefined },
    // The caller of these tests never waits: the tests need the document as it was accepted.
    outcomes: {
      channel: 'none',
      start: (payment: Payment) => ({ wait: async () => payment, cancel: () => undefined }),
    },
    // As for a processor that sends updates.
    updateReaders: { get: () => ({ read: () => ({ kind: 'verified', updates: [] }) }) },
    admissionLimit: { enter: () => ({ waitMs: 15_000, leave: () => undefined }) },
  } as unknown as ApiDeps;
});
afterAll(() => store?.close());

const caller: Caller = {
  principal: { clientId: 'cli_a', keyId: 'key_a', merchants: 'all' } as unknown as Caller['principal'],
  traceId: 'trace-1',
  log: createLog('test', 'silent'),
  onFlushed: () => undefined,
};

function validated<T>(
  schema: { validate(value: unknown, options: object): { error?: unknown; value: T } },
  body: unknown,
): T {
  const { error, value } = schema.validate(body, validationOptions);
  expect(error).toBeUndefined();
  return value;
}

async function accept(more: Record<string, unknown> = {}, card: Record<string, unknown> = {}): Promise<Payment> {
  const request = validated<PaymentRequestBody>(paymentRequestSchema as never, paymentBody(more, card));
  const { _id } = await createPayment(deps, request, caller);
  return store.read(_id);
}

const everything = {
  callbackUrl: 'https://shop.example/hook',
  redirectUrl: 'https://shop.example/back',
  installments: 3,
  customerId: 'cus_1',
  statementDescriptor: 'SHOP',
  metadata: { order: '7', note: 'x' },
  amount: {
    total: '121.00',
    currency: 'UYU',
    tip: 10,
    tax: '21',
    details: { discount: { amount: 1, description: 'd' } },
  },
  items: [{ name: 'Shoe', quantity: 2, price: '50.005', metadata: { size: '42' } }],
  browserDetails: { ipAddress: '203.0.113.7', userAgent: 'Browser/1' },
  recurring: { type: 'initial', frequency: 'monthly', expiresAt: '2030-01-01T00:00:00Z' },
};

describe('the document of an accepted payment', () => {
  test('has the first work and the first transaction', async () => {
    const payment = await accept();
    expect(payment).toMatchObject({ status: 'created', version: 1, eventSeq: 0, work: { kind: 'authorize', gen: 1 } });
    expect(payment.transactions).toMatchObject([{ kind: 'purchase', status: 'created', amountMinor: 1050 }]);
  });

  test('has every field of the request', async () => {
    const payment = await accept(everything);
    expect(payment).toMatchObject({
      amount: { totalMinor: 12_100, currency: 'UYU', tipMinor: 1_000, taxMinor: 2_100 },
      metadata: [
        { k: 'order', v: '7' },
        { k: 'note', v: 'x' },
      ],
      recurring: { expiresAt: new Date('2030-01-01T00:00:00Z') },
      merchantIdentificationNumber: '77',
      terminalNumber: '8',
    });
  });

  test.each([
    ['manual', { method: 'manual' }, { captureMethod: 'manual' }, 'authorization'],
    ['automatic', { method: 'automatic' }, { captureMethod: 'automatic' }, 'purchase'],
    ['delayed', { delay: 60 }, { captureMethod: 'automatic', captureDelaySeconds: 60 }, 'authorization'],
  ])('has the fields and the transaction of %s capture', async (_name, capture, fields, kind) => {
    const payment = await accept({ capture });
    expect(payment).toMatchObject(fields);
    expect(firstTx(payment).kind).toBe(kind);
  });

  test('is an authorization of the amount of a verification', async () => {
    const { merchantId, referenceId, paymentMethod } = paymentBody();
    const body = { merchantId, referenceId, amount: { currency: 'UYU' }, paymentMethod };
    const request = validated<VerifyRequestBody>(verifyRequestSchema as never, body);
    const payment = await store.read((await verifyPayment(deps, request, caller))._id);
    expect(payment).toMatchObject({
      purpose: 'verification',
      amount: { totalMinor: 2_500 },
      transactions: [{ kind: 'authorization' }],
    });
  });

  test('says that updates are taken when the processor of any of its routes sends them', async () => {
    const [a, b] = ['stripe', 'fake'].map((id) => ({ paymentProcessor: { id, acquirer: 'acquirer-a' } }));
    const { settings } = (await deps.methods.findPaymentMethod(1, 'visa')) ?? {};
    const request = () => validated<PaymentRequestBody>(paymentRequestSchema as never, paymentBody());
    const taken = async (sender: string) => {
      const methods = { findPaymentMethod: async () => ({ enabled: true, settings: { ...settings, routes: [a, b] } }) };
      const updateReaders = { get: (code: string) => (code === sender ? {} : undefined) };
      const { _id } = await createPayment({ ...deps, methods, updateReaders } as unknown as ApiDeps, request(), caller);
      const { processor, takesUpdates } = await store.read(_id);
      return [processor, takesUpdates];
    };
    expect(await taken('fake')).toEqual(['stripe', true]);
    expect(await taken('stripe')).toEqual(['stripe', true]);
    expect(await taken('adyen')).toEqual(['stripe', undefined]);
  });

  test('has card and CVC sealed: neither is readable anywhere in it', async () => {
    const payment = await accept(
      {},
      { number: '5555555555554444', cvc: '987', cardholder: { firstName: 'Ana', lastName: 'Paz' } },
    );
    const text = JSON.stringify(payment, (_key, value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
    expect(text).not.toContain('5555555555554444');
    expect(text).not.toMatch(/\b987\b/);
    expect(text).not.toContain('Paz');
    expect(payment.cvcDestroyAt).toBeInstanceOf(Date);
    expect((await accept({}, { cvc: undefined })).cvcDestroyAt).toBeUndefined();
  });
});

/** Makes every later write of the workers and the API, one after the other, on real documents. */
describe('later writes', () => {
  const claim = () => createClaims(store.payments, 'processor', () => later(1_000, new Date()), false).claim;
  const write = async (payment: Payment, next: Payment) => {
    const saved = await payments.save(payment, next);
    if (typeof saved === 'string') throw new Error(saved);
    return store.read(payment._id);
  };
  const context = () => ({ ...settleContext(new Date()), renderCallback });
  const settleLast = (payment: Payment, outcome: Outcome) =>
    write(payment, settle(payment, payment.activeOp?.txId ?? firstTx(payment).id, outcome, context()));
  const operate = (payment: Payment, kind: CallerOperation, amountMinor?: number) => {
    const tail = `${payment._id}_${payment.version}`;
    const said = { reason: 'return', metadata: [{ k: 'a', v: 'b' }] };
    const request = { ...said, referenceId: `op-${tail}`, txId: `txn_${tail}`, amountMinor, now: new Date() };
    return write(payment, operated(payment, kind, request));
  };
  const claimed = async (payment: Payment) => {
    await claim()({ paymentId: payment._id, txId: payment.work?.txId ?? '' });
    return store.read(payment._id);
  };

  test('are accepted from purchase and claim to refunds, fan-out and destruction of the card', async () => {
    const outcome = { ...approved, holdMs: 5 } as Outcome;
    let payment = await settleLast(await claimed(await accept(everything)), outcome);
    payment = await settleLast(await claimed(await operate(payment, 'refund', 100)), declined);
    payment = await settleLast(await claimed(await operate(payment, 'refund', 100)), approved);
    payment = await write(payment, planFanOut(payment, later(1e9, new Date())).payment);
    await payments.markAnswered(payment._id, payment.eventSeq, payment.eventSeq);
    payment = await settleLast(await claimed(await operate(await store.read(payment._id), 'refund')), approved);
    expect(payment.status).toBe('refunded');
    await payments.markAnswered(payment._id, payment.eventSeq, payment.eventSeq);
    await payments.destroyDueEnvelopes(later(1e12, new Date()));
    expect(await store.read(payment._id)).not.toHaveProperty('card');
  });

  test('are accepted for a hold that expires, a hold that is captured, and a verification', async () => {
    const held = await settleLast(await claimed(await accept({ capture: { method: 'manual' } })), approved);
    const expiring = planDeadline(held, { now: later(1e12, new Date()), txId: `txn_due_${held._id}` });
    expect((await settleLast(await claimed(await write(held, expiring as Payment)), declined)).status).toBe('expired');
    const other = await settleLast(await claimed(await accept({ capture: { method: 'manual' } })), approved);
    expect((await settleLast(await claimed(await operate(other, 'capture', 10)), approved)).status).toBe('approved');
    const verification = await accept({ capture: { method: 'manual' } });
    const released = await settleLast(
      await write(verification, { ...verification, purpose: 'verification' }),
      approved,
    );
    expect(released.activeOp).toBeDefined();
  });

  test('are accepted after an unknown outcome, a pending answer, a reversal and a late approval', async () => {
    const unknown = { ...unresolvedContext(later(1e9, new Date()), { tombstones: true }), renderCallback };
    let payment = await claimed(await accept(everything));
    payment = await write(payment, planInquiry(payment, payment.work as never, unresolvedContext(new Date())));
    payment = await write(payment, planPending(payment, payment.work as never, { ticket: 'T' }, unknown));
    const plan = planNotFound(payment, payment.work as never, unknown);
    payment = await write(payment, plan === 'failed' ? payment : plan);
    expect(payment.work?.kind).toBe('reverse');
    const lost = await settleLast(await claimed(await accept()), failed);
    payment = await write(lost, planLateApproval(lost, firstTx(lost).id, new Date()));
    payment = await write(payment, lateApprovalReversed(payment, firstTx(lost).id, new Date(), 'T-2'));
    expect(payment.status).toBe('failed');
  });

  test('leave no orphan (I2)', async () => {
    expect(await store.orphanIds()).toEqual([]);
  });
});
