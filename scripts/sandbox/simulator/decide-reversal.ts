/** Decides the result of a reversal. */
import { type Books, findEffective } from './books.js';

export type ReversalDecision =
  /** The operation is in effect and is reversed now. */
  | { readonly kind: 'reverse'; readonly amountMinor: number; readonly ticket: string }
  /** The operation exists, but is not in effect (reversed before, declined, cancelled): there is nothing to do. */
  | { readonly kind: 'nothing-stands'; readonly ticket: string }
  | { readonly kind: 'not-found' }
  /** Later operations depend on it. */
  | { readonly kind: 'refused' };

export function decideReversal(books: Books, originalKey: string): ReversalDecision {
  const newest = books.find(originalKey);
  if (newest === undefined) return { kind: 'not-found' };
  const operation = findEffective(books, originalKey);
  if (operation === undefined || operation.cancelled) return { kind: 'nothing-stands', ticket: newest.ticket };
  const { line, ticket } = operation;
  const capturedLater = line.kind === 'authorization' && operation.capturedMinor > 0;
  if (capturedLater || operation.refundedMinor > 0) return { kind: 'refused' };
  // A refund is attached to the authorization, not to its capture.
  const refundedLater = line.kind === 'capture' && (operation.originalOperation?.refundedMinor ?? 0) > 0;
  if (refundedLater) return { kind: 'refused' };
  return { kind: 'reverse', amountMinor: line.amountMinor, ticket };
}
