/**
 * Queries over the payments of a client, newest first, page by page by keyset: no page costs more than the first. Conditions that no
 * index answers are searched in windows, and a page that took too long ends early (ARCHITECTURE.md, decision 34).
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import type { Principal } from '../domain/principal.js';
import { msBetween } from '../domain/time.js';
import type { Collection, Database } from './database.js';
import { within } from './deadlines.js';
import {
  type Conditions,
  createdBefore,
  downTo,
  newestFirst,
  type PaymentFilter,
  type PaymentPosition,
  toPaymentConditions,
} from './payment-query-conditions.js';
import { directIndexOf, type Index, partsOf, reachOf, shortcutsOf } from './payment-query-reach.js';

export interface FoundPayments {
  /** Newest first. */
  readonly payments: readonly Payment[];
  /** Position where the search stopped before it had `limit` payments: there may be more behind it. */
  readonly stoppedAt?: PaymentPosition | undefined;
}

export interface PaymentQueries {
  /**
   * Finds at most `limit` payments of the principal's merchants behind `after`, newest first. Creation times and ids never change, so a
   * payment that existed before the first page appears exactly once, whatever is written meanwhile.
   * @throws {MongoServerError} or {MongoOperationTimeoutError} when MongoDB takes too long; both are answered as `503 timeout`
   */
  find(
    principal: Principal,
    filter: PaymentFilter,
    after: PaymentPosition | undefined,
    limit: number,
  ): Promise<FoundPayments>;
  /** Returns payments that were made through a link: one page, newest first, and how many there are. */
  listByLink(
    clientId: string,
    linkId: string,
    page: { readonly page: number; readonly size: number },
  ): Promise<{ readonly payments: Payment[]; readonly totalItems: number }>;
}

/**
 * Bounds of a search without an index: `window` payments are read at a time, and another window if it is likely to end within `pageMs`.
 * No statement takes longer than `statementMs` at MongoDB, and all of them with their waits no longer than `queryMs`.
 */
export interface QueryBounds {
  readonly window: number;
  readonly pageMs: number;
  readonly statementMs: number;
  readonly queryMs: number;
}

const usualBounds: QueryBounds = {
  window: limits.paymentQueryWindow,
  pageMs: limits.paymentQueryPageMs,
  statementMs: limits.paymentQueryStatementMs,
  queryMs: limits.paymentQueryMs,
};

/** A page that is asked for. */
interface Asked {
  readonly payments: Collection<Payment>;
  readonly principal: Principal;
  readonly filter: PaymentFilter;
  readonly after: PaymentPosition | undefined;
  readonly limit: number;
  /** Options of each statement. */
  readonly options: { readonly signal: AbortSignal; readonly maxTimeMS: number };
}

const isNewer = (a: PaymentPosition, b: PaymentPosition) =>
  msBetween(b.createdAt, a.createdAt) || (a.id > b.id ? 1 : -1);
const positionOf = ({ createdAt, _id }: Pick<Payment, '_id' | 'createdAt'>): PaymentPosition => ({
  createdAt,
  id: _id,
});

export function createPaymentQueries(database: Database, bounds = usualBounds): PaymentQueries {
  const payments = database.collection<Payment>('payments');
  return {
    find: (principal, filter, after, limit) =>
      within(bounds.queryMs, async (signal) => {
        const options = { signal, maxTimeMS: bounds.statementMs };
        const asked = { payments, principal, filter, after, limit, options };
        const index = directIndexOf(principal, filter) ?? (await shortcutFor(asked, bounds.window));
        return index ? { payments: await findDirectly(asked, index) } : findInWindows(asked, bounds);
      }),
    listByLink: (clientId, linkId, page) => listByLink(payments, clientId, linkId, page),
  };
}

/** Returns the index of a condition that fewer than `few` payments meet. The index has another order, but sorting so few costs little. */
async function shortcutFor({ payments, principal, filter, options }: Asked, few: number): Promise<Index | undefined> {
  for (const { index, conditions } of shortcutsOf(principal.clientId, filter)) {
    const count = await payments.countDocuments(conditions, { ...options, hint: index, limit: few });
    if (count < few) return index;
  }
  return undefined;
}

const findAll = ({ payments, limit, options }: Asked, conditions: Conditions, index: Index) =>
  payments.find(conditions, options).sort(newestFirst).hint(index).limit(limit).toArray();

/** Returns the newest payments of all parts of a key. */
const merged = (found: readonly Payment[][], limit: number): readonly Payment[] =>
  found
    .flat()
    .sort((a, b) => isNewer(positionOf(b), positionOf(a)))
    .slice(0, limit);

async function findDirectly(asked: Asked, index: Index): Promise<readonly Payment[]> {
  const { principal, filter, after, limit } = asked;
  const found = partsOf(principal, filter).map((part) =>
    findAll(asked, toPaymentConditions(part, filter, after), index),
  );
  return merged(await Promise.all(found), limit);
}

/**
 * Returns the position of the last payment of the window behind `after`; undefined when all remaining payments fit into it. Payments of
 * the same millisecond as `after` come on top.
 */
async function endOfWindow({ payments, filter, after, options }: Asked, part: Principal, window: number) {
  const { index, conditions } = reachOf(part, filter);
  const last = await payments
    .find({ ...conditions, ...createdBefore(filter, after) }, options)
    .sort(newestFirst)
    .hint(index)
    .skip(window - 1)
    .limit(1)
    .project<Pick<Payment, '_id' | 'createdAt'>>({ createdAt: 1 })
    .next();
  return last ? positionOf(last) : undefined;
}

/** Finds the payments of a window that meet the filter, and where the window ends; no end when it was the last one. */
async function lookAtWindow(asked: Asked, window: number) {
  const { principal, filter, after, limit } = asked;
  const parts = partsOf(principal, filter);
  const share = Math.ceil(window / parts.length);
  const ends = await Promise.all(parts.map((part) => endOfWindow(asked, part, share)));
  // Every part is read only as far as the newest of their ends.
  const end = ends.flatMap((one) => one ?? []).sort((a, b) => isNewer(b, a))[0];
  const found = parts.map((part) => {
    const { $and, ...plain } = toPaymentConditions(part, filter, after);
    return findAll(asked, { ...plain, $and: [...$and, ...(end ? downTo(end) : [])] }, reachOf(part, filter).index);
  });
  return { found: merged(await Promise.all(found), limit), end };
}

async function findInWindows(asked: Asked, { window, pageMs }: QueryBounds): Promise<FoundPayments> {
  const { limit } = asked;
  const startedAt = performance.now();
  const payments: Payment[] = [];
  let { after } = asked;
  for (;;) {
    const windowAt = performance.now();
    const { found, end } = await lookAtWindow({ ...asked, after, limit: limit - payments.length }, window);
    payments.push(...found);
    if (end === undefined || payments.length === limit) return { payments };
    const now = performance.now();
    // The next window takes about as long as this one.
    if (now - startedAt + (now - windowAt) > pageMs) return { payments, stoppedAt: end };
    after = end;
  }
}

async function listByLink(
  payments: Collection<Payment>,
  clientId: string,
  linkId: string,
  { page, size }: { readonly page: number; readonly size: number },
) {
  const filter = { 'paymentLink.id': linkId, clientId };
  const [found, totalItems] = await Promise.all([
    payments
      .find(filter, { maxTimeMS: limits.mongoQueryMs })
      .sort(newestFirst)
      .skip((page - 1) * size)
      .limit(size)
      .toArray(),
    payments.countDocuments(filter, { maxTimeMS: limits.mongoQueryMs }),
  ]);
  return { payments: found, totalItems };
}
