/**
 * The attempts of a payment. The transaction of a route that was left is before the transaction of the next route. The newest attempt
 * decides the state of the payment (docs/routing.md).
 */

import { type RouteTarget, routeTargetOf } from '../routing/route.js';
import type { Payment, Transaction } from './payment.js';
import { findTransaction } from './transaction.js';

type Transactions = Pick<Payment, 'transactions'>;

export const isAttempt = ({ kind }: Transaction) => kind === 'purchase' || kind === 'authorization';

/** Returns the purchase or authorization that counts: the one that no other route followed. */
export const authorizationOf = ({ transactions }: Transactions): Transaction | undefined =>
  transactions.find((tx) => isAttempt(tx) && tx.leftRoute === undefined);

/** Returns how many routes were tried, including the current route. */
export const attemptsOf = ({ transactions }: Transactions): number =>
  transactions.filter(({ leftRoute }) => leftRoute !== undefined).length + 1;

/** Returns the transaction that answers a caller who waits for `txId`: for an attempt that another followed, the one that counts. */
export function answeredBy(payment: Transactions, txId: string): Transaction | undefined {
  const tx = findTransaction(payment, txId);
  return tx?.leftRoute ? authorizationOf(payment) : tx;
}

/** Returns the route of a transaction: its own if another route followed, else the payment's. A reversal has the route of its original. */
export function routeOf(payment: Transactions & Parameters<typeof routeTargetOf>[0], txId: string): RouteTarget {
  const named = findTransaction(payment, txId);
  const original = named?.kind === 'reversal' ? named.referenceId : txId;
  const tx = findTransaction(payment, original);
  return tx?.leftRoute ?? routeTargetOf(payment);
}
