/**
 * Queries over the payments of a client, newest first, a page at a time by keyset: no page is dearer than the first. What no
 * index answers is looked for in windows, and a page that took its time ends early (ARCHITECTURE.md, decision 34).
 */
import { limits } from '../../config/limits.js';
import type { AmountRange } from '../domain/money/amount-range.js';
import type { Payment } from '../domain/payment/payment.js';
import { refKey } from '../domain/payment/plan-operation.js';
import type { PaymentStatus } from '../domain/payment/statuses.js';
import type { Principal } from '../domain/principal.js';
import { tryRefKey } from '../domain/session/rules.js';
import type { Database } from './database.js';

/** What is asked for; all of it has to hold. */
export interface PaymentFilter {
  readonly id?: string | undefined;
  readonly referenceId?: string | undefined;
  /** One range per group of currencies with the same exponent; a payment has to lie in one of them. */
  readonly amounts?: readonly AmountRange[] | undefined;
  readonly currency?: string | undefined;
  /** Both ends belong to the range. */
  readonly minDate?: Date | undefined;
  readonly maxDate?: Date | undefined;
  readonly merchantId?: number | undefined;
  readonly paymentMethodId?: string | undefined;
  readonly status?: PaymentStatus | undefined;
  readonly metadataKey?: string | undefined;
  readonly metadataValue?: string | undefined;
}

/** The last payment of a page: the next one begins behind it. */
export interface PaymentPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface FoundPayments {
  /** Newest first. */
  readonly payments: readonly Payment[];
  /** Where the search stopped before it had `limit` payments: there may be more behind it. */
  readonly stoppedAt?: PaymentPosition | undefined;
}

export interface PaymentQueries {
  /**
   * At most `limit` payments of the principal's merchants behind `after`, newest first. Creation times and ids never change,
   * so a payment that was there before the first page comes exactly once, whatever is written meanwhile.
   */
  find(
    principal: Principal,
    filter: PaymentFilter,
    after: PaymentPosition | undefined,
    limit: number,
  ): Promise<FoundPayments>;
  /** Payments that were made through a link: one page, newest first, and how many in all. */
  listByLink(
    clientId: string,
    linkId: string,
    page: { readonly page: number; readonly size: number },
  ): Promise<{ readonly payments: Payment[]; readonly totalItems: number }>;
}

type Conditions = Record<string, unknown>;

const given = (conditions: Conditions): Conditions =>
  Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));

/** Grants and the filter together: a secondary key finds its merchants only, whatever it asks for. */
function merchantsOf({ merchants }: Principal, merchantId: number | undefined): unknown {
  if (merchants === 'all') return merchantId;
  if (merchantId === undefined) return { $in: [...merchants] };
  return merchants.includes(merchantId) ? merchantId : { $in: [] };
}

function amountIn({ currencies, minMinor, maxMinor }: AmountRange): Conditions {
  return {
    'amount.currency': 'only' in currencies ? { $in: [...currencies.only] } : { $nin: [...currencies.except] },
    'amount.totalMinor': {
      ...(minMinor !== undefined && { $gte: minMinor }),
      ...(maxMinor !== undefined && { $lte: maxMinor }),
    },
  };
}

/** Before every payment; a bound of the index that leaves out what has no creation time (reservations of sessions). */
const beginning = new Date(0);

function createdIn({ minDate, maxDate }: PaymentFilter, after: PaymentPosition | undefined): Conditions[] {
  const upTo = after && (!maxDate || after.createdAt < maxDate) ? after.createdAt : maxDate;
  const conditions: Conditions[] = [{ createdAt: { $gte: minDate ?? beginning, ...(upTo && { $lte: upTo }) } }];
  // The range above bounds what is read; this one leaves out what was shown already of the same millisecond.
  if (after) {
    conditions.push({
      $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after.id } }],
    });
  }
  return conditions;
}

/** A reference of an API payment, or of any try of a session. */
function refKeysOf(referenceId: string): string[] {
  const tries = Array.from({ length: limits.sessionTriesMax }, (_, index) => index + 1);
  return [
    refKey('payment', referenceId),
    ...tries.flatMap((attempt) => [
      tryRefKey('payment', attempt, referenceId),
      tryRefKey('session', attempt, referenceId),
    ]),
  ];
}

/** The MongoDB filter. Every value is one of ours or was checked to be text, a number or a date. */
export function toPaymentConditions(
  principal: Principal,
  filter: PaymentFilter,
  after: PaymentPosition | undefined,
): Conditions & { readonly $and: readonly Conditions[] } {
  const { amounts, metadataKey: k, metadataValue: v } = filter;
  const plain = given({
    clientId: principal.clientId,
    _id: filter.id,
    refKeys: filter.referenceId === undefined ? undefined : { $in: refKeysOf(filter.referenceId) },
    merchantId: merchantsOf(principal, filter.merchantId),
    status: filter.status,
    'amount.currency': filter.currency,
    'paymentMethod.id': filter.paymentMethodId,
    ...(k !== undefined && {
      metadata: { $elemMatch: { k, ...(v !== undefined && { v }) } },
      // Says what $elemMatch says already, in the words of the partial index.
      'metadata.k': { $exists: true },
    }),
    // A created payment has work (I2), so that those few are found by the index of the sweep.
    ...(filter.status === 'created' && { 'work.queue': { $gt: '' }, 'work.dueAt': { $exists: true } }),
  });
  const further = [...createdIn(filter, after), ...(amounts ? [{ $or: amounts.map(amountIn) }] : [])];
  return { ...plain, $and: further };
}

/** Statuses that an index of their own lists: they are sought after and rare. */
const isIndexed = (status: PaymentStatus) => status !== 'created' && status !== 'approved';

/** An index whose order is that of pages, and the part of a question that it answers alone. */
interface Reach {
  readonly index: Record<string, 1 | -1>;
  readonly conditions: Conditions;
  /** Something is asked for that it does not answer: what it finds has to be looked at. */
  readonly isLoose: boolean;
}

const newestFirst = { createdAt: -1, _id: -1 } as const;

/** The index that narrows the most. */
function reachOf(principal: Principal, filter: PaymentFilter): Reach {
  const { merchantId, status, metadataKey: k, metadataValue: v, amounts, currency, paymentMethodId } = filter;
  const { clientId } = principal;
  const merchants = merchantsOf(principal, merchantId);
  const isLoose = amounts !== undefined || currency !== undefined || paymentMethodId !== undefined;
  // A key of some merchants stays among their payments: a cursor names the last one that was looked at.
  const isPrimary = principal.merchants === 'all';
  if (isPrimary && k !== undefined && v !== undefined) {
    return {
      index: { clientId: 1, 'metadata.k': 1, 'metadata.v': 1, ...newestFirst },
      conditions: { clientId, metadata: { $elemMatch: { k, v } }, 'metadata.k': { $exists: true } },
      isLoose: isLoose || status !== undefined || merchants !== undefined,
    };
  }
  const isLooser = isLoose || k !== undefined;
  if (isPrimary && status !== undefined && isIndexed(status)) {
    return {
      index: { clientId: 1, status: 1, ...newestFirst },
      conditions: { clientId, status },
      isLoose: isLooser || merchants !== undefined,
    };
  }
  return {
    index: { clientId: 1, ...(merchants !== undefined && { merchantId: 1 }), ...newestFirst },
    conditions: given({ clientId, merchantId: merchants }),
    isLoose: isLooser || status !== undefined,
  };
}

/** From `end` on, it included. The first condition bounds what is read of the index, the second one cuts a millisecond. */
const downTo = ({ createdAt, id }: PaymentPosition): Conditions[] => [
  { createdAt: { $gte: createdAt } },
  { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gte: id } }] },
];

/** How much of a page without an index is looked at: `window` payments at a time, another one while `pageMs` are not over. */
export interface QueryBounds {
  readonly window: number;
  readonly pageMs: number;
}

const usualBounds: QueryBounds = { window: limits.paymentQueryWindow, pageMs: limits.paymentQueryPageMs };

export function createPaymentQueries(database: Database, { window, pageMs } = usualBounds): PaymentQueries {
  const payments = database.collection<Payment>('payments');
  const options = { maxTimeMS: limits.paymentQueryStatementMs };

  const findAll = (conditions: Conditions, limit: number, index?: Reach['index']) => {
    const found = payments
      .find(conditions as never, options)
      .sort(newestFirst)
      .limit(limit);
    return (index ? found.hint(index) : found).toArray();
  };

  /** The last payment of the window that begins behind `after`; none when all that is left fits into it. */
  async function endOfWindow(reach: Reach, filter: PaymentFilter, after: PaymentPosition | undefined) {
    const last = await payments
      .find({ ...reach.conditions, $and: createdIn(filter, after) } as never, options)
      .sort(newestFirst)
      .hint(reach.index)
      .skip(window - 1)
      .limit(1)
      .project<Pick<Payment, '_id' | 'createdAt'>>({ createdAt: 1 })
      .next();
    return last ? { createdAt: last.createdAt, id: last._id } : undefined;
  }

  /** True when so few payments have what an index knows, but not in the order of pages, that sorting them costs little. */
  async function areFew(clientId: string, { metadataKey: k, status }: PaymentFilter): Promise<boolean> {
    const rare: Conditions[] = [];
    if (k !== undefined) rare.push({ clientId, 'metadata.k': k });
    if (status === 'created') rare.push({ 'work.queue': { $gt: '' }, 'work.dueAt': { $exists: true } });
    const few = Math.ceil(window / 4);
    for (const conditions of rare) {
      if ((await payments.countDocuments(conditions as never, { ...options, limit: few })) < few) return true;
    }
    return false;
  }

  async function findInWindows(
    principal: Principal,
    filter: PaymentFilter,
    start: PaymentPosition | undefined,
    limit: number,
  ): Promise<FoundPayments> {
    const reach = reachOf(principal, filter);
    const startedAt = performance.now();
    const found: Payment[] = [];
    let after = start;
    for (;;) {
      const end = await endOfWindow(reach, filter, after);
      const { $and, ...plain } = toPaymentConditions(principal, filter, after);
      const conditions = { ...plain, $and: [...$and, ...(end ? downTo(end) : [])] };
      found.push(...(await findAll(conditions, limit - found.length, reach.index)));
      if (end === undefined || found.length === limit) return { payments: found };
      if (performance.now() - startedAt > pageMs) return { payments: found, stoppedAt: end };
      after = end;
    }
  }

  return {
    async find(principal, filter, after, limit) {
      const isOne = filter.id !== undefined || filter.referenceId !== undefined;
      if (isOne || !reachOf(principal, filter).isLoose || (await areFew(principal.clientId, filter))) {
        return { payments: await findAll(toPaymentConditions(principal, filter, after), limit) };
      }
      return findInWindows(principal, filter, after, limit);
    },

    async listByLink(clientId, linkId, { page, size }) {
      const filter = { 'paymentLink.id': linkId, clientId };
      const [found, totalItems] = await Promise.all([
        payments
          .find(filter, { maxTimeMS: limits.mongoQueryMs })
          .sort({ createdAt: -1, _id: -1 })
          .skip((page - 1) * size)
          .limit(size)
          .toArray(),
        payments.countDocuments(filter, { maxTimeMS: limits.mongoQueryMs }),
      ]);
      return { payments: found, totalItems };
    },
  };
}
