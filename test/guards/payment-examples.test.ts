/** Integrators build on the examples of the reference: a payment in them must be consistent like a real one. */
import { endpoints } from '../../api/routes.js';

interface Transaction {
  readonly type: string;
  readonly status: string;
  readonly amount: number;
  readonly referenceId: string;
}
interface Payment {
  readonly referenceId: string;
  readonly status: string;
  readonly amount: { readonly total: number; readonly captured: number; readonly refunded: number };
  readonly capture: { readonly method: string };
  readonly split?: readonly { readonly amount: number }[];
  readonly transactions: readonly [Transaction, ...Transaction[]];
}

/** Finds every payment in the examples of answers, with the path to it. */
function* paymentsIn(value: unknown, at: string): Generator<[string, Payment]> {
  if (typeof value !== 'object' || value === null) return;
  if ('transactions' in value) yield [at, value as Payment];
  for (const [key, inner] of Object.entries(value)) yield* paymentsIn(inner, `${at} ${key}`);
}

const shown = endpoints.flatMap(({ operationId, examples }) => [...paymentsIn(examples?.response ?? {}, operationId)]);
const sum = (amounts: readonly number[]) => amounts.reduce((total, one) => total + Math.round(one * 100), 0) / 100;

/** The status of a payment whose last approved transaction is of this type. */
const ends: Record<string, string> = {
  purchase: 'approved',
  authorization: 'authorized',
  capture: 'approved',
  cancellation: 'cancelled',
  refund: 'refunded',
};

test('the examples contain payments', () => expect(shown.length).toBeGreaterThan(6));

describe.each(shown)('%s', (_at, payment) => {
  const approved = payment.transactions.filter((one) => one.status === 'approved');
  const amountOf = (...types: string[]) =>
    sum(approved.filter((one) => types.includes(one.type)).map((one) => one.amount));

  test('its amounts match its transactions', () => {
    const { total, captured, refunded } = payment.amount;
    expect([captured, refunded]).toEqual([amountOf('purchase', 'capture'), amountOf('refund')]);
    expect(payment.transactions[0]).toMatchObject({ amount: total, referenceId: payment.referenceId });
    if (payment.split) expect(sum(payment.split.map((one) => one.amount))).toBe(total);
  });

  test('its status follows from its transactions', () => {
    expect(payment.status).toBe(ends[approved.at(-1)?.type ?? ''] ?? 'pending');
    const first = payment.capture.method === 'manual' ? 'authorization' : 'purchase';
    expect(payment.transactions[0].type).toBe(first);
  });
});
