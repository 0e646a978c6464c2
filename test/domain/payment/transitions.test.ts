import { renderTransitions, statesPage } from '../../../scripts/generate/render-transitions.js';
import { paymentStatuses } from '../../../shared/domain/payment/statuses.js';
import {
  isFinal,
  movesOf,
  nextStatus,
  paymentEvents,
  transitions,
} from '../../../shared/domain/payment/transitions.js';

/** The moves of docs/api.md#states and of docs/decisions.md ("final states"), repeated here by hand. */
const contract = [
  'created submitted pending',
  'pending authorized authorized',
  'pending purchased approved',
  'pending declined denied',
  'pending failed failed',
  'pending cancelled cancelled',
  'pending expired expired',
  'authorized captured approved',
  'authorized cancelled cancelled',
  'authorized expired expired',
  'approved partly-refunded partially-refunded',
  'approved refunded refunded',
  'approved cancelled cancelled',
  'partially-refunded partly-refunded partially-refunded',
  'partially-refunded refunded refunded',
];
/** Moves of a bank that returns an approved refund: the one exception to "final states never move". */
const exceptions = [
  'partially-refunded returned approved',
  'partially-refunded partly-returned partially-refunded',
  'refunded returned approved',
  'refunded partly-returned partially-refunded',
];

const cells = paymentStatuses.flatMap((status) => paymentEvents.map((event) => [status, event] as const));

test.each(cells)('the move of %s by %s', (status, event) => {
  const wanted = [...contract, ...exceptions].find((move) => move.startsWith(`${status} ${event} `))?.split(' ')[2];
  expect(nextStatus(status, event)).toBe(wanted);
});

test('every status can be reached from created', () => {
  const reached = new Set<string>(['created']);
  for (const status of reached) {
    for (const to of Object.values(transitions[status as keyof typeof transitions])) reached.add(to);
  }
  expect([...reached].sort()).toEqual([...paymentStatuses].sort());
});

test('every event moves some status, and a final state moves only when a refund is returned', () => {
  for (const event of paymentEvents) expect(paymentStatuses.some((status) => nextStatus(status, event))).toBe(true);
  expect(paymentStatuses.filter(isFinal).sort()).toEqual(['cancelled', 'denied', 'expired', 'failed', 'refunded']);
  const moving = paymentStatuses.filter((status) => isFinal(status) && Object.keys(movesOf(status)).length > 0);
  expect(moving).toEqual(['refunded']);
});

test('every status can reach a final status: no payment is caught in a cycle', () => {
  const ends = (status: keyof typeof transitions, seen: readonly string[]): boolean =>
    isFinal(status) || Object.values(transitions[status]).some((to) => !seen.includes(to) && ends(to, [...seen, to]));
  for (const status of paymentStatuses) expect([status, ends(status, [status])]).toEqual([status, true]);
});

test('the diagram draws every move once and nothing else', () => {
  const lines = renderTransitions().trimEnd().split('\n');
  expect(lines[0]).toBe('stateDiagram-v2');
  const drawn = lines.flatMap((line) => {
    const [, from, to, event] = /^ {2}(\w+) --> (\w+): ([\w-]+)$/.exec(line) ?? [];
    return from ? [`${from} ${event} ${to}`.replaceAll('partially_refunded', 'partially-refunded')] : [];
  });
  expect(drawn.sort()).toEqual([...contract, ...exceptions].sort());
  expect(lines.filter((line) => line.endsWith('--> [*]'))).toHaveLength(5);
  expect(lines).toContain('  state "partially-refunded" as partially_refunded');
});

test('the page has the diagram and a row for every status', () => {
  expect(statesPage()).toContain(renderTransitions());
  for (const status of paymentStatuses) expect(statesPage()).toContain(`| \`${status}\` |`);
});
