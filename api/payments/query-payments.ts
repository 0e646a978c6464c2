import { invalidField } from '../../shared/contract/gateway-error.js';
import { presentListedPayment } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import { plainDecimal } from '../../shared/domain/money/amount.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { approvedPayment } from './payment-examples.js';
import {
  type PaymentQuery,
  type PaymentQueryFilters,
  paymentPageSchema,
  paymentQuerySchema,
} from './payment-query.schema.js';

interface PaymentPage {
  /** Newest first. */
  readonly payments: readonly Payment[];
  readonly nextCursor: string | null;
}

/** Returns what a cursor is valid for: this client and these filters, regardless of the order and notation of the parameters. */
export function cursorScopeOf(
  { clientId }: Pick<Principal, 'clientId'>,
  { minAmount, maxAmount, ...rest }: PaymentQueryFilters,
) {
  const plain = (text: string | undefined) => (text === undefined ? undefined : plainDecimal(text));
  const filters = defined({ ...rest, minAmount: plain(minAmount), maxAmount: plain(maxAmount) });
  return [clientId, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))];
}

/** Finds one page, after a signed cursor. @throws {GatewayError} `request-validation-errors` naming `cursor`. */
async function queryPayments(
  deps: Pick<ApiDeps, 'queries' | 'paymentCursors'>,
  { size, cursor, ...filters }: PaymentQuery,
  principal: Principal,
): Promise<PaymentPage> {
  const scope = cursorScopeOf(principal, filters);
  const after = cursor === undefined ? undefined : deps.paymentCursors.read(scope, cursor);
  if (cursor !== undefined && !after) {
    const message = 'is not the nextCursor of a page with these filters';
    throw invalidField('cursor', message);
  }
  const { minAmount, maxAmount, ...rest } = filters;
  const amounts = amountRanges(minAmount, maxAmount, rest.currency);
  // One payment more than requested shows whether there is another page.
  const found = await deps.queries.find(principal, { ...rest, amounts }, after, size + 1);
  const payments = found.payments.slice(0, size);
  const last = payments.at(-1);
  const end = last && found.payments.length > size ? { createdAt: last.createdAt, id: last._id } : found.stoppedAt;
  return { payments, nextCursor: end ? deps.paymentCursors.write(scope, end) : null };
}

export const queryPaymentsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payments/query',
  operationId: 'queryPayments',
  summary: 'Find payments',
  description:
    'Newest first; filters can be combined. Send `nextCursor` back as `cursor`, with the same filters, for the next ' +
    'page, until it is null: a page may hold fewer than `size` payments, or none. Payments that existed when the first page ' +
    'was read are returned exactly once; later ones are found by a new query. Amounts without `currency` are compared as decimals over all currencies.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: { in: 'query', field: 'merchantId' },
  request: { query: paymentQuerySchema },
  responses: { 200: paymentPageSchema },
  errors: ['currency-not-found'],
  examples: {
    query: { status: 'approved', minDate: '2026-11-01T00:00:00Z', size: '20' },
    response: { 200: { last: { data: [approvedPayment], size: 20, hasMore: false, nextCursor: null } } },
  },
  async handle({ query, principal }, deps) {
    const { payments, nextCursor } = await queryPayments(deps, query, principal);
    return { data: payments.map(presentListedPayment), size: query.size, hasMore: nextCursor !== null, nextCursor };
  },
});
