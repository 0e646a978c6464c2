/**
 * From one route of a payment to the next (docs/routing.md): only when it is proved that the one before took no money. Each attempt
 * is a transaction, and a key, of its own; its work is stored in the same write that ends the attempt before. Pure.
 */
import { defined } from '../defined.js';
import type { Candidate, LeftReason, PaymentRouting } from '../routing/payment-routing.js';
import { type RouteTarget, routeTargetOf } from '../routing/route.js';
import { attemptsOf } from './attempts.js';
import type { Payment, Transaction, Work } from './payment.js';
import type { PlanContext } from './plan-context.js';
import { type Outcome, settleTransaction } from './settle.js';
import { newWork, operationInProgress, sendAgain } from './work.js';

export interface RouteContext extends PlanContext {
  /** Whether the circuit breaker of a route is open. */
  isOpen(route: RouteTarget): boolean;
}

/** How an attempt ended, and why the next route may follow. */
export interface Left {
  readonly reason: LeftReason;
  readonly outcome: Outcome;
}

const untried: ReadonlySet<Candidate['reason']> = new Set(['next', 'share']);
const lastResort: Candidate['reason'] = 'breaker-open';

/** One whose breaker is not open, in the merchant's order; else one whose breaker is: trying is better than losing the sale. */
function nextOf({ candidates }: PaymentRouting, { isOpen }: Pick<RouteContext, 'isOpen'>): Candidate | undefined {
  const fresh = candidates.filter(({ reason }) => untried.has(reason));
  const all = [...fresh, ...candidates.filter(({ reason }) => reason === lastResort)];
  return all.find((one) => !isOpen(one)) ?? all[0];
}

/** The payment at another of its routes. */
function movedTo(payment: Payment, routing: PaymentRouting, next: Candidate, left: Candidate['reason']): Payment {
  const candidates = routing.candidates.map((one): Candidate => {
    if (one === next) return { ...one, reason: 'chosen' };
    return one.reason === 'chosen' ? { ...one, reason: left } : one;
  });
  const { processor, acquirer, merchantIdentificationNumber, terminalNumber } = next;
  const target = { processor, acquirer, merchantIdentificationNumber, terminalNumber };
  return { ...payment, ...target, routing: { ...routing, candidates } };
}

/** Sources whose secret is a cvc: it is not needed for a second try. A cryptogram is, and counts once. */
const chargedByNumber: ReadonlySet<string> = new Set(['card', 'token']);

/** The issuer may have seen it: the card has to be chargeable without what went with it. */
const canDoWithout = ({ cvc, paymentMethod, savedCryptogram }: Payment): boolean =>
  savedCryptogram === undefined && (cvc === undefined || chargedByNumber.has(paymentMethod.source));

/** The merchant wants it, and the issuer allows it. */
const isWanted = ({ routing }: Payment, outcome: Outcome): boolean =>
  routing?.retrySoftDeclines === true && outcome.kind === 'declined' && outcome.advice === 'retry-later';

/** The issuer may have seen it, so the cvc goes. The proof of 3D Secure stays for the attempt that follows, and goes with its outcome. */
const withoutCvc = { cvc: undefined, cvcDestroyAt: undefined } as const;

function mayFollow(payment: Payment, txId: string, { reason, outcome }: Left, context: RouteContext): boolean {
  const { status, work } = payment;
  const isAuthorizing = (status === 'created' || status === 'pending') && operationInProgress(payment) === 'authorize';
  if (!isAuthorizing || work?.txId !== txId || context.now > payment.authorizeBy) return false;
  if (attemptsOf(payment) >= context.schedule.routeAttemptsMax) return false;
  if (reason === 'not-reached') return true;
  return canDoWithout(payment) && (reason === 'reversed' || isWanted(payment, outcome));
}

/**
 * The attempt `txId` is over and took no money: the payment goes on at its next route, under a key of its own. `undefined`: there is
 * none, or it may not follow; then the attempt's end is the payment's.
 */
export function planNextRoute(payment: Payment, txId: string, left: Left, context: RouteContext): Payment | undefined {
  const { routing, work } = payment;
  const tried = payment.transactions.find(({ id }) => id === txId);
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
 * The breaker of the route is open before anything was sent: the same attempt goes to another route, whose breaker is not.
 * `undefined`: there is none, so the route is tried all the same. A route that was left so is not come back to in this way.
 */
export function planAroundBreaker(payment: Payment, work: Work, context: RouteContext): Payment | undefined {
  const { routing } = payment;
  // A route that was tried before, and is still the payment's, is one that no other may follow.
  const next =
    work.tries > 0 ? undefined : routing?.candidates.find((one) => untried.has(one.reason) && !context.isOpen(one));
  if (!routing || !next) return undefined;
  return {
    ...movedTo(payment, routing, next, 'breaker-open'),
    updatedAt: context.now,
    work: sendAgain(work, 'authorize', context.now, work.tries),
  };
}
