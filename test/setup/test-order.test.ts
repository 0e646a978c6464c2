import { join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';
import { suitesOf } from '../../scripts/setup/suites.mjs';
import TestOrder, { rankOf } from '../../scripts/setup/test-order.mjs';

test('suites of the folders that take long begin first', async () => {
  const paths = [
    'test/domain/money/a.test.ts',
    'test/pipeline/b.test.ts',
    'test/chaos/c.test.ts',
    'test/bench/d.test.ts',
  ];
  const context = { config: { cache: false }, hasteFS: { getSize: () => 1 } };
  const tests = paths.map((path) => ({ path: join(root, path), context, duration: 1 }));
  // biome-ignore lint/suspicious/noExplicitAny: of a context jest's order reads what is here.
  const ordered = await new TestOrder({ contexts: [], globalConfig: {} } as any).sort(tests as any);
  expect(ordered.map(({ path }: { path: string }) => path.slice(root.length + 1))).toEqual([...paths].reverse());
});

test('each folder that is named is one of the tests', () => {
  const { unit, integration } = suitesOf(root);
  const ranks = new Set<number>([...unit, ...integration].map(rankOf));
  expect(ranks).toEqual(new Set(Array.from({ length: Math.max(...ranks) + 1 }, (_, rank) => rank)));
});
