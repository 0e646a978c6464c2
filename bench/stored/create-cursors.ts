/**
 * Makes cursors of `GET /v1/payments/query` as the API makes them, so that a page deep inside can be requested without paging to it. It is
 * TypeScript, so that the compiler sees when it no longer fits the API.
 */
import { createPageCursors } from '../../api/http/page-cursor.js';
import { paymentQuerySchema } from '../../api/payments/payment-query.schema.js';
import { cursorScopeOf } from '../../api/payments/query-payments.js';

/**
 * Returns the function that makes the cursor of a client's page at a depth: the share of all payments that are newer.
 * @param digestKey setting of the API (base64)
 */
export function createCursors(digestKey: string, client: { clientId: string }, timeAt: (share: number) => Date) {
  const cursors = createPageCursors(Buffer.from(digestKey, 'base64'), 'payments');
  return (filter: Readonly<Record<string, string>>, depth: number): string => {
    const { value, error } = paymentQuerySchema.validate(filter);
    if (error) throw new Error(`No filter of the query: ${error.message}`);
    const { size: _size, ...filters } = value;
    return cursors.write(cursorScopeOf(client, filters), { createdAt: timeAt(1 - depth), id: 'pay_' });
  };
}
