/** The rules for a list of routes: each refusal, with the field that it names. */
import type { SettingsDraft } from '../../api/merchants/payment-method-configuration.js';
import { listProblem, routeProblems } from '../../api/merchants/route-problems.js';
import type { Route } from '../../shared/domain/routing/route.js';

const route = (acquirer: string, more: Partial<Route> = {}): Route => ({
  paymentProcessor: { id: 'sandbox', acquirer },
  ...more,
});
const gateway: SettingsDraft = {
  merchantIdentificationNumber: '1',
  paymentProcessor: { id: 'sandbox', acquirer: 'a' },
};
const problemsOf = (routes: readonly Route[], more: Partial<SettingsDraft> = {}) =>
  routeProblems({ ...gateway, ...more, routes }).map(({ field, reason }) => `${field} ${reason}`);
const usd = (amount: NonNullable<Route['conditions']>['amount']) => ({ currencies: ['USD'], amount: amount ?? {} });

test.each<[string, readonly Route[]]>([
  ['one route', [route('a')]],
  ['two to one acquirer, under two numbers', [route('a', { merchantIdentificationNumber: '7' }), route('a')]],
  ['one acquirer under different conditions', [route('a', { conditions: { currencies: ['USD'] } }), route('a')]],
  ['shares with a rest', [route('a', { share: 70 }), route('b')]],
  ['shares that add up', [route('a', { share: 70 }), route('b', { share: 30 })]],
  [
    'shares that add up under each condition',
    [
      route('a', { share: 60, conditions: { currencies: ['USD', 'UYU'] } }),
      route('b', { share: 40, conditions: { currencies: ['UYU', 'USD'] } }),
      route('a', { share: 100, conditions: { currencies: ['BRL'] } }),
    ],
  ],
  [
    'two ranges that meet',
    [route('a', { conditions: usd({ to: '100' }) }), route('b', { conditions: usd({ from: '100' }) })],
  ],
])('accepted: %s', (_name, routes) => {
  expect(problemsOf(routes)).toEqual([]);
});

test.each<[string, readonly Route[], string]>([
  ['one twice', [route('a'), route('b'), route('a')], 'routes.2 is the same as routes.0'],
  [
    'one twice, in other words',
    [
      route('a', { conditions: { currencies: ['USD', 'UYU'] } }),
      route('a', { conditions: { currencies: ['UYU', 'USD'] } }),
    ],
    'routes.1 is the same as routes.0',
  ],
  [
    'too much',
    [route('a', { share: 70 }), route('b', { share: 31 })],
    'routes have shares of 101 percent under the same conditions: at most 100',
  ],
  [
    'too little, and no rest',
    [route('a', { share: 70 }), route('b', { share: 20 })],
    'routes have shares of 90 percent under the same conditions: they must be 100, or one route without a share takes the rest',
  ],
  [
    'an amount of no currency',
    [route('a', { conditions: { amount: { from: '1' } } })],
    'routes.0.conditions.amount needs currencies: an amount says nothing without one',
  ],
  [
    'more decimals than the currency has',
    [route('a', { conditions: { currencies: ['USD', 'JPY'], amount: { from: '1.5' } } })],
    'routes.0.conditions.amount is no amount of JPY: has more decimals than the currency',
  ],
  [
    'a range that holds nothing',
    [route('a', { conditions: usd({ from: '10', to: '10.00' }) })],
    'routes.0.conditions.amount takes no payment: `to` must be greater than `from`',
  ],
  [
    'less than nothing',
    [route('a', { conditions: usd({ to: '0' }) })],
    'routes.0.conditions.amount takes no payment: `to` must be greater than `from`',
  ],
  [
    'an unknown currency',
    [route('a', { conditions: { currencies: ['XQQ'] } })],
    'routes.0.conditions.currencies holds no currency code',
  ],
])('refused: %s', (_name, routes, problem) => {
  expect(problemsOf(routes)).toEqual([problem]);
});

test('routes are for gateway mode only, and retrySoftDeclines is for routes only', () => {
  const facilitator: SettingsDraft = {
    paymentFacilitator: { id: 'f', merchantId: 's' },
    paymentProcessor: { acquirer: 'a' },
    routes: [route('a')],
  };
  expect(routeProblems(facilitator).map(({ field }) => field)).toEqual(['routes']);
  expect(routeProblems({ ...gateway, retrySoftDeclines: true }).map(({ field }) => field)).toEqual([
    'retrySoftDeclines',
  ]);
});

test('a list must hold the route of paymentProcessor and take payments of the method', () => {
  const amexOnly = route('a', { conditions: { brands: ['amex'] } });
  const problem = (id: 'visa' | 'amex', routes: readonly Route[]) => listProblem(id, { ...gateway, routes });
  expect(problem('visa', [route('a')])).toBeUndefined();
  expect(problem('visa', [route('b')])).toMatch(/must hold the route of paymentProcessor/);
  expect(problem('visa', [amexOnly])).toMatch(/take no payment of visa/);
  // One list may be given to several methods.
  expect(problem('visa', [amexOnly, route('b')])).toBeUndefined();
  expect(problem('amex', [amexOnly])).toBeUndefined();
});
