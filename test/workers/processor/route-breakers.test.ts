/** The circuit breaker of a route: what opens it, how it recovers, and what it never does. */
import { createLog } from '../../../shared/log.js';
import { createMetrics } from '../../../shared/metrics.js';
import type { SendResult } from '../../../shared/processors/processor.js';
import { createRouteBreakers } from '../../../workers/processor/route-breakers.js';
import { approved, declined, notSent, unknown } from './fake-processor.js';

const settings = { failuresMax: 3, withinMs: 1_000, openMs: 100, openMsMax: 400, watchedMax: 4 };
const a = { processor: 'one', acquirer: 'a' };
const b = { processor: 'one', acquirer: 'b' };

function breakers() {
  let nowMs = 0;
  const metrics = createMetrics({ process: 'test' });
  const routes = createRouteBreakers(settings, { nowMs: () => nowMs, log: createLog('test', 'silent'), metrics });
  return {
    ...routes,
    metrics,
    pass: (ms: number) => {
      nowMs += ms;
    },
    fail: (times: number, route = a) => {
      for (let n = 0; n < times; n += 1) routes.begin(route)(notSent);
    },
  };
}

test('a route opens after several calls that were not sent, and other routes of the processor stay closed', () => {
  const { isOpen, fail } = breakers();
  fail(2);
  expect(isOpen(a)).toBe(false);
  fail(1);
  expect({ a: isOpen(a), b: isOpen(b) }).toEqual({ a: true, b: false });
});

test('failures that are too far apart do not count together', () => {
  const { isOpen, fail, pass } = breakers();
  fail(2);
  pass(1_001);
  fail(2);
  expect(isOpen(a)).toBe(false);
  fail(1);
  expect(isOpen(a)).toBe(true);
});

test.each<[string, SendResult, boolean]>([
  ['an approval', approved, false],
  ['a decline', declined, false],
  ['no answer to what was sent', unknown, false],
  ['not sent', notSent, true],
  ['not sent, for a reason of ours', { kind: 'not-sent', internal: 'x', blocked: 'route' }, true],
])('failures before and after %s count together only if nothing was sent', (_name, result, opens) => {
  const { isOpen, fail, begin } = breakers();
  fail(2);
  begin(a)(result);
  fail(1);
  expect(isOpen(a)).toBe(opens);
});

test('reasons of ours alone do not open a route, nor does a call that threw', () => {
  const { isOpen, begin } = breakers();
  for (let n = 0; n < 5; n += 1) begin(a)({ kind: 'not-sent', internal: 'no credentials', blocked: 'route' });
  for (let n = 0; n < 5; n += 1) begin(a)(undefined);
  expect(isOpen(a)).toBe(false);
});

test('one probe is let through at a time; a failed probe doubles the wait, a good one closes the route', () => {
  const { isOpen, fail, begin, pass } = breakers();
  fail(3);
  for (const waitMs of [100, 200, 400, 400]) {
    pass(waitMs - 1);
    expect(isOpen(a)).toBe(true);
    pass(1);
    expect(isOpen(a)).toBe(false);
    const probe = begin(a);
    expect(isOpen(a)).toBe(true);
    probe(notSent);
    expect(isOpen(a)).toBe(true);
  }
  pass(400);
  const probe = begin(a);
  const other = begin(a);
  other(notSent);
  expect(isOpen(a)).toBe(true);
  probe(approved);
  expect(isOpen(a)).toBe(false);
  fail(2);
  expect(isOpen(a)).toBe(false);
});

test('a payment that had no other route closes an open route as a probe does', () => {
  const { isOpen, fail, begin } = breakers();
  fail(3);
  begin(a)(approved);
  expect(isOpen(a)).toBe(false);
});

test('open routes are counted, and a route that is forgotten counts as closed', async () => {
  const { fail, metrics, begin, isOpen } = breakers();
  fail(3);
  fail(3, b);
  expect(await metrics.text()).toMatch(/gateway_routes_open\{processor="one",process="test"\} 2/);
  begin(a)(approved);
  expect(await metrics.text()).toMatch(/gateway_routes_open\{processor="one",process="test"\} 1/);
  for (const acquirer of ['c', 'd', 'e', 'f']) begin({ processor: 'one', acquirer })(approved);
  expect(isOpen(b)).toBe(false);
});

test('each opening is logged with its duration; the event and the closing are reported once', () => {
  let nowMs = 5_000;
  const lines: unknown[] = [];
  const events: string[] = [];
  const open: unknown[] = [];
  const say = (event: string, fields: unknown) => void lines.push([event, fields]);
  const { begin } = createRouteBreakers(settings, {
    nowMs: () => nowMs,
    log: { warn: say, info: say } as never,
    metrics: {
      event: (name: string) => void events.push(name),
      openRoutes: (...counted: unknown[]) => void open.push(counted),
    } as never,
  });
  begin(a)(approved);
  for (let n = 0; n < 3; n += 1) begin(a)(notSent);
  begin({ processor: 'two', acquirer: 'a' })(notSent);
  nowMs += 100;
  begin(a)(notSent);
  nowMs += 200;
  begin(a)(declined);
  begin(a)(approved);
  expect(lines).toEqual([
    ['route.opened', { route: 'one/a', ms: 100 }],
    ['route.opened', { route: 'one/a', ms: 200 }],
    ['route.closed', { route: 'one/a' }],
  ]);
  expect(events).toEqual(['route-opened']);
  expect(open).toEqual([
    ['one', 1],
    ['one', 1],
    ['one', 0],
  ]);
});

test('failures count together within their window, its end included', () => {
  const { isOpen, fail, pass } = breakers();
  fail(2);
  pass(1_000);
  fail(1);
  expect(isOpen(a)).toBe(true);
});
