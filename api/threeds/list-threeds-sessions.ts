import { toDecimal } from '../../shared/domain/money/amount.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { SessionGroup } from '../../shared/store/threeds-session.repository.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { toPage } from '../http/paging.js';
import { threeDsSession } from './threeds-examples.js';
import { type ThreeDsSessionQuery, threeDsSessionPageSchema, threeDsSessionQuery } from './threeds-session.schema.js';

function sumBy(
  groups: readonly SessionGroup[],
  key: 'status' | 'paymentMethodId' | 'currency',
  value: 'count' | 'totalMinor',
) {
  const sums: Record<string, number> = {};
  for (const group of groups) sums[group[key]] = (sums[group[key]] ?? 0) + group[value];
  return sums;
}

/** Returns the public form of the 3DS session of a payment. */
function presentSession(payment: Payment): object {
  const { threeDs, amount, createdAt, updatedAt } = payment;
  return {
    sessionId: threeDs?.sessionId,
    paymentId: payment._id,
    merchantId: payment.merchantId,
    referenceId: payment.referenceId,
    paymentMethodId: payment.paymentMethod.id,
    provider: threeDs?.provider ?? null,
    status: threeDs?.status,
    amount: toDecimal(amount.totalMinor, amount.currency),
    currency: amount.currency,
    createdAt: (threeDs?.createdAt ?? createdAt).toISOString(),
    updatedAt: (threeDs?.updatedAt ?? updatedAt).toISOString(),
    completedAt: threeDs?.completedAt?.toISOString() ?? null,
  };
}

/** Returns the sums over the whole filter. */
function summaryOf(groups: readonly SessionGroup[]) {
  const minorByCurrency = Object.entries(sumBy(groups, 'currency', 'totalMinor'));
  return {
    total: groups.reduce((sum, { count }) => sum + count, 0),
    byStatus: sumBy(groups, 'status', 'count'),
    byPaymentMethod: sumBy(groups, 'paymentMethodId', 'count'),
    amountByCurrency: Object.fromEntries(
      minorByCurrency.map(([currency, minor]) => [currency, toDecimal(minor, currency)]),
    ),
  };
}

/** Lists sessions. Merchants that the query names have already been authorized one by one. */
async function listThreeDsSessions(
  { threeDsSessions }: Pick<ApiDeps, 'threeDsSessions'>,
  query: ThreeDsSessionQuery,
  principal: Principal,
): Promise<object> {
  const { page, size, merchants = principal.merchants, minAmount, maxAmount, ...rest } = query;
  const amounts = amountRanges(minAmount, maxAmount, rest.currency);
  const filter = { ...rest, amounts, clientId: principal.clientId, merchants };
  const [payments, groups] = await Promise.all([
    threeDsSessions.page(filter, page, size),
    threeDsSessions.summarize(filter),
  ]);
  const summary = summaryOf(groups);
  return { ...toPage(payments.map(presentSession), { page, size }, summary.total), summary };
}

export const listThreeDsSessionsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/threeds/sessions',
  operationId: 'listThreeDsSessions',
  summary: 'List 3DS sessions',
  description: 'Newest first; filters can be combined. `summary` covers the whole filter, not the page.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: 'client',
  request: { query: threeDsSessionQuery },
  responses: { 200: threeDsSessionPageSchema },
  errors: ['request-validation-errors', 'currency-not-found', 'merchant-not-found', 'forbidden'],
  examples: {
    query: { status: 'step-up-required', merchants: '1001,1002', page: '1', size: '20' },
    response: {
      200: {
        found: {
          data: [threeDsSession],
          page: 1,
          size: 20,
          totalItems: 1,
          totalPages: 1,
          summary: {
            total: 1,
            byStatus: { 'step-up-required': 1 },
            byPaymentMethod: { visa: 1 },
            amountByCurrency: { USD: 122.05 },
          },
        },
      },
    },
  },
  async handle({ query, principal }, deps) {
    // One after another: each miss counts against the limit of misses, and the first refusal ends the loop.
    for (const merchantId of query.merchants ?? []) await deps.authorizeMerchant(principal, merchantId, 'merchants');
    return listThreeDsSessions(deps, query, principal);
  },
});
