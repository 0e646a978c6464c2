/** Requests of the port for tests of the test processor: 10.00 USD with a key of their own, nothing but what has to be there. */
import { randomUUID } from 'node:crypto';
import type {
  AuthorizeRequest,
  FollowUpRequest,
  InquireRequest,
  ReverseRequest,
} from '../../shared/processors/processor.js';
import { cardOf } from './sandbox/sandbox-harness.js';

const base = () => ({
  key: randomUUID() as string,
  amountMinor: 1_000,
  currency: 'USD',
  acquirer: 'sandbox',
  merchant: { id: 1, name: 'Shop' },
  traceId: 'trace',
});
const order = { referenceId: 'order-1', invoiceNumber: 'INV-1' };

export const authorizeRequest = (number: string, more: Partial<AuthorizeRequest> = {}): AuthorizeRequest => ({
  ...base(),
  money: {},
  order,
  payer: {},
  credential: { source: 'card', card: cardOf(number) },
  capture: true,
  verification: false,
  ...more,
});

export const followUpRequest = (original: string, more: Partial<FollowUpRequest> = {}): FollowUpRequest => ({
  ...base(),
  original,
  originalReferences: {},
  originalAmountMinor: 1_000,
  order,
  ...more,
});

export const inquireRequest = (key: string, more: Partial<InquireRequest> = {}): InquireRequest => ({
  ...base(),
  key,
  operation: 'authorize',
  references: {},
  ...more,
});

export const reverseRequest = (original: string, more: Partial<ReverseRequest> = {}): ReverseRequest => ({
  ...base(),
  key: `${original}-reverse`,
  original,
  originalReferences: {},
  ...more,
});
