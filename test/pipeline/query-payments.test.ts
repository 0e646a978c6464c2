/** `GET /v1/payments/query`: compared with a filter in memory, while payments are written, and by indexes. */
import { endpoints } from '../../api/routes.js';
import { toDecimal } from '../../shared/domain/money/amount.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type PaymentStatus, paymentStatuses } from '../../shared/domain/payment/statuses.js';
import { type PaymentFilter, toPaymentConditions } from '../../shared/store/payment-query-conditions.js';
import { type Check, publishedDocument, publishedSchemas } from '../contract/published-schema.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const endpoint = endpoints.find(({ operationId }) => operationId === 'queryPayments');
/** Checks by status: compiling one takes far longer than a call. */
const checks = new Map<number, Check>();
const published = publishedSchemas(publishedDocument());

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'query', pools: ['processor'], settings: { RESPONSE_WAIT_MS: '60000' } });
  stored = Array.from({ length: 160 }, (_, index) => aPayment(index));
  await gateway.payments.collection.insertMany(stored.map((payment) => structuredClone(payment)));
});
afterAll(() => gateway?.close());

const asOther = (): CallOptions => ({ auth: `${gateway.sandbox.other.clientId}:${gateway.sandbox.other.apiKey}` });
const asSecondary = (): CallOptions => ({
  auth: `${gateway.sandbox.secondary.clientId}:${gateway.sandbox.secondary.apiKey}`,
});

type Parameters = Record<string, string | number>;

async function query(parameters: Parameters = {}, options?: CallOptions) {
  const text = new URLSearchParams(
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
  );
  const answer = await gateway.call('GET', `/v1/payments/query?${text}`, undefined, options);
  if (!endpoint) throw new Error('there is no queryPayments');
  const check = checks.get(answer.status) ?? published.response(endpoint, answer.status);
  checks.set(answer.status, check);
  expect([answer.status, check(answer.body)]).toEqual([answer.status, []]);
  return answer;
}

/** Returns the ids of all pages in their order. */
async function walk(parameters: Parameters, options?: CallOptions): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await query({ ...parameters, ...(cursor !== null && { cursor }) }, options);
    expect(status).toBe(200);
    expect(body.hasMore).toBe(body.nextCursor !== null);
    expect(body.data.length).toBeLessThanOrEqual(body.size);
    if (body.hasMore) expect(body.data).toHaveLength(body.size);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return ids;
}

/** Day on which the stored payments of the suite were made. Payments that the suite makes by the API are later. */
const DAY = Date.UTC(2026, 0, 5);
const lastDate = new Date(DAY + 3_600_000).toISOString();
const currencies = ['USD', 'JPY', 'KWD', 'UYU'] as const;
let stored: Payment[] = [];
const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T;

/** Builds the n-th payment: each value changes at an interval of its own, and three payments share each millisecond. */
function aPayment(n: number): Payment {
  const status = pick(paymentStatuses, Math.floor(n / 3));
  const currency = pick(currencies, n);
  const { work, ...payment } = createdPayment({
    clientId: gateway.sandbox.clientId,
    merchantId: n % 5 < 3 ? 1001 : 1002,
    status,
    createdAt: new Date(DAY + Math.floor(n / 3)),
    amount: { totalMinor: ((n * 37) % 50) * 25 + 100, currency },
  });
  const id = n % 4 === 0 ? 'mastercard' : 'visa';
  return {
    ...payment,
    paymentMethod: { ...payment.paymentMethod, id },
    ...(n % 3 === 0 && {
      metadata: [
        { k: 'order', v: `v${n % 7}` },
        { k: 'order.b', v: 'v1' },
      ] as const,
    }),
    ...(n % 5 === 0 && { metadata: [{ k: 'channel', v: 'v1' }] as const }),
    ...(status === 'created' && work && { work: { ...work, dueAt: new Date(Date.now() + 3_600_000) } }),
  } as Payment;
}

/** Returns the ids that must be found, newest first. */
function expected(parameters: Parameters, merchants?: readonly number[]): string[] {
  const { minAmount, maxAmount, minDate, maxDate, metadataKey, metadataValue } = parameters;
  return stored
    .filter(({ createdAt, amount, metadata = [], ...payment }) => {
      const total = toDecimal(amount.totalMinor, amount.currency);
      return (
        (merchants?.includes(payment.merchantId) ?? true) &&
        (parameters.id === undefined || payment._id === parameters.id) &&
        (parameters.referenceId === undefined || payment.referenceId === parameters.referenceId) &&
        (parameters.merchantId === undefined || payment.merchantId === parameters.merchantId) &&
        (parameters.status === undefined || payment.status === parameters.status) &&
        (parameters.currency === undefined || amount.currency === parameters.currency) &&
        (parameters.paymentMethodId === undefined || payment.paymentMethod.id === parameters.paymentMethodId) &&
        (minAmount === undefined || total >= Number(minAmount)) &&
        (maxAmount === undefined || total <= Number(maxAmount)) &&
        (minDate === undefined || createdAt >= new Date(minDate)) &&
        (maxDate === undefined || createdAt <= new Date(maxDate)) &&
        (metadataKey === undefined ||
          metadata.some(({ k, v }) => k === metadataKey && (metadataValue === undefined || v === metadataValue)))
      );
    })
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1))
    .map(({ _id }) => _id);
}

const iso = (offsetMs: number) => new Date(DAY + offsetMs).toISOString();
/** Values of each filter; `undefined` leaves it out. */
const choices = (): Record<string, readonly (string | number | undefined)[]> => ({
  merchantId: [undefined, 1001, 1002],
  status: [undefined, ...paymentStatuses],
  currency: [undefined, ...currencies],
  paymentMethodId: [undefined, 'visa', 'mastercard', 'none'],
  minAmount: [undefined, 0.5, '4.005', 5, 300],
  maxAmount: [undefined, '4.75', 9.005, 600],
  minDate: [undefined, iso(20)],
  maxDate: [lastDate, iso(60)],
  metadataKey: [undefined, 'order', 'channel', 'nothing'],
  size: [6, 23, 100],
});

describe('filters', () => {
  test('find the expected payments, each alone, with each of its values', async () => {
    for (const [name, values] of Object.entries(choices())) {
      for (const value of values) {
        const parameters = { maxDate: lastDate, size: 100, ...(value !== undefined && { [name]: value }) };
        expect([name, value, await walk(parameters)]).toEqual([name, value, expected(parameters)]);
      }
    }
  });

  test('find one payment by its id or its reference', async () => {
    const one = stored[17] as Payment;
    for (const parameters of [{ id: one._id }, { referenceId: one.referenceId }]) {
      expect(await walk(parameters)).toEqual([one._id]);
    }
    expect(await walk({ id: one._id, status: 'expired', currency: 'EUR' })).toEqual([]);
  });

  test('match a metadata value only under its own key', async () => {
    for (const [metadataKey, metadataValue] of [
      ['order', 'v1'],
      ['channel', 'v1'],
      ['channel', 'v2'],
      ['order.b', 'v1'],
      ['$where', '1'],
    ] as const) {
      const parameters = { maxDate: lastDate, metadataKey, metadataValue, size: 100 };
      expect(await walk(parameters)).toEqual(expected(parameters));
    }
  });

  test('find the expected payments in many combinations and page sizes', async () => {
    // A small linear congruential generator: the combinations are the same in every run.
    let seed = 7;
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed >> 8;
    };
    let found = 0;
    for (let round = 0; round < 70; round += 1) {
      const parameters: Parameters = { maxDate: lastDate, size: pick([6, 23, 100], next()) };
      for (const [name, values] of Object.entries(choices())) {
        if (name === 'size' || next() % 3 !== 0) continue;
        const value = pick(values, next());
        if (value !== undefined) parameters[name] = value;
      }
      const ordered = Number(parameters.minAmount ?? 0) <= Number(parameters.maxAmount ?? Number.POSITIVE_INFINITY);
      if (!ordered) continue;
      const ids = expected(parameters);
      found += ids.length;
      expect([parameters, await walk(parameters)]).toEqual([parameters, ids]);
    }
    expect(found).toBeGreaterThan(200);
  });

  test('a full page that ends with the last payment says that there is no other page', async () => {
    const filter = { paymentMethodId: 'mastercard', maxDate: lastDate };
    const size = expected(filter).length;
    const { body } = await query({ ...filter, size });
    expect([body.data.length, body.hasMore, body.nextCursor]).toEqual([size, false, null]);
  });

  test.each<[string, string]>([
    ['size=0', 'size'],
    ['size=101', 'size'],
    ['size=x', 'size'],
    ['minAmount=-1', 'minAmount'],
    ['minAmount=1e3', 'minAmount'],
    ['minAmount=10&maxAmount=9.99', 'maxAmount'],
    ['minDate=yesterday', 'minDate'],
    ['minDate=2026-02-01&maxDate=2026-01-01', 'maxDate'],
    ['status=paid', 'status'],
    ['metadataValue=x', 'metadataKey'],
    ['merchantId=x', 'merchantId'],
    ['id[$ne]=x', 'query'],
    ['status=approved&status=denied', 'status'],
    ['cursor=x', 'cursor'],
  ])('%s is 400', async (text, field) => {
    const { status, body } = await gateway.call('GET', `/v1/payments/query?${text}`);
    expect([status, Object.keys(body.params)]).toEqual([400, [field]]);
  });

  test('an unknown currency is currency-not-found, as everywhere', async () => {
    const { status, body } = await query({ currency: 'XXX' });
    expect([status, body.code]).toEqual([400, 'currency-not-found']);
  });
});

describe('access to payments', () => {
  test('a secondary key sees only payments of its merchants, with any filter', async () => {
    const parameters = { maxDate: lastDate, size: 100 };
    expect(await walk(parameters, asSecondary())).toEqual(expected(parameters, [1001]));
    const foreign = stored.find(({ merchantId }) => merchantId === 1002) as Payment;
    expect(await walk({ id: foreign._id }, asSecondary())).toEqual([]);
    expect(await walk({ referenceId: foreign.referenceId }, asSecondary())).toEqual([]);
  });

  test('a merchant that is not granted is 403, an unknown merchant 400, a missing key 401', async () => {
    const answers = [
      await query({ merchantId: 1002 }, asSecondary()),
      await query({ merchantId: 2001 }),
      await query({ merchantId: 999_999 }),
      await query({}, { auth: null }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [400, 'merchant-not-found'],
      [401, 'unauthorized'],
    ]);
  });

  test('another client sees none of the payments', async () => {
    expect(await walk({}, asOther())).toEqual([]);
    expect(await walk({ id: stored[0]?._id ?? '' }, asOther())).toEqual([]);
  });
});

describe('cursors', () => {
  const first = async (parameters: Parameters = {}, options?: CallOptions) =>
    (await query({ maxDate: lastDate, size: 5, ...parameters }, options)).body.nextCursor as string;
  const refused = async (parameters: Parameters, options?: CallOptions) => {
    const { status, body } = await query({ maxDate: lastDate, ...parameters }, options);
    expect([status, body.code, Object.keys(body.params)]).toEqual([400, 'request-validation-errors', ['cursor']]);
  };

  test('continue with another page size', async () => {
    const { body } = await query({ maxDate: lastDate, size: 50, cursor: await first() });
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expected({ maxDate: lastDate }).slice(5, 55));
  });

  test('continue with the same amounts in another notation', async () => {
    const cursor = await first({ minAmount: '1.50', maxAmount: '9000' });
    expect((await query({ maxDate: lastDate, cursor, minAmount: '1.5', maxAmount: '9000.00' })).status).toBe(200);
    await refused({ cursor, minAmount: '1.51', maxAmount: '9000' });
    await refused({ cursor, minAmount: '9000', maxAmount: '9000' });
  });

  test('are refused with changed filters, to another client, or with a changed character', async () => {
    const cursor = await first({ currency: 'USD' });
    await refused({ cursor });
    await refused({ cursor, currency: 'UYU' });
    await refused({ cursor, currency: 'USD', status: 'approved' });
    await refused({ cursor, currency: 'USD' }, asOther());
    for (const at of [0, 10, 20, 30, cursor.length - 1]) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      await refused({ cursor: cursor.slice(0, at) + other + cursor.slice(at + 1), currency: 'USD' });
    }
    await refused({ cursor: `${cursor}=`, currency: 'USD' });
    expect((await query({ maxDate: lastDate, cursor, currency: 'USD' })).status).toBe(200);
  });

  test('of a primary key show a secondary key no more than it may see', async () => {
    const cursor = await first();
    const { body } = await query({ maxDate: lastDate, size: 100, cursor }, asSecondary());
    expect(new Set(body.data.map(({ merchantId }: { merchantId: number }) => merchantId))).toEqual(new Set([1001]));
  });
});

test('a payment is found as soon as it is answered, with the same body', async () => {
  const { body: paid } = await gateway.call('POST', '/v1/payments', paymentBody({ metadata: { basket: 'b-1' } }));
  const { body } = await query({ metadataKey: 'basket', metadataValue: 'b-1' });
  expect(body).toEqual({ data: [paid], size: 20, hasMore: false, nextCursor: null });
});

test('no payment is lost or repeated in pages while others are written', async () => {
  const before = new Set(expected({ maxDate: lastDate }));
  let writing = true;
  let written = 0;
  const writer = (async () => {
    while (writing) {
      // In the middle of the walk, at its beginning, and in the same millisecond as payments of the walk.
      const at = [DAY + (written % 80), Date.now(), DAY + 40][written % 3] as number;
      const { work: _work, ...payment } = createdPayment({
        clientId: gateway.sandbox.clientId,
        status: 'approved',
        createdAt: new Date(at),
      });
      await gateway.payments.collection.insertOne(payment as Payment);
      written += 1;
    }
  })();
  const walks: string[][] = [];
  // Repeats the walks until enough payments were written meanwhile, even on a slow machine.
  do walks.push(...(await Promise.all([walk({ size: 4 }), walk({ size: 11 })])));
  while (written <= 20);
  writing = false;
  await writer;
  for (const ids of walks) {
    expect(new Set(ids).size).toBe(ids.length);
    expect([...before].filter((id) => !ids.includes(id))).toEqual([]);
  }
});

describe('indexes', () => {
  interface Explained {
    readonly queryPlanner: { readonly winningPlan: object };
    readonly executionStats: { readonly totalDocsExamined: number; readonly totalKeysExamined: number };
  }
  const PAGE = 21;
  const explain = async (filter: PaymentFilter, merchants: 'all' | number[] = 'all', after?: Payment) => {
    const principal = { clientId: 'cli_large', keyId: 'key_1', merchants };
    const position = after && { createdAt: after.createdAt, id: after._id };
    const plan = await gateway.payments.collection
      .find(toPaymentConditions(principal, filter, position) as never)
      .sort({ createdAt: -1, _id: -1 })
      .limit(PAGE)
      .explain('executionStats');
    return plan as unknown as Explained;
  };
  const bounded = ({ queryPlanner, executionStats }: Explained, most = 3 * PAGE) => {
    expect(JSON.stringify(queryPlanner.winningPlan)).not.toContain('COLLSCAN');
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(most);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(most);
  };
  let large: Payment[];

  beforeAll(async () => {
    large = Array.from({ length: 4_000 }, (_, n) => {
      const status: PaymentStatus = n % 400 === 0 ? 'failed' : 'approved';
      const { work: _work, ...payment } = createdPayment({
        clientId: 'cli_large',
        merchantId: n % 300 === 0 ? 8 : 7,
        status,
        createdAt: new Date(DAY + n),
      });
      return { ...payment, ...(n % 250 === 0 && { metadata: [{ k: 'order', v: `o${n % 1_000}` }] }) } as Payment;
    });
    await gateway.payments.collection.insertMany(large);
  });

  test('a page costs the same at any depth', async () => {
    bounded(await explain({}));
    for (const depth of [100, 2_000, 3_900]) bounded(await explain({}, 'all', large.at(-depth)));
  });

  test('the most used filters read little more than they return', async () => {
    bounded(await explain({ merchantId: 8 }));
    bounded(await explain({}, [7]));
    bounded(await explain({}, [7, 8]));
    bounded(await explain({ merchantId: 7 }, 'all', large.at(-2_000)));
    for (const status of paymentStatuses) bounded(await explain({ status }));
    bounded(await explain({ referenceId: large[5]?.referenceId }));
    bounded(await explain({ id: large[5]?._id }));
    bounded(await explain({ metadataKey: 'order' }));
    bounded(await explain({ metadataKey: 'order', metadataValue: 'o250' }));
    bounded(await explain({ metadataKey: 'order', metadataValue: 'none' }));
    bounded(await explain({ minDate: new Date(DAY + 100), maxDate: new Date(DAY + 130) }));
    bounded(await explain({ amounts: amountRanges('1', '20') }));
  });
});
