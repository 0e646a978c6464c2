/** 3DS sessions: read from the payments that they are part of, so that the two cannot disagree. */
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import type { AmountRange } from '../domain/money/amount-range.js';
import type { Payment } from '../domain/payment/payment.js';
import type { AuthenticationStatus } from '../domain/threeds/authentication.js';
import type { Database } from './database.js';
import { amountIn } from './payment-query-conditions.js';

/** Conditions of a query; all of them have to hold. */
export interface ThreeDsSessionFilter {
  readonly clientId: string;
  /** Merchants whose sessions may be seen. */
  readonly merchants: 'all' | readonly number[];
  readonly sessionId?: string | undefined;
  readonly status?: AuthenticationStatus | undefined;
  readonly paymentMethodId?: string | undefined;
  readonly currency?: string | undefined;
  readonly amounts?: readonly AmountRange[] | undefined;
  /** Both ends belong to the range. */
  readonly minDate?: Date | undefined;
  readonly maxDate?: Date | undefined;
}

/** Number and total of the sessions with the same status, payment method and currency. */
export interface SessionGroup {
  readonly status: AuthenticationStatus;
  readonly paymentMethodId: string;
  readonly currency: string;
  readonly count: number;
  readonly totalMinor: number;
}

export interface ThreeDsSessionRepository {
  /** A page, newest first; `page` from 1. */
  page(filter: ThreeDsSessionFilter, page: number, size: number): Promise<Payment[]>;
  /** Summarizes all sessions that match, in groups. */
  summarize(filter: ThreeDsSessionFilter): Promise<SessionGroup[]>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

function toConditions(filter: ThreeDsSessionFilter): object {
  const { clientId, merchants, sessionId, status, paymentMethodId, currency, amounts, minDate, maxDate } = filter;
  return {
    clientId,
    'threeDs.sessionId': sessionId ?? { $exists: true },
    ...(merchants !== 'all' && { merchantId: { $in: [...merchants] } }),
    ...defined({ 'threeDs.status': status, 'paymentMethod.id': paymentMethodId, 'amount.currency': currency }),
    ...((minDate || maxDate) && {
      'threeDs.createdAt': { ...defined({ $gte: minDate, $lte: maxDate }) },
    }),
    ...(amounts && { $or: amounts.map(amountIn) }),
  };
}

export function createThreeDsSessionRepository(database: Database): ThreeDsSessionRepository {
  const payments = database.collection<Payment>('payments');
  return {
    page: (filter, page, size) =>
      payments
        .find(toConditions(filter), bounded)
        .sort({ 'threeDs.createdAt': -1, _id: -1 })
        .skip((page - 1) * size)
        .limit(size)
        .toArray(),
    summarize: (filter) =>
      payments
        .aggregate<SessionGroup>(
          [
            { $match: toConditions(filter) },
            {
              $group: {
                _id: { status: '$threeDs.status', paymentMethodId: '$paymentMethod.id', currency: '$amount.currency' },
                count: { $sum: 1 },
                totalMinor: { $sum: '$amount.totalMinor' },
              },
            },
            { $replaceWith: { $mergeObjects: ['$_id', { count: '$count', totalMinor: '$totalMinor' }] } },
          ],
          bounded,
        )
        .toArray(),
  };
}
