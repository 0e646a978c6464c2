/** `GET /v1/payments/query`: one page behind a signed cursor. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Principal } from '../../shared/domain/principal.js';
import { createPageCursors } from '../http/page-cursor.js';
import type { PaymentDeps } from './payment-deps.js';
import type { PaymentQuery, PaymentQueryFilters } from './payment-query.schema.js';

export interface PaymentPage {
  /** Newest first. */
  readonly payments: readonly Payment[];
  readonly nextCursor: string | null;
}

export type QueryPayments = (query: PaymentQuery, principal: Principal) => Promise<PaymentPage>;

/** What a cursor is good for: this client and these filters, however their parameters were ordered. */
function scopeOf({ clientId }: Principal, filters: PaymentQueryFilters) {
  return [clientId, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))];
}

export function makeQueryPayments(deps: Pick<PaymentDeps, 'queries' | 'config'>): QueryPayments {
  const cursors = createPageCursors(deps.config.digestKey, 'payments');
  return async ({ size, cursor, ...filters }, principal) => {
    const scope = scopeOf(principal, filters);
    const after = cursor === undefined ? undefined : cursors.read(scope, cursor);
    if (cursor !== undefined && !after) {
      const message = 'is not the nextCursor of a page with these filters';
      throw new GatewayError('request-validation-errors', { params: { cursor: [message] } });
    }
    const { minAmount, maxAmount, ...rest } = filters;
    const amounts = amountRanges(minAmount, maxAmount, rest.currency);
    // One more than asked for tells whether there is another page.
    const found = await deps.queries.find(principal, { ...rest, amounts }, after, size + 1);
    const payments = found.payments.slice(0, size);
    const last = payments.at(-1);
    const end = last && found.payments.length > size ? { createdAt: last.createdAt, id: last._id } : found.stoppedAt;
    return { payments, nextCursor: end ? cursors.write(scope, end) : null };
  };
}
