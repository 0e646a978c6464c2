/** Chooses the index that answers a query of payments, and how much of the query it answers. */
import { limits } from '../../config/limits.js';
import type { PaymentStatus } from '../domain/payment/statuses.js';
import type { Principal } from '../domain/principal.js';
import { type Conditions, given, merchantsOf, newestFirst, type PaymentFilter } from './payment-query-conditions.js';

export type Index = Readonly<Record<string, 1 | -1>>;

/** An index, and the part of a query that it answers alone. */
interface Answered {
  readonly index: Index;
  readonly conditions: Conditions;
}

/** An index in the order of pages. */
export interface Reach extends Answered {
  /** The query has conditions that the index does not answer: what it finds has to be checked. */
  readonly needsFilter: boolean;
}

const byId: Index = { _id: 1 };
const byReference: Index = { clientId: 1, refKeys: 1 };
const byMetadata: Index = { clientId: 1, 'metadata.k': 1, 'metadata.v': 1, ...newestFirst };
const byWork: Index = { 'work.queue': 1, 'work.dueAt': 1 };

/** Whether the index of statuses lists the status: such statuses are sought after and rare. */
const isIndexed = (status: PaymentStatus) => status !== 'created' && status !== 'approved';

/** Returns the index that narrows the search most, for a query without `id` and `referenceId`. */
export function reachOf(principal: Principal, filter: PaymentFilter): Reach {
  const { merchantId, status, metadataKey: k, metadataValue: v, minDate: _from, maxDate: _to, ...unindexed } = filter;
  const { clientId } = principal;
  const merchants = merchantsOf(principal, merchantId);
  const isLoose = Object.values(unindexed).some((wanted) => wanted !== undefined);
  // A key with some merchants stays among their payments, because a cursor names the last payment that was read.
  const isPrimary = principal.merchants === 'all';
  if (isPrimary && k !== undefined && v !== undefined) {
    return {
      index: byMetadata,
      conditions: { clientId, metadata: { $elemMatch: { k, v } }, 'metadata.k': { $exists: true } },
      needsFilter: isLoose || status !== undefined || merchants !== undefined,
    };
  }
  const isLooser = isLoose || k !== undefined;
  if (isPrimary && status !== undefined && isIndexed(status)) {
    return {
      index: { clientId: 1, status: 1, ...newestFirst },
      conditions: { clientId, status },
      needsFilter: isLooser || merchants !== undefined,
    };
  }
  return {
    index: { clientId: 1, ...(merchants !== undefined && { merchantId: 1 }), ...newestFirst },
    conditions: given({ clientId, merchantId: merchants }),
    needsFilter: isLooser || status !== undefined,
  };
}

/** Returns the index that finds a page without reading more than it returns; undefined when there is none. */
export function directIndexOf(principal: Principal, filter: PaymentFilter): Index | undefined {
  if (filter.id !== undefined) return byId;
  if (filter.referenceId !== undefined) return byReference;
  const { index, needsFilter } = reachOf(principal, filter);
  return needsFilter ? undefined : index;
}

/** Returns indexes in another order than that of pages: they help when only few payments meet their conditions. */
export function shortcutsOf(clientId: string, { metadataKey: k, status }: PaymentFilter): Answered[] {
  const due = { 'work.queue': { $gt: '' }, 'work.dueAt': { $exists: true } };
  return [
    ...(k === undefined ? [] : [{ index: byMetadata, conditions: { clientId, 'metadata.k': k } }]),
    ...(status === 'created' ? [{ index: byWork, conditions: due }] : []),
  ];
}

/**
 * Splits a key with very many merchants into parts with fewer. MongoDB merges up to 200 ranges of an index in the order of pages, and
 * sorts everything it finds when there are more.
 */
export function partsOf(principal: Principal, { merchantId }: PaymentFilter): Principal[] {
  const { merchants } = principal;
  const most = limits.paymentQueryMerchants;
  if (merchants === 'all' || merchantId !== undefined || merchants.length <= most) return [principal];
  return Array.from({ length: Math.ceil(merchants.length / most) }, (_, part) => ({
    ...principal,
    merchants: merchants.slice(part * most, (part + 1) * most),
  }));
}
