/** Which route a payment takes and why: the table of reasons, and properties of every list of routes. */
import fc from 'fast-check';
import {
  chooseRoute,
  drawOf,
  type RouteCandidate,
  type RouteFacts,
  type RouteState,
  targetOf,
} from '../../shared/domain/routing/choose-route.js';
import type { Route } from '../../shared/domain/routing/route.js';

const route = (acquirer: string, more: Partial<Route> = {}): Route => ({
  paymentProcessor: { id: 'sandbox', acquirer },
  ...more,
});
const facts: RouteFacts = { paymentId: 'pay_1', currency: 'USD', totalMinor: 1050, brand: 'visa', origin: 'uruguay' };
const noState = (): RouteState => ({});
const shown = (candidates: readonly RouteCandidate[]) =>
  candidates.map(({ route: { paymentProcessor }, reason, detail }) =>
    [paymentProcessor.acquirer, reason, detail].filter((part) => part !== undefined).join(' '),
  );
const choose = (
  routes: readonly Route[],
  more: Partial<RouteFacts> = {},
  stateOf: (route: Route) => RouteState = noState,
) => shown(chooseRoute({ ...facts, ...more }, routes, stateOf));

/** Finds the first id whose draw is below this fraction of all payments. {@link idFrom}: at or above it. */
const idBelow = (part: number) => Array.from({ length: 1_000 }, (_, n) => `pay_${n}`).find((id) => drawOf(id) < part);
const idFrom = (part: number) => Array.from({ length: 1_000 }, (_, n) => `pay_${n}`).find((id) => drawOf(id) >= part);

describe('conditions', () => {
  const conditions: [string, Route['conditions'], Partial<RouteFacts>, string][] = [
    ['currency met', { currencies: ['UYU', 'USD'] }, {}, 'chosen'],
    ['currency not met', { currencies: ['UYU'] }, {}, 'condition currencies'],
    ['brand met', { brands: ['visa'] }, {}, 'chosen'],
    ['brand not met', { brands: ['amex'] }, {}, 'condition brands'],
    ['origin met', { origins: ['uruguay'] }, {}, 'chosen'],
    ['origin not met', { origins: ['international'] }, {}, 'condition origins'],
    ['origin unknown', { origins: ['uruguay', 'international'] }, { origin: undefined }, 'condition origins'],
    ['from is included', { currencies: ['USD'], amount: { from: '10.50' } }, {}, 'chosen'],
    ['below from', { currencies: ['USD'], amount: { from: '10.51' } }, {}, 'condition amount'],
    ['to is excluded', { currencies: ['USD'], amount: { to: '10.50' } }, {}, 'condition amount'],
    ['below to', { currencies: ['USD'], amount: { to: '10.51' } }, {}, 'chosen'],
    ['from nothing', { amount: { from: '0' } }, { totalMinor: 0 }, 'chosen'],
    ['in minor units of the currency', { amount: { from: '1050' } }, { currency: 'JPY' }, 'chosen'],
    ['no amount of this currency', { amount: { from: '10.5' } }, { currency: 'JPY' }, 'condition amount'],
    [
      'all met',
      { currencies: ['USD'], brands: ['visa'], origins: ['uruguay'], amount: { from: '1', to: '11' } },
      {},
      'chosen',
    ],
    ['the first that is not met is named', { currencies: ['UYU'], brands: ['amex'] }, {}, 'condition currencies'],
  ];
  test.each(conditions)('%s', (_name, given, more, expected) => {
    expect(choose([route('a', { conditions: given ?? {} })], more)).toEqual([`a ${expected}`]);
  });
});

test('a payment has the same draw on every machine and in every release, so its next try takes the same route', () => {
  expect(['', 'pay_1', 'pay_2'].map(drawOf)).toEqual([0.6689221884589642, 0.45178633090108633, 0.03471112088300288]);
});

test('the target of a route has the numbers of the route, else those of the settings', () => {
  const settings = { merchantIdentificationNumber: 'm', terminalNumber: 't' };
  const target = { processor: 'sandbox', acquirer: 'a' };
  expect(targetOf(route('a'), {})).toEqual(target);
  expect(targetOf(route('a'), settings)).toEqual({ ...target, ...settings });
  expect(targetOf(route('a', { terminalNumber: 'own' }), settings)).toEqual({
    ...target,
    ...settings,
    terminalNumber: 'own',
  });
  expect(targetOf(route('a', { merchantIdentificationNumber: 'own' }), settings)).toEqual({
    ...target,
    ...settings,
    merchantIdentificationNumber: 'own',
  });
});

describe('order and reasons', () => {
  test('the first route is chosen, and the others are next in the listed order', () => {
    expect(choose([route('a'), route('b'), route('c')])).toEqual(['a chosen', 'b next', 'c next']);
  });

  test('routes that cannot be taken come last, with the reason', () => {
    const routes = [route('a', { conditions: { currencies: ['UYU'] } }), route('b'), route('c'), route('d')];
    const stateOf = ({ paymentProcessor: { acquirer } }: Route) => (acquirer === 'b' ? { lacks: 'capture' } : {});
    expect(choose(routes, {}, stateOf)).toEqual(['c chosen', 'd next', 'a condition currencies', 'b unable capture']);
  });

  test('a route with an open breaker comes after the others, and is chosen if all breakers are open', () => {
    const open =
      (...acquirers: string[]) =>
      ({ paymentProcessor: { acquirer } }: Route) => ({
        open: acquirers.includes(acquirer),
      });
    const routes = [route('a'), route('b'), route('c')];
    expect(choose(routes, {}, open('a'))).toEqual(['b chosen', 'c next', 'a breaker-open']);
    expect(choose(routes, {}, open('a', 'b', 'c'))).toEqual(['a chosen', 'b breaker-open', 'c breaker-open']);
    expect(choose([route('a')], {}, open('a'))).toEqual(['a chosen']);
  });

  test('no route is chosen if none fits', () => {
    expect(choose([route('a', { conditions: { currencies: ['UYU'] } })])).toEqual(['a condition currencies']);
  });
});

describe('shares', () => {
  test('the draw decides, and the rest of the shares goes to the first route without a share', () => {
    const routes = [route('a', { share: 70 }), route('b'), route('c')];
    expect(choose(routes, { paymentId: idBelow(0.7) ?? '' })).toEqual(['a chosen', 'b next', 'c next']);
    expect(choose(routes, { paymentId: idFrom(0.7) ?? '' })).toEqual(['b chosen', 'a share', 'c next']);
  });

  test('a route with a share of 0 is used only when others fail', () => {
    const routes = [route('a', { share: 0 }), route('b', { share: 100 })];
    const ids = Array.from({ length: 200 }, (_, n) => `pay_${n}`);
    for (const paymentId of ids) expect(choose(routes, { paymentId })).toEqual(['b chosen', 'a share']);
    expect(choose([route('a', { share: 0 })])).toEqual(['a chosen']);
  });

  test('the share of a route that does not fit goes to the others in proportion', () => {
    const routes = [route('a', { share: 50, conditions: { currencies: ['UYU'] } }), route('b', { share: 50 })];
    expect(choose(routes, { paymentId: idFrom(0.9) ?? '' })[0]).toBe('b chosen');
  });

  test('shares under different conditions that exceed 100 in total count in proportion', () => {
    const conditions = [{ currencies: ['USD'] }, { brands: ['visa'] }] as const;
    const routes = [...conditions.map((one, n) => route(`r${n}`, { share: 80, conditions: one })), route('rest')];
    expect(choose(routes, { paymentId: idBelow(0.5) ?? '' })[0]).toBe('r0 chosen');
    // The draw is from 0.5 to 0.8. Without the proportion the first share would end only at 0.8.
    const between = Array.from({ length: 1_000 }, (_, n) => `pay_${n}`).find(
      (id) => drawOf(id) >= 0.5 && drawOf(id) < 0.8,
    );
    expect(choose(routes, { paymentId: between ?? '' })[0]).toBe('r1 chosen');
  });

  test('each route gets its percentage of many payments', () => {
    const routes = [route('a', { share: 70 }), route('b', { share: 20 }), route('c')];
    const counts: Record<string, number> = {};
    const of = 20_000;
    for (let n = 0; n < of; n += 1) {
      const [first] = chooseRoute({ ...facts, paymentId: `pay_${n.toString(16).padStart(32, '0')}` }, routes, noState);
      const { acquirer = '' } = first?.route.paymentProcessor ?? {};
      counts[acquirer] = (counts[acquirer] ?? 0) + 1;
    }
    expect((counts.a ?? 0) / of).toBeCloseTo(0.7, 1);
    expect((counts.b ?? 0) / of).toBeCloseTo(0.2, 1);
    expect((counts.c ?? 0) / of).toBeCloseTo(0.1, 1);
  });
});

describe('for every list of routes', () => {
  const currency = fc.constantFrom('USD', 'UYU', 'JPY');
  const anyRoute = fc
    .record(
      {
        share: fc.integer({ min: 0, max: 100 }),
        conditions: fc.record({ currencies: fc.uniqueArray(currency, { minLength: 1 }) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    .map((more) => more as Partial<Route>);
  const lists = fc
    .array(anyRoute, { minLength: 1, maxLength: 8 })
    .map((all) => all.map((more, index) => route(`r${index}`, more)));
  const someFacts = fc
    .record({ paymentId: fc.string(), currency, totalMinor: fc.nat() })
    .map((more) => ({ ...facts, ...more }));
  const opens = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
  const withOpen = (open: readonly boolean[], routes: readonly Route[]) => (one: Route) => ({
    open: open[routes.indexOf(one)] ?? false,
  });

  test('each route appears once, and at most the first is chosen', () => {
    fc.assert(
      fc.property(lists, someFacts, opens, (routes, given, open) => {
        const found = chooseRoute(given, routes, withOpen(open, routes));
        expect(new Set(found.map((one) => one.route))).toEqual(new Set(routes));
        expect(found).toHaveLength(routes.length);
        const fits = found.filter(({ reason }) => reason !== 'condition' && reason !== 'unable');
        expect(found.filter(({ reason }) => reason === 'chosen')).toEqual(fits.slice(0, 1));
        expect(found.slice(0, fits.length)).toEqual(fits);
      }),
    );
  });

  test('equal facts give equal results; an open route is chosen only if all routes that fit are open', () => {
    fc.assert(
      fc.property(lists, someFacts, opens, (routes, given, open) => {
        const stateOf = withOpen(open, routes);
        const found = chooseRoute(given, routes, stateOf);
        expect(chooseRoute(given, routes, stateOf)).toEqual(found);
        const fits = found.filter(({ reason }) => reason !== 'condition');
        const [chosen] = fits;
        if (chosen && stateOf(chosen.route).open) expect(fits.every((one) => stateOf(one.route).open)).toBe(true);
      }),
    );
  });

  test('a draw is at least 0 and less than 1', () => {
    fc.assert(fc.property(fc.string(), (id) => drawOf(id) >= 0 && drawOf(id) < 1));
  });
});
