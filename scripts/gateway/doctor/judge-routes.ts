/** Finds faults in a method's routes although payments can be made by it, each as the end of a sentence about the method. */
import type { ProblemOf } from '../../../api/merchants/charge-problem.js';
import { listProblem, routeProblems } from '../../../api/merchants/route-problems.js';
import type { Merchant, MerchantPaymentMethod } from '../../../shared/domain/merchant.js';
import { supportsCurrency } from '../../../shared/domain/payment-method-catalog.js';
import type { Route } from '../../../shared/domain/routing/route.js';

/** Returns the currencies that the routes take. Undefined when one route takes all. */
function currenciesOf(routes: readonly Route[]): ReadonlySet<string> | undefined {
  const lists = routes.map(({ conditions }) => conditions?.currencies);
  return lists.includes(undefined) ? undefined : new Set(lists.flatMap((list) => list ?? []));
}

/** Returns a sentence when payments skip the route because its processor has a problem. */
function describeSkippedRoute(
  { paymentProcessor: { id, acquirer } }: Route,
  index: number,
  problemOf: ProblemOf,
): string[] {
  const problem = problemOf(id);
  return problem === undefined ? [] : [`passes over routes.${index} (${acquirer}), which ${problem}`];
}

export function routeFaults(
  { id, settings }: MerchantPaymentMethod,
  { defaultCurrency }: Pick<Merchant, 'defaultCurrency'>,
  problemOf: ProblemOf,
): readonly string[] {
  const { routes } = settings;
  if (!routes) return [];
  const list = listProblem(id, settings);
  const usable = routes.filter(({ paymentProcessor }) => problemOf(paymentProcessor.id) === undefined);
  const taken = currenciesOf(usable);
  const own = defaultCurrency !== undefined && supportsCurrency(id, defaultCurrency) ? defaultCurrency : undefined;
  return [
    ...routeProblems(settings).map(({ field, reason }) => `has settings.${field} that ${reason}`),
    ...(list === undefined ? [] : [`has settings.routes that ${list}`]),
    ...routes.flatMap((route, index) => describeSkippedRoute(route, index, problemOf)),
    ...routes.flatMap(({ conditions }, index) =>
      conditions?.currencies?.some((currency) => supportsCurrency(id, currency)) === false
        ? [`has routes.${index}, which takes no currency of the method`]
        : [],
    ),
    ...(own !== undefined && taken?.has(own) === false
      ? [`has no route that takes ${own}, the merchant's currency`]
      : []),
  ];
}

/** Finds what is worth knowing about the routes, and may be intended. */
export function routeNotices(
  { settings: { routes } }: MerchantPaymentMethod,
  isBinTableEmpty: boolean,
): readonly string[] {
  if (!routes) return [];
  const taken = currenciesOf(routes);
  const found = taken ? [`takes ${[...taken].sort().join(', ')} only, by its routes`] : [];
  const asksOrigin = isBinTableEmpty && routes.every(({ conditions }) => conditions?.origins !== undefined);
  return asksOrigin
    ? [...found, 'refuses every card: its routes ask where it was issued, and the BIN table is empty']
    : found;
}
