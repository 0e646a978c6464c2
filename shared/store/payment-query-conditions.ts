/** Turns a query of payments into a MongoDB filter. Every value is one of ours or was checked to be text, a number or a date. */
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import type { AmountRange } from '../domain/money/amount-range.js';
import type { Payment } from '../domain/payment/payment.js';
import { refKey } from '../domain/payment/plan-operation.js';
import type { PaymentStatus } from '../domain/payment/statuses.js';
import type { Principal } from '../domain/principal.js';
import { tryRefKey } from '../domain/session/rules.js';
import { longAgo } from '../domain/time.js';
import type { Where } from './database.js';

/** Conditions of a query; all of them have to hold. */
export interface PaymentFilter {
  readonly id?: string | undefined;
  readonly referenceId?: string | undefined;
  /** One range per group of currencies with the same exponent; a payment has to be in one of them. */
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

export type Conditions = Where<Payment>;

export const newestFirst = { createdAt: -1, _id: -1 } as const;

/** Before every payment. As a bound it makes the index leave out documents without a creation time (reservations of sessions). */
const beginning = longAgo;

type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

export const given = (conditions: Maybe<Conditions>): Conditions => defined(conditions);

/** Combines grants and filter: a secondary key finds only its own merchants, whatever it asks for. */
export function merchantsOf({ merchants }: Principal, merchantId: number | undefined) {
  if (merchants === 'all') return merchantId;
  if (merchantId === undefined) return merchants.length === 1 ? merchants[0] : { $in: [...merchants] };
  return merchants.includes(merchantId) ? merchantId : { $in: [] };
}

/** Condition of one range of amounts. */
export function amountIn({ currencies, minMinor, maxMinor }: AmountRange): Conditions {
  return {
    'amount.currency': 'only' in currencies ? { $in: [...currencies.only] } : { $nin: [...currencies.except] },
    'amount.totalMinor': {
      ...defined({ $gte: minMinor, $lte: maxMinor }),
    },
  };
}

function createdIn({ minDate, maxDate }: PaymentFilter, after: PaymentPosition | undefined): Conditions[] {
  const upTo = after && (!maxDate || after.createdAt < maxDate) ? after.createdAt : maxDate;
  const conditions: Conditions[] = [{ createdAt: { $gte: minDate ?? beginning, ...(upTo && { $lte: upTo }) } }];
  // The range above bounds what is read; this one leaves out payments of the same millisecond that were shown already.
  if (after) {
    conditions.push({
      $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after.id } }],
    });
  }
  return conditions;
}

/**
 * Condition of payments behind `after`, except those of its own millisecond. An index answers it by its keys alone, which it could not do
 * for a comparison of two fields.
 */
export const createdBefore = ({ minDate, maxDate }: PaymentFilter, after: PaymentPosition | undefined): Conditions => ({
  createdAt: {
    $gte: minDate ?? beginning,
    ...(maxDate && { $lte: maxDate }),
    ...(after && { $lt: after.createdAt }),
  },
});

/**
 * Conditions of payments down to `end`, inclusive. The first one bounds what is read of the index, the second one cuts within a
 * millisecond.
 */
export const downTo = ({ createdAt, id }: PaymentPosition): Conditions[] => [
  { createdAt: { $gte: createdAt } },
  { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gte: id } }] },
];

/** Returns the stored keys of a reference: of an API payment, or of any attempt of a session. */
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

/** Returns the MongoDB filter. */
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
      // Repeats what $elemMatch says, in the form that the partial index needs.
      'metadata.k': { $exists: true },
    }),
    // A created payment has work (I2), so the sweep's index finds those few.
    ...(filter.status === 'created' && { 'work.queue': { $gt: '' }, 'work.dueAt': { $exists: true } }),
  });
  const further = [...createdIn(filter, after), ...(amounts ? [{ $or: amounts.map(amountIn) }] : [])];
  return { ...plain, $and: further };
}
