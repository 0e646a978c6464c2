/** Requests of the port that the tests of the Stripe adapter send: 10.50 USD under a key of their own. */
import type { AuthorizeRequest, FollowUpRequest } from '../../../shared/processors/processor.js';

let keys = 0;
/** Also another one than in an earlier run: what keeps its state between runs sees each key once. */
export const newKey = () => `txn_${process.pid}_${++keys}`;

export const base = { currency: 'USD', acquirer: 'stripe', merchant: { id: 1, name: 'Casa' }, traceId: 'trace' };
export const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123', holderName: 'Ana Paz' };

export const request = (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest => ({
  ...base,
  key: newKey(),
  amountMinor: 1_050,
  capture: true,
  verification: false,
  money: {},
  order: { referenceId: 'order-7', invoiceNumber: 'INV-7' },
  payer: {},
  credential: { source: 'card', card },
  ...more,
});

export const onto = (original: AuthorizeRequest, more: Partial<FollowUpRequest> = {}): FollowUpRequest => ({
  ...base,
  key: newKey(),
  original: original.key,
  originalReferences: {},
  originalAmountMinor: original.amountMinor,
  amountMinor: original.amountMinor,
  order: original.order,
  ...more,
});
