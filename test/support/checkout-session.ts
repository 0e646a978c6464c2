/** Creates checkouts of the gateway under test, as a shop does. */
import { randomUUID } from 'node:crypto';
import type { TestGateway } from './gateway.js';

/**
 * Creates a checkout session of USD 122.00 under a new reference.
 * @param request fields that replace those of its `paymentRequest`
 * @param more fields of the session
 */
export async function makeCheckout(
  gateway: TestGateway,
  request: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) {
  const reference = `order-${randomUUID()}`;
  const amount = { total: 122, currency: 'USD' };
  const { status, body } = await gateway.call('POST', '/v1/sessions', {
    merchantId: 1001,
    referenceId: `session-${reference}`,
    type: 'checkout',
    paymentRequest: { referenceId: reference, invoiceNumber: 'A-000731', amount, ...request },
    ...more,
  });
  expect([status, body.params]).toEqual([200, undefined]);
  const { pathname, search } = new URL(body.actions[0].href);
  const path = `${pathname}${search}`;
  return { id: body.id as string, reference, path, url: `${gateway.baseUrl}${path}` };
}

/** Returns the payments under a reference, newest first, as the API shows them. */
export async function paymentsUnder<P extends object = { readonly status: string }>(
  gateway: TestGateway,
  reference: string,
): Promise<readonly P[]> {
  return (await gateway.call('GET', `/v1/payments/query?referenceId=${reference}`)).body.data;
}
