/**
 * What a query of payments asks for, in the words of MongoDB. Every value is one of ours or was checked to be text, a number or
 * a date.
 */
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

/** What is asked for; all of it has to hold. */
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

/** Before every payment; a bound of the index that leaves out what has no creation time (reservations of sessions). */
const beginning = longAgo;

type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

export const given = (conditions: Maybe<Conditions>): Conditions => defined(conditions);

/** Grants and the filter together: a secondary key finds its merchants only, whatever it asks for. */
export function merchantsOf({ merchants }: Principal, merchantId: number | undefined) {
  if (merchants === 'all') return merchantId;
  if (merchantId === undefined) return merchants.length === 1 ? merchants[0] : { $in: [...merchants] };
  return merchants.includes(merchantId) ? merchantId : { $in: [] };
}

function amountIn({ currencies, minMinor, maxMinor }: AmountRange): Conditions {
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
  // The range above bounds what is read; this one leaves out what was shown already of the same millisecond.
  if (after) {
    conditions.push({
      $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after.id } }],
    });
  }
  return conditions;
}

/**
 * Of what is left behind `after` all but its own millisecond: by the keys of an index alone, which the comparison of two fields
 * would not be.
 */
export const createdBefore = ({ minDate, maxDate }: PaymentFilter, after: PaymentPosition | undefined): Conditions => ({
  createdAt: {
    $gte: minDate ?? beginning,
    ...(maxDate && { $lte: maxDate }),
    ...(after && { $lt: after.createdAt }),
  },
});

/** From `end` on, it included. The first condition bounds what is read of the index, the second one cuts a millisecond. */
export const downTo = ({ createdAt, id }: PaymentPosition): Conditions[] => [
  { createdAt: { $gte: createdAt } },
  { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gte: id } }] },
];

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

/** The MongoDB filter. */
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
