/** Decides which of a merchant's routes a payment takes, and why. Pure: the same facts always give the same routes in the same order. */
import { parseAmount } from '../money/amount.js';
import type { ChosenReason } from './payment-routing.js';
import { type Route, type RouteConditions, type RouteTarget, routeTargetOf } from './route.js';

/** Facts of a payment that conditions check. */
export interface RouteFacts {
  readonly paymentId: string;
  readonly currency: string;
  readonly totalMinor: number;
  readonly brand: string;
  /** Absent: the BIN table does not know the card. */
  readonly origin?: string | undefined;
}

/** The current state of a route. */
export interface RouteState {
  /** What the payment needs and the processor does not support: an operation, or the kind of credential that is charged. */
  readonly lacks?: string | undefined;
  /** Whether the circuit breaker of the route is open: the processor was not reached recently. */
  readonly open?: boolean;
}

export interface RouteCandidate {
  readonly route: Route;
  readonly reason: ChosenReason;
  /** For `condition`: which one is not met. For `unable`: what the processor lacks. */
  readonly detail?: string;
}

const conditionNames = ['currencies', 'brands', 'amount', 'origins'] as const;
type ConditionName = (typeof conditionNames)[number];

function isWithin({ currency, totalMinor }: RouteFacts, { from, to }: NonNullable<RouteConditions['amount']>): boolean {
  const minor = (text: string | undefined, absent: number) => {
    if (text === undefined) return absent;
    const parsed = parseAmount(text, currency, { zeroAllowed: true });
    return parsed.kind === 'amount' ? parsed.minor : Number.NaN;
  };
  // A bound that is no valid amount of this currency becomes NaN and compares as false: the condition is not met.
  return totalMinor >= minor(from, 0) && totalMinor < minor(to, Number.POSITIVE_INFINITY);
}

const isMet: Readonly<Record<ConditionName, (facts: RouteFacts, conditions: RouteConditions) => boolean>> = {
  currencies: ({ currency }, { currencies = [] }) => currencies.includes(currency),
  brands: ({ brand }, { brands = [] }) => (brands as readonly string[]).includes(brand),
  amount: (facts, { amount = {} }) => isWithin(facts, amount),
  origins: ({ origin }, { origins = [] }) => (origins as readonly (string | undefined)[]).includes(origin),
};

const unmet = (facts: RouteFacts, conditions: RouteConditions = {}): ConditionName | undefined =>
  conditionNames.find((name) => conditions[name] !== undefined && !isMet[name](facts, conditions));

const HUNDRED = 100;
/** FNV-1a: distributed evenly enough for shares, and the same on every machine. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const RANGE = 2 ** 32;

/** Returns a number 0 ≤ x < 1 that depends only on the id: a payment that is planned again draws the same number. */
export function drawOf(paymentId: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < paymentId.length; index += 1) {
    hash = Math.imul(hash ^ paymentId.charCodeAt(index), PRIME);
  }
  // The hashes of ids that differ only in the last character differ in few bits, so the bits are mixed again (murmur3's finalizer).
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / RANGE;
}

/**
 * Returns the route whose share the payment draws; without shares the first route. When shares add up to more than 100, or no route takes
 * the rest, they are in proportion to each other.
 */
function startOf(paymentId: string, fit: readonly Route[]): Route | undefined {
  const rest = fit.find(({ share }) => share === undefined);
  const given = fit.reduce((sum, { share = 0 }) => sum + share, 0);
  const total = rest ? Math.max(given, HUNDRED) : given;
  let drawn = drawOf(paymentId) * total;
  for (const route of fit) {
    drawn -= route.share ?? 0;
    if (drawn < 0) return route;
  }
  return rest ?? fit[0];
}

/** Orders routes as they are tried: the drawn route, then the others as the merchant lists them. Routes with an open breaker are last. */
function inOrder(paymentId: string, fit: readonly Route[], isOpen: (route: Route) => boolean): RouteCandidate[] {
  const start = startOf(paymentId, fit);
  const skipped = start === undefined ? 0 : fit.indexOf(start);
  const ordered = start === undefined ? [] : [start, ...fit.filter((route) => route !== start)];
  const [chosen, ...rest] = [...ordered.filter((route) => !isOpen(route)), ...ordered.filter(isOpen)];
  if (chosen === undefined) return [];
  const reasonOf = (route: Route): ChosenReason => {
    if (isOpen(route)) return 'breaker-open';
    return fit.indexOf(route) < skipped ? 'share' : 'next';
  };
  return [{ route: chosen, reason: 'chosen' }, ...rest.map((route) => ({ route, reason: reasonOf(route) }))];
}

/**
 * Returns all routes, each with its reason: first the routes that the payment may take, in the order in which they are tried, beginning
 * with the chosen one; then the others. A route with an open breaker is chosen when no other is left: trying is better than losing a sale.
 */
export function chooseRoute(
  facts: RouteFacts,
  routes: readonly Route[],
  stateOf: (route: Route) => RouteState,
): readonly RouteCandidate[] {
  const fit: Route[] = [];
  const unfit: RouteCandidate[] = [];
  const open = new Set<Route>();
  for (const route of routes) {
    const condition = unmet(facts, route.conditions);
    const state = stateOf(route);
    if (condition !== undefined) unfit.push({ route, reason: 'condition', detail: condition });
    else if (state.lacks !== undefined) unfit.push({ route, reason: 'unable', detail: state.lacks });
    else fit.push(route);
    if (state.open) open.add(route);
  }
  return [...inOrder(facts.paymentId, fit, (route) => open.has(route)), ...unfit];
}

/** Returns the target of a route. Numbers that the route does not have come from the settings. */
export const targetOf = (
  { paymentProcessor, merchantIdentificationNumber, terminalNumber }: Route,
  settings: Pick<Route, 'merchantIdentificationNumber' | 'terminalNumber'>,
): RouteTarget =>
  routeTargetOf({
    processor: paymentProcessor.id,
    acquirer: paymentProcessor.acquirer,
    merchantIdentificationNumber: merchantIdentificationNumber ?? settings.merchantIdentificationNumber,
    terminalNumber: terminalNumber ?? settings.terminalNumber,
  });
