/** The order of suites: nothing is left out, suites of a folder are far from one another, and the long ones come before its others. */
import { existsSync } from 'node:fs';
import { LONG, orderOf } from '../../scripts/setup/suite-order.mjs';

const root = '/checkout';
const paths = (folder: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${root}/test/${folder}/${number}.test.ts`);
const order = (suites: readonly string[]): string[] => orderOf(suites, (path: string) => path, root);

test('every suite begins once, whatever order they come in', () => {
  const suites = [...paths('chaos', 7), ...paths('domain', 30), `${root}/test/log.test.ts`];
  const ordered = order(suites);
  expect([...ordered].sort()).toEqual([...suites].sort());
  expect(order([...suites].reverse())).toEqual(ordered);
});

test('suites of a folder are spread over the run', () => {
  const ordered = order([...paths('chaos', 10), ...paths('domain', 90)]);
  for (let first = 0; first < ordered.length; first += 10) {
    const tenth = ordered.slice(first, first + 10);
    expect(tenth.filter((path) => path.includes('/chaos/'))).toHaveLength(1);
  }
});

test('the long suites of a folder are its first, the longest before all others', () => {
  const long = `${root}/test/queue/redis-groups.test.ts`;
  const ordered = order([...paths('queue', 4), long, ...paths('domain', 9)]);
  expect(ordered[0]).toBe(long);
});

test.each([...LONG] as string[])('%s is there', (suite) => {
  expect(existsSync(`test/${suite}`)).toBe(true);
});
