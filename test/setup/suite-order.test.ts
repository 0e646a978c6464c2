/** The order of suites: none is left out, suites of one folder are spread over the run, and the long ones come first in their folder. */
import { existsSync } from 'node:fs';
import { LONG, orderOf } from '../../scripts/setup/suite-order.mjs';

const root = '/checkout';
const paths = (folder: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${root}/test/${folder}/${number}.test.ts`);
const order = (suites: readonly string[]): string[] => orderOf(suites, (path: string) => path, root);

test('every suite runs once, and the order does not depend on that of the list', () => {
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

test('a long suite comes before the others', () => {
  const long = `${root}/test/queue/redis-groups.test.ts`;
  const ordered = order([...paths('queue', 4), long, ...paths('domain', 9)]);
  expect(ordered[0]).toBe(long);
});

test.each([...LONG] as string[])('%s exists', (suite) => {
  expect(existsSync(`test/${suite}`)).toBe(true);
});
