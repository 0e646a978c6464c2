import { responseCodes } from '../response-codes.js';
import type { Transaction } from './transaction.js';

/**
 * The processor has no way to take it: the adapter refused it before anything was sent (docs/processors.md), and would again. It has the
 * error code of an acquirer that is not reached, for which trying later helps.
 */
export const isNotTaken = ({ status, resultCode }: Pick<Transaction, 'status' | 'resultCode'>): boolean =>
  status === 'failed' && resultCode === responseCodes.notSupported;
