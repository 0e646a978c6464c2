/** From a payment to the requests of the processor port: a part that was sent is in its place, and a part that was not is left out. */
import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import {
  authorizeRequest,
  followUpRequest,
  inquireRequest,
  reverseRequest,
} from '../../../workers/processor/processor-requests.js';
import { createdPayment, firstTx, start } from '../../domain/payment/a-payment.js';

const card = { number: '4242424242424242', expMonth: 12, expYear: 2034 };
const payee = { name: 'Shop', country: 'UY' };

function authorize(more: object = {}, { saved, customer }: { saved?: object; customer?: object } = {}) {
  const payment = { ...createdPayment({ payee, cvc: undefined }), ...more } as Payment;
  const deps = {
    vault: { open: async () => Buffer.from(JSON.stringify(card)) },
    instruments: { find: async () => saved },
    customers: { find: async () => customer },
  };
  return authorizeRequest(deps as never, payment, firstTx(payment).id);
}
const money = async (more: object) => (await authorize(more)).money;
const priced = (more: object) => money({ amount: { totalMinor: 1050, currency: 'USD', ...more } });
const credential = async (more: object, saved?: object) => (await authorize(more, saved ? { saved } : {})).credential;
const sourced = (source: string) => ({
  paymentMethod: { id: 'visa', name: 'Visa', type: 'card', source, card: { brand: 'visa' } },
});

describe('an authorization', () => {
  test('has only the required parts when nothing else is known', async () => {
    const payment = createdPayment({ payee, cvc: undefined });
    expect(await authorize(payment)).toEqual({
      key: firstTx(payment).id,
      amountMinor: 1050,
      currency: 'USD',
      acquirer: 'acquirer-a',
      merchant: { id: 1001, ...payee },
      traceId: payment.traceId,
      capture: true,
      verification: false,
      money: {},
      order: { referenceId: payment.referenceId, invoiceNumber: 'INV-1' },
      payer: {},
      credential: { source: 'card', card: { ...card, brand: 'visa' } },
    });
  });

  test('captures at once or later, or only verifies', async () => {
    expect(await authorize(createdPayment({ cvc: undefined }, 'authorization'))).toMatchObject({ capture: false });
    expect(await authorize({ purpose: 'verification' })).toMatchObject({ verification: true });
  });

  test('has the parts of the amount as they were sent, in detail or as one number', async () => {
    expect(await priced({ tipMinor: 10, taxMinor: 20, taxedAmountMinor: 30 })).toEqual({
      tip: { amountMinor: 10 },
      taxes: [{ law: 'none', amountMinor: 20 }],
      taxedAmountMinor: 30,
    });
    const details = {
      ...{ tip: { amountMinor: 1, description: 'tip' }, discount: { amountMinor: 2 }, shipping: { amountMinor: 3 } },
      ...{ surcharge: { amountMinor: 4 }, taxedAmountMinor: 5, tax: { type: '17934', amountMinor: 6, rate: '0.22' } },
    };
    expect(await priced({ tipMinor: 10, taxMinor: 20, taxedAmountMinor: 30, details })).toEqual({
      ...{ tip: details.tip, discount: details.discount, shipping: details.shipping, surcharge: details.surcharge },
      ...{ taxedAmountMinor: 5, taxes: [{ law: '17934', amountMinor: 6, rate: '0.22' }] },
    });
    expect(await priced({ taxMinor: 20, details: { tax: { type: '19210' } } })).toEqual({
      taxes: [{ law: '19210', amountMinor: 20 }],
    });
  });

  test('has the installments, and allows a partial approval only if the payment does', async () => {
    expect(await money({ installments: 3, installmentPlan: 'plan', allowPartialApproval: true })).toEqual({
      installments: 3,
      installmentPlan: 'plan',
      partialApprovalAllowed: true,
    });
    expect(await money({ allowPartialApproval: false })).toEqual({});
  });

  test('has the order and its items, without the metadata of the merchant', async () => {
    const item = { name: 'Tea', quantity: 2, price: '1.50' };
    const { order } = await authorize({
      statementDescriptor: 'SHOP',
      items: [{ ...item, metadata: [{ k: 'a', v: 'b' }] }],
      processorFields: [{ k: 'channel', v: 'web' }],
    });
    expect(order).toMatchObject({ statementDescriptor: 'SHOP', items: [item], fields: { channel: 'web' } });
    expect(order.items?.[0]).not.toHaveProperty('metadata');
  });

  test('has the browser, and what is known of the customer', async () => {
    const browserDetails = { ipAddress: '192.0.2.1', userAgent: 'x' };
    const { payer } = await authorize({ customerId: 'cus_1', browserDetails }, { customer: { email: 'a@b.example' } });
    expect(payer).toEqual({ browser: browserDetails, email: 'a@b.example', customerId: 'cus_1' });
  });

  test('has the claimed exemption', async () => {
    expect(await authorize({ exemption: 'low-value' })).toMatchObject({ proof: { exemption: 'low-value' } });
  });

  test.each([
    ['wallet-a-pay-token', 'wallet-a-pay'],
    ['wallet-b-pay-token', 'wallet-b-pay'],
    ['network-token', undefined],
  ])('has the source %s of a card, and its wallet', async (source, wallet) => {
    const said = await credential(sourced(source));
    expect([said.source, said.wallet]).toEqual([source, wallet]);
  });

  test('names the wallet of a saved card, and its use only if the card is saved for good', async () => {
    const saved = {
      ...{ card: {}, merchantId: 1001, source: 'wallet-b-pay-token', tokenizationType: 'persistent' },
      ...{ expMonth: 1, expYear: 2039, networkTransactionId: 'net-1', networkLinkId: 'link-1' },
    };
    expect(await credential({ ...sourced('token'), instrument: 'tok_1' }, saved)).toMatchObject({
      source: 'token',
      wallet: 'wallet-b-pay',
      card: { expMonth: 1, expYear: 2039 },
      stored: {
        ...{ initiator: 'payer', reason: 'unscheduled', use: 'subsequent' },
        ...{ networkTransactionId: 'net-1', networkLinkId: 'link-1' },
      },
    });
    expect(await credential({ instrument: 'tok_1' }, { ...saved, tokenizationType: 'temporal' })).not.toHaveProperty(
      'stored',
    );
  });
});

describe('the use of a stored card', () => {
  const stored = async (more: object, saved?: object) =>
    (await credential({ ...more, ...(saved && { instrument: 'tok_1' }) }, saved)).stored;
  const tokenization = (type: string) => ({ tokenization: { token: 'tok_1', type } });

  test('a card that is saved for good with this payment is in its first use, and any other has none', async () => {
    expect(await stored(tokenization('persistent'))).toEqual({
      initiator: 'payer',
      reason: 'unscheduled',
      use: 'first',
    });
    expect(await stored(tokenization('temporal'))).toBeUndefined();
    expect(await stored({})).toBeUndefined();
  });

  test('an initial recurring payment begins an agreement with the payer', async () => {
    const recurring = { type: 'initial', frequency: 'monthly', expiresAt: start };
    expect(await stored({ recurring, firstPayment: { networkTransactionId: 'n' } })).toEqual({
      ...{ initiator: 'payer', use: 'first', reason: 'recurring', frequency: 'monthly', expiresAt: start },
    });
  });

  test.each([
    [{ frequency: 'daily' }, 'recurring'],
    [{ frequency: 'weekly' }, 'recurring'],
    [{ frequency: 'yearly' }, 'recurring'],
    [{ frequency: 'unscheduled' }, 'unscheduled'],
    [{}, 'unscheduled'],
    [{ frequency: 'monthly', reason: 'installment' }, 'installment'],
  ])('an agreement %j is charged by the merchant as %s', async (agreement, reason) => {
    expect(await stored({ recurring: { type: 'subsequent', ...agreement } })).toMatchObject({
      ...{ initiator: 'merchant', use: 'subsequent', reason },
    });
  });

  test('network references of the first payment go everywhere, those of a processor only to that processor', async () => {
    const recurring = { type: 'subsequent' };
    const firstPayment = {
      ...{ processor: 'fake', processorReference: 'p', networkTransactionId: 'net-0', networkLinkId: 'link-0' },
    };
    expect(await stored({ recurring, firstPayment })).toMatchObject({
      ...{ networkTransactionId: 'net-0', networkLinkId: 'link-0' },
      firstPayment: { processorReference: 'p', networkTransactionId: 'net-0' },
    });
    const elsewhere = await stored({ recurring, firstPayment: { ...firstPayment, processor: 'other' } });
    expect(elsewhere).toMatchObject({ networkTransactionId: 'net-0' });
    expect(elsewhere).not.toHaveProperty('firstPayment');
    // When the network named nothing of the first payment, the reference of the saved card is used.
    const saved = { card: {}, expMonth: 1, expYear: 2039, networkTransactionId: 'net-1' };
    expect(await stored({ recurring, firstPayment: { processor: 'other' } }, saved)).toMatchObject({
      networkTransactionId: 'net-1',
    });
  });
});

describe('what follows an authorization', () => {
  const tx = (id: string, more: Partial<Transaction>) =>
    ({
      id,
      kind: 'capture',
      referenceId: id,
      amountMinor: 500,
      status: 'created',
      createdAt: start,
      ...more,
    }) as Transaction;
  const base = createdPayment({ payee });
  const purchase: Transaction = { ...firstTx(base), status: 'approved', processorReference: 'p-1', approvedMinor: 900 };
  const payment = (...transactions: Transaction[]): Payment => ({ ...base, transactions: [purchase, ...transactions] });
  const references = { createdAt: start, processorReference: 'p-1' };

  test('a capture, cancellation or refund names the transaction that it acts on', () => {
    const refund = tx('txn_r', {
      kind: 'refund',
      referenceId: 'refund-1',
      reason: 'fraud',
      description: 'why',
    } as never);
    const capture = tx('txn_c', { status: 'approved', processorReference: 'c-1' });
    expect(followUpRequest(payment(capture, refund), 'txn_r')).toEqual({
      ...{ key: 'txn_r', amountMinor: 500, currency: 'USD', acquirer: 'acquirer-a', traceId: base.traceId },
      merchant: { id: 1001, ...payee },
      ...{ original: purchase.id, originalReferences: references, originalAmountMinor: 1050 },
      captureReferences: { createdAt: start, processorReference: 'c-1' },
      order: { referenceId: base.referenceId, invoiceNumber: 'INV-1' },
      ...{ reason: 'fraud', description: 'why', referenceId: 'refund-1' },
    });
  });

  test('an operation of the gateway itself has no reference, and a failed capture is not named', () => {
    const own = tx('txn_own', { kind: 'cancellation', referenceId: 'txn_own' });
    for (const capture of [tx('txn_c', { status: 'failed' }), tx('txn_x', { kind: 'refund', status: 'approved' })]) {
      const request = followUpRequest(payment(capture, own), 'txn_own');
      expect(request).not.toHaveProperty('captureReferences');
      expect(request).not.toHaveProperty('referenceId');
    }
  });

  test.each([
    ['purchase', 'authorize'],
    ['authorization', 'authorize'],
    ['capture', 'capture'],
    ['cancellation', 'cancel'],
    ['refund', 'refund'],
    ['reversal', 'cancel'],
  ] as const)('an inquiry about a %s names the operation %s', (kind, operation) => {
    const isFirst = operation === 'authorize';
    const asked: Payment = isFirst
      ? { ...base, transactions: [{ ...purchase, kind }] }
      : payment(tx('txn_q', { kind, processorReference: 'q-1' }));
    const key = isFirst ? purchase.id : 'txn_q';
    expect(inquireRequest(asked, key)).toEqual({
      ...{ key, amountMinor: isFirst ? 1050 : 500, currency: 'USD', acquirer: 'acquirer-a', traceId: base.traceId },
      merchant: { id: 1001, ...payee },
      operation,
      references: { createdAt: start, processorReference: isFirst ? 'p-1' : 'q-1' },
      ...(!isFirst && { original: purchase.id, originalReferences: references }),
    });
  });

  test('only the first transaction of a verification is inquired about as verify', () => {
    const asked = (purpose: Payment['purpose'], more: Transaction[] = []) => ({ ...payment(...more), purpose });
    expect(inquireRequest(asked('verification'), purchase.id).operation).toBe('verify');
    const capture = tx('txn_c', {});
    expect(inquireRequest(asked('verification', [capture]), 'txn_c').operation).toBe('capture');
  });

  test('an inquiry about a key that the payment does not have has no amount and no original', () => {
    expect(inquireRequest(payment(), 'txn_none')).toMatchObject({
      ...{ key: 'txn_none', amountMinor: 0, operation: 'authorize', references: {} },
    });
    expect(inquireRequest(payment(), 'txn_none')).not.toHaveProperty('original');
  });

  test('a reversal takes back the approved amount, or else the whole requested amount', () => {
    expect(reverseRequest(payment(), purchase.id)).toEqual({
      ...{ key: `${purchase.id}-reverse`, amountMinor: 900, currency: 'USD', acquirer: 'acquirer-a' },
      ...{ merchant: { id: 1001, ...payee }, traceId: base.traceId },
      ...{ original: purchase.id, originalReferences: references },
    });
    const { approvedMinor: _, ...unsaid } = purchase;
    const whole = { ...base, transactions: [unsaid] };
    expect(reverseRequest(whole, purchase.id).amountMinor).toBe(1050);
  });

  test('a transaction of a route that was left is inquired about at that route', () => {
    const leftRoute = { processor: 'other', acquirer: 'acquirer-b', terminalNumber: 'T2' };
    const left = { ...purchase, id: 'txn_left', leftRoute } as Transaction;
    const request = inquireRequest({ ...base, transactions: [left, purchase] }, 'txn_left');
    expect(request).toMatchObject({ acquirer: 'acquirer-b', merchant: { terminalNumber: 'T2' } });
  });
});
