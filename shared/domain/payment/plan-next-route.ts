/**
 * Moves a payment from one route to the next (docs/routing.md), only when it is proved that the route before took no money. Each attempt
 * has its own transaction and key. Its work is stored in the same write that ends the attempt before. Pure.
 */

import { defined } from '../defined.js';
import type { Candidate, LeftReason, PaymentRouting } from '../routing/payment-routing.js';
import { type RouteTarget, routeTargetOf } from '../routing/route.js';
import { attemptsOf } from './attempts.js';
import type { Payment, Transaction, Work } from './payment.js';
import type { PlanContext } from './plan-context.js';
import { type Outcome, settleTransaction } from './settle.js';
import { findTransaction } from './transaction.js';
import { newWork, operationInProgress, sendAgain } from './work.js';

export interface RouteContext extends PlanContext {
  /** Whether the circuit breaker of a route is open. */
  isOpen(route: RouteTarget): boolean;
}

/** How an attempt ended, and why its route is left. */
export interface Left {
  readonly reason: LeftReason;
  readonly outcome: Outcome;
}

const untried: ReadonlySet<Candidate['reason']> = new Set(['next', 'share']);
const lastResort: Candidate['reason'] = 'breaker-open';

/** Returns the next route whose breaker is not open, in the merchant's order; else an open one: trying is better than losing the sale. */
function nextOf({ candidates }: PaymentRouting, { isOpen }: Pick<RouteContext, 'isOpen'>): Candidate | undefined {
  const fresh = candidates.filter(({ reason }) => untried.has(reason));
  const all = [...fresh, ...candidates.filter(({ reason }) => reason === lastResort)];
  return all.find((one) => !isOpen(one)) ?? all[0];
}

/** Moves the payment to another of its routes. */
function movedTo(payment: Payment, routing: PaymentRouting, next: Candidate, left: Candidate['reason']): Payment {
  const candidates = routing.candidates.map((one): Candidate => {
    if (one === next) return { ...one, reason: 'chosen' };
    return one.reason === 'chosen' ? { ...one, reason: left } : one;
  });
  const { processor, acquirer, merchantIdentificationNumber, terminalNumber } = next;
  const target = { processor, acquirer, merchantIdentificationNumber, terminalNumber };
  return { ...payment, ...target, routing: { ...routing, candidates } };
}

/** Sources whose secret is a cvc, which a second attempt does not need. A cryptogram is needed, and is valid only once. */
const chargedByNumber: ReadonlySet<string> = new Set(['card', 'token']);

/** Whether the card can be charged without the secret that was sent with it, because the issuer may have seen the secret. */
const isChargeableWithoutSecret = ({ cvc, paymentMethod, savedCryptogram }: Payment): boolean =>
  savedCryptogram === undefined && (cvc === undefined || chargedByNumber.has(paymentMethod.source));

/** Whether the merchant wants another route after a decline, and the issuer advises to retry. */
const isWanted = ({ routing }: Payment, outcome: Outcome): boolean =>
  routing?.retrySoftDeclines === true && outcome.kind === 'declined' && outcome.advice === 'retry-later';

/** Removes the cvc, which the issuer may have seen. The proof of 3D Secure stays for the next attempt and is destroyed with its outcome. */
const withoutCvc = { cvc: undefined, cvcDestroyAt: undefined } as const;

function mayFollow(payment: Payment, txId: string, { reason, outcome }: Left, context: RouteContext): boolean {
  const { status, work } = payment;
  const isAuthorizing = (status === 'created' || status === 'pending') && operationInProgress(payment) === 'authorize';
  if (!isAuthorizing || work?.txId !== txId || context.now > payment.authorizeBy) return false;
  if (attemptsOf(payment) >= context.schedule.routeAttemptsMax) return false;
  if (reason === 'not-reached') return true;
  return isChargeableWithoutSecret(payment) && (reason === 'reversed' || isWanted(payment, outcome));
}

/**
 * Continues a payment at its next route, under a new key, after the attempt `txId` ended without taking money. `undefined`: there is no
 * next route, or it may not follow; then the payment ends as the attempt did.
 */
export function planNextRoute(payment: Payment, txId: string, left: Left, context: RouteContext): Payment | undefined {
  const { routing, work } = payment;
  const tried = findTransaction(payment, txId);
  if (!routing || !work || !tried || !mayFollow(payment, txId, left, context)) return undefined;
  const next = nextOf(routing, context);
  if (!next) return undefined;
  const { kind, referenceId, amountMinor, actorKeyId } = tried;
  const id = context.newTxId();
  const attempt: Transaction = {
    id,
    kind,
    referenceId,
    amountMinor,
    status: 'created',
    createdAt: context.now,
    ...defined({ actorKeyId }),
  };
  const ended = { ...settleTransaction(tried, left.outcome, context.now), leftRoute: routeTargetOf(payment) };
  return {
    ...movedTo(payment, routing, next, left.reason),
    ...(left.reason !== 'not-reached' && withoutCvc),
    updatedAt: context.now,
    transactions: [...payment.transactions.map((tx) => (tx === tried ? ended : tx)), attempt],
    work: { ...newWork('authorize', id, context.now), gen: work.gen + 1 },
  };
}

/**
 * Moves an attempt of which nothing was sent from a route whose breaker is open to a route whose breaker is not. `undefined`: there is
 * no such route, so the current route is tried all the same. This function never returns to a route that it left.
 */
export function planAroundBreaker(payment: Payment, work: Work, context: RouteContext): Payment | undefined {
  const { routing } = payment;
  // If the current route was tried before, no other route may follow it.
  const next =
    work.tries > 0 ? undefined : routing?.candidates.find((one) => untried.has(one.reason) && !context.isOpen(one));
  if (!routing || !next) return undefined;
  return {
    ...movedTo(payment, routing, next, 'breaker-open'),
    updatedAt: context.now,
    work: sendAgain(work, 'authorize', context.now, work.tries),
  };
}
