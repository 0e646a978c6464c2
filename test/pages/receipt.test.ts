/** The receipt of a payment, which payers keep: the amount that was paid, in how many installments, and to whom. */
import { showReceipt } from '../../api/pages/checkout/show-receipt.js';
import type { HostedRequest } from '../../api/pages/http/hosted-request.js';
import { en } from '../../api/pages/texts/en.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { settle } from '../../shared/domain/payment/settle.js';
import type { Session } from '../../shared/domain/session/session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import {
  approved,
  approvedPayment,
  createdPayment,
  later,
  operated,
  paymentIn,
  settleContext,
} from '../domain/payment/a-payment.js';

const merchant = { id: 1001, name: 'Shop', legalName: 'Shop S.A.', taxId: '211003420017', embedOrigins: [] };
const amount = { totalMinor: 10_000, currency: 'USD' };

/**
 * Returns the text of the receipt, or where the payer is redirected instead.
 * @param first payment of the first try, when `payment` is that of the second
 */
async function receiptOf(
  payment: Payment | undefined,
  more: Partial<Session> = {},
  { link, first }: { readonly link?: object; readonly first?: Payment } = {},
) {
  const session = {
    ...{ _id: 'ses_1', tries: 1, referenceId: 'session-1', settings: { tokenization: { features: [] } } },
    paymentRequest: { referenceId: 'order-1', invoiceNumber: 'A-1', amount },
    ...more,
  };
  const tries = new Map([
    [paymentIdOfTry(session._id, session.tries), payment],
    ...(first ? [[paymentIdOfTry(session._id, 1), first] as const] : []),
  ]);
  const deps = {
    sessions: { findById: async () => session },
    payments: { findById: async (id: string) => tries.get(id) },
  };
  const hosted = { session, merchant, ...(link && { link }) };
  const answer = await showReceipt(deps as never, { hosted, language: 'en' } as unknown as HostedRequest);
  const page = 'page' in answer ? answer.page({ testing: false, operator: 'Gateway' } as never) : '';
  const text = page.replace(/<[^>]*>/g, '\n').replace(/\n\s*/g, '\n');
  return { text, see: 'redirectTo' in answer ? answer.redirectTo : undefined };
}
const paid = (more: Partial<Payment> = {}) => ({ ...approvedPayment(), amount, ...more });

test('a receipt has the amount, the payee, the card, the date and the references of the shop', async () => {
  const onNextDay = approvedPayment({ createdAt: later(86_400_000) });
  const payment = { ...onNextDay, amount, statementDescriptor: 'SHOP*ORDER', invoiceNumber: 'A-1' };
  const { text } = await receiptOf(payment);
  const facts = [
    'Shop S.A.',
    '211003420017',
    'Visa',
    '4242',
    'Mar 5, 2026',
    'order-1',
    'A-1',
    payment._id,
    'SHOP*ORDER',
  ];
  expect(facts.filter((fact) => !text.includes(fact))).toEqual([]);
  expect(text).toContain('100.00');
  expect(text).not.toContain('Installments');
});

test.each([
  [10_000, 'USD', 3, '3 payments of USD 33.34'],
  [10_000, 'USD', 4, '4 payments of USD 25.00'],
  [100, 'JPY', 3, '3 payments of JPY 34'],
])('%d %s in %d payments: %s', async (totalMinor, currency, installments, sentence) => {
  const { text } = await receiptOf(paid({ amount: { totalMinor, currency }, installments }));
  expect(text).toContain('Installments');
  expect(text).toContain(sentence);
});

test('a receipt shows the charged amount, not that of the session', async () => {
  const { text } = await receiptOf(paid({ amount: { totalMinor: 4_250, currency: 'UYU' } }));
  expect(text).toContain('42.50');
  expect(text).not.toContain('100.00');
});

test('a receipt of a link has no reference numbers of the gateway', async () => {
  const paymentLink = { id: 'lnk_1', externalId: '0'.repeat(32), displayName: 'Mate set' };
  const { text } = await receiptOf(paid(), { paymentLink }, { link: { fixed: true } });
  const { text: without } = await receiptOf(paid());
  const shows = (shown: string) => ['Mate set', 'order-1', 'INV-1'].map((part) => shown.includes(part));
  expect([shows(text), shows(without)]).toEqual([
    [true, false, false],
    [false, true, true],
  ]);
});

const transfer = { id: 'transfer', name: 'Bank transfer', type: 'bank-transfer', source: 'bank-transfer' } as const;
const takenBack = paid({ status: 'cancelled', paymentMethod: transfer });
test.each<[string, Payment | undefined]>([
  ['none', undefined],
  ['one under way', createdPayment({}, 'purchase')],
  ['one that was declined', paymentIn('denied')],
  ['a transfer that was cancelled since', takenBack],
])('a payment that is not paid has no receipt: %s', async (_name, payment) => {
  expect(await receiptOf(payment)).toEqual({ text: '', see: '/checkout/ses_1?lang=en' });
});

test('a payment that was refunded keeps its receipt and its date, and shows the refund', async () => {
  const refund = { amountMinor: 2_500, now: later(7 * 86_400_000), txId: 'txn_refund' };
  const asked = operated(paid({ capturedMinor: 10_000 }), 'refund', refund);
  const refunded = settle(asked, refund.txId, approved, settleContext(refund.now));
  expect([refunded.refundedMinor, refunded.processedAt]).toEqual([2_500, refund.now]);
  const { text } = await receiptOf(refunded);
  expect([text.includes('Mar 4, 2026'), text.includes('Mar 11, 2026')]).toEqual([true, false]);
  expect(text).toContain('100.00');
  expect(text).toContain('The shop returned USD 25.00 to you.');
});

test('a receipt says which other transfers the shop has to return: a second one, and one for an earlier code', async () => {
  const surplus = { reason: 'paid-twice', flagged: 'paid-twice: to be refunded' };
  const withSurplus = (payment: Payment) => ({
    ...payment,
    transactions: payment.transactions.flatMap((one) => [one, { ...one, ...surplus }]),
  });
  const says = ({ text }: { readonly text: string }) =>
    [en.transferTwice, en.transferEarlier].map((note) => text.includes(note));
  const second = paid({ attempt: 2 });
  expect(says(await receiptOf(paid()))).toEqual([false, false]);
  expect(says(await receiptOf(withSurplus(paid())))).toEqual([true, false]);
  expect(says(await receiptOf(second, { tries: 2 }, { first: paymentIn('expired') }))).toEqual([false, false]);
  const first = withSurplus(paymentIn('expired'));
  expect(says(await receiptOf(second, { tries: 2 }, { first }))).toEqual([false, true]);
});
