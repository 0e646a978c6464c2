/** `GET /v1/threeds/sessions`: a page, and what the whole filter adds up to. */

import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { SessionGroup } from '../../shared/store/threeds-session.repository.js';
import type { ThreeDsDeps } from './threeds-deps.js';
import type { SessionSummary, ThreeDsSessionQuery } from './threeds-session.schema.js';

export interface SessionPage {
  /** The payments that the sessions are part of, newest session first. */
  readonly sessions: readonly Payment[];
  readonly summary: SessionSummary;
}

function sumBy(
  groups: readonly SessionGroup[],
  key: 'status' | 'paymentMethodId' | 'currency',
  value: 'count' | 'totalMinor',
) {
  const sums: Record<string, number> = {};
  for (const group of groups) sums[group[key]] = (sums[group[key]] ?? 0) + group[value];
  return sums;
}

/** The merchants were authorized one by one where the query names some. */
export async function listThreeDsSessions(
  { sessions }: ThreeDsDeps,
  query: ThreeDsSessionQuery,
  principal: Principal,
): Promise<SessionPage> {
  const { page, size, merchants = principal.merchants, minAmount, maxAmount, ...rest } = query;
  const amounts = amountRanges(minAmount, maxAmount, rest.currency);
  const filter = { ...rest, amounts, clientId: principal.clientId, merchants };
  const [found, groups] = await Promise.all([sessions.page(filter, page, size), sessions.summarize(filter)]);
  return {
    sessions: found,
    summary: {
      total: groups.reduce((sum, { count }) => sum + count, 0),
      byStatus: sumBy(groups, 'status', 'count'),
      byPaymentMethod: sumBy(groups, 'paymentMethodId', 'count'),
      minorByCurrency: sumBy(groups, 'currency', 'totalMinor'),
    },
  };
}
