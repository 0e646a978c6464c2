/**
 * The attempts of a payment: a route that was left has its transaction before the one of the route that followed. What the payment
 * is, the newest attempt says (docs/routing.md).
 */
import { type RouteTarget, routeTargetOf } from '../routing/route.js';
import type { Payment, Transaction } from './payment.js';

type Transactions = Pick<Payment, 'transactions'>;

export const isAttempt = ({ kind }: Transaction) => kind === 'purchase' || kind === 'authorization';

/** The purchase or authorization that counts: no other route followed it. */
export const authorizationOf = ({ transactions }: Transactions): Transaction | undefined =>
  transactions.find((tx) => isAttempt(tx) && tx.leftRoute === undefined);

/** How many routes were tried. */
export const attemptsOf = ({ transactions }: Transactions): number =>
  transactions.filter(({ leftRoute }) => leftRoute !== undefined).length + 1;

/** What a caller who waits for this transaction is answered by: of an attempt that another followed, the one that counts. */
export function answeredBy(payment: Transactions, txId: string): Transaction | undefined {
  const tx = payment.transactions.find(({ id }) => id === txId);
  return tx?.leftRoute ? authorizationOf(payment) : tx;
}

/** Where the transaction went, or goes: its own route where another followed, else the payment's. A reversal goes where its original went. */
export function routeOf(payment: Transactions & Parameters<typeof routeTargetOf>[0], txId: string): RouteTarget {
  const named = payment.transactions.find(({ id }) => id === txId);
  const original = named?.kind === 'reversal' ? named.referenceId : txId;
  const tx = payment.transactions.find(({ id }) => id === original);
  return tx?.leftRoute ?? routeTargetOf(payment);
}
