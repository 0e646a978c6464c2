import { routeFaults, routeNotices } from '../../scripts/gateway/doctor/judge-routes.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import type { Route } from '../../shared/domain/routing/route.js';

const route = (id: string, more: Partial<Route> = {}): Route => ({
  paymentProcessor: { id, acquirer: `${id}-bank` },
  ...more,
});
const first = route('iso8583');
const method = (routes: readonly Route[] | undefined, more: object = {}): MerchantPaymentMethod => ({
  merchantId: 1,
  id: 'visa',
  mode: 'gateway',
  enabled: true,
  settings: { paymentProcessor: { id: 'iso8583', acquirer: 'iso8583-bank' }, ...(routes && { routes }), ...more },
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const fine = () => undefined;
const currencies = (...codes: string[]) => ({ conditions: { currencies: codes } });

test.each<[string, readonly Route[] | undefined, readonly string[]]>([
  ['no list', undefined, []],
  ['a list that is right', [first, route('stripe', { share: 30 })], []],
  ['the same route twice', [first, first], ['has settings.routes.1 that is the same as routes.0']],
  [
    'shares that leave a rest that no route takes',
    [
      { ...first, share: 30 },
      { ...route('stripe'), share: 30 },
    ],
    [expect.stringMatching(/^has settings\.routes that have shares of 60 percent/)],
  ],
  ['without the processor of the settings', [route('stripe')], [expect.stringMatching(/must hold the route/)]],
  ["without the merchant's currency", [{ ...first, ...currencies('USD') }], [expect.stringMatching(/takes UYU/)]],
])('routes are checked: %s', (_name, routes, expected) => {
  expect(routeFaults(method(routes), { defaultCurrency: 'UYU' }, fine)).toEqual(expected);
});

test('the currencies of a route that is passed over do not count', () => {
  const problemOf = (processor: string) => (processor === 'stripe' ? 'names the processor "stripe"' : undefined);
  const routes = [
    { ...first, ...currencies('USD') },
    { ...route('stripe'), ...currencies('UYU') },
  ];
  expect(routeFaults(method(routes), { defaultCurrency: 'UYU' }, problemOf)).toEqual([
    'passes over routes.1 (stripe-bank), which names the processor "stripe"',
    "has no route that takes UYU, the merchant's currency",
  ]);
  expect(routeFaults(method(routes), {}, fine)).toEqual([]);
});

test('a restriction that may be intended is a notice, not a fault', () => {
  const routes = [
    { ...first, ...currencies('UYU') },
    { ...route('stripe'), ...currencies('USD') },
  ];
  expect(routeNotices(method(routes), false)).toEqual(['takes USD, UYU only, by its routes']);
  const asking = [{ ...first, conditions: { origins: ['uruguay'] as const } }];
  expect(routeNotices(method(asking), false)).toEqual([]);
  expect(routeNotices(method(asking), true)).toEqual([expect.stringMatching(/^refuses every card/)]);
  expect(routeNotices(method(undefined), true)).toEqual([]);
});
