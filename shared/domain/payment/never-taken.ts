import { responseCodes } from '../response-codes.js';
import type { Transaction } from './transaction.js';

/**
 * Whether the processor never takes the payment: the adapter refused it before anything was sent (docs/processors.md), or the processor
 * refused its amount, and both would again. Its error code is the same as for an acquirer that was not reached, where retrying later
 * helps.
 */
export const isNeverTaken = ({ status, resultCode }: Pick<Transaction, 'status' | 'resultCode'>): boolean =>
  status === 'failed' && resultCode === responseCodes.notSupported;
