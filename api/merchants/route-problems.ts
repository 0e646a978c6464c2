/** Checks of a list of routes beyond the form of its fields: no duplicates, shares that add up, conditions that can be met. */
import { amountProblems, parseAmount } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import type { Route, RouteConditions } from '../../shared/domain/routing/route.js';
import type { SettingsDraft, SettingsProblem } from './payment-method-configuration.js';

const ALL_PERCENT = 100;

/** Returns a key that is equal for equal conditions, whatever the order of their fields and values. */
function conditionKey({ currencies, brands, amount, origins }: RouteConditions = {}): string {
  const sorted = (list: readonly string[] | undefined) => list && [...list].sort();
  return JSON.stringify([sorted(currencies), sorted(brands), amount?.from, amount?.to, sorted(origins)]);
}

const targetKey = ({ paymentProcessor: { id, acquirer }, merchantIdentificationNumber, terminalNumber }: Route) =>
  JSON.stringify([id, acquirer, merchantIdentificationNumber, terminalNumber]);

function amountProblem({ amount, currencies }: RouteConditions): string | undefined {
  if (!amount) return undefined;
  if (!currencies) return 'needs currencies: an amount says nothing without one';
  for (const currency of currencies) {
    const [from, to] = [amount.from, amount.to].map((text) =>
      text === undefined ? undefined : parseAmount(text, currency, { zeroAllowed: true }),
    );
    const wrong = [from, to].find((parsed) => parsed?.kind === 'problem');
    if (wrong?.kind === 'problem') return `is no amount of ${currency}: ${amountProblems[wrong.problem]}`;
    if (to?.kind === 'amount' && to.minor <= (from?.kind === 'amount' ? from.minor : 0)) {
      return 'takes no payment: `to` must be greater than `from`';
    }
  }
  return undefined;
}

function conditionProblems({ conditions }: Route, at: string): SettingsProblem[] {
  if (!conditions) return [];
  const problems: SettingsProblem[] = [];
  const unknown = conditions.currencies?.find((currency) => !findCurrency(currency));
  if (unknown !== undefined) problems.push({ field: `${at}.conditions.currencies`, reason: 'holds no currency code' });
  const reason = unknown === undefined ? amountProblem(conditions) : undefined;
  if (reason !== undefined) problems.push({ field: `${at}.conditions.amount`, reason });
  return problems;
}

function repeated(routes: readonly Route[]): SettingsProblem[] {
  const keys = routes.map((route) => `${targetKey(route)} ${conditionKey(route.conditions)}`);
  return keys.flatMap((key, index) => {
    const first = keys.indexOf(key);
    if (first === index) return [];
    return [{ field: `routes.${index}`, reason: `is the same as routes.${first}` }];
  });
}

/** Checks the shares of routes with the same conditions. Without the check, a missing rest would be distributed silently. */
function shareProblems(routes: readonly Route[]): SettingsProblem[] {
  const sums = new Map<string, number>();
  for (const { share = 0, conditions } of routes) {
    const key = conditionKey(conditions);
    sums.set(key, (sums.get(key) ?? 0) + share);
  }
  const given = [...sums.values()];
  const over = given.find((sum) => sum > ALL_PERCENT);
  if (over !== undefined) {
    return [{ field: 'routes', reason: `have shares of ${over} percent under the same conditions: at most 100` }];
  }
  const withoutRest = routes.every(({ share }) => share !== undefined);
  const under = withoutRest ? given.find((sum) => sum < ALL_PERCENT) : undefined;
  if (under === undefined) return [];
  const reason = `have shares of ${under} percent under the same conditions: they must be 100, or one route without a share takes the rest`;
  return [{ field: 'routes', reason }];
}

/** Lists all problems of the routes in these settings, each with its field. */
export function routeProblems(settings: SettingsDraft): SettingsProblem[] {
  const { routes, retrySoftDeclines, paymentFacilitator } = settings;
  if (!routes) {
    return retrySoftDeclines === undefined
      ? []
      : [{ field: 'retrySoftDeclines', reason: 'is only allowed with routes' }];
  }
  if (paymentFacilitator) {
    return [{ field: 'routes', reason: 'belongs to gateway mode and is not allowed with paymentFacilitator' }];
  }
  return [
    ...routes.flatMap((route, index) => conditionProblems(route, `routes.${index}`)),
    ...repeated(routes),
    ...shareProblems(routes),
  ];
}

/**
 * Why the list does not match the method and its `paymentProcessor`; `undefined` when it does. Readers of the settings rely on
 * `paymentProcessor` being a route that payments really take.
 */
export function listProblem(id: PaymentMethodId, { routes = [], paymentProcessor }: SettingsDraft): string | undefined {
  const { id: code, acquirer } = paymentProcessor ?? {};
  const isListed = routes.some(({ paymentProcessor: one }) => one.id === code && one.acquirer === acquirer);
  if (!isListed) return 'must hold the route of paymentProcessor, with its id and acquirer';
  const brandsOf = ({ conditions }: Route): readonly string[] | undefined => conditions?.brands;
  if (routes.some((route) => brandsOf(route)?.includes(id) ?? true)) return undefined;
  return `take no payment of ${id}: their conditions name other brands only`;
}
