/** Which places `npm run mutants` changes, and how it prints the results of StrykerJS. */
import { drawPieces } from '../../scripts/setup/mutant-pieces.mjs';
import { readMutants, renderMutants } from '../../scripts/setup/mutant-report.mjs';

const mutant = (fileName: string, line: number, status: string, replacement = '') => ({
  id: `${line}`,
  fileName,
  mutatorName: 'ConditionalExpression',
  replacement,
  status,
  location: { start: { line, column: 3 }, end: { line, column: 9 } },
});

const found = [
  mutant('/project/shared/b.ts', 7, 'Survived', '{\n  }'),
  mutant('/project/shared/a.ts', 1, 'Killed'),
  mutant('/project/shared/a.ts', 2, 'Timeout'),
  mutant('/project/shared/a.ts', 3, 'Killed'),
  mutant('/project/shared/a.ts', 4, 'NoCoverage', 'true'),
  mutant('/project/shared/a.ts', 5, 'RuntimeError'),
  mutant('/project/shared/c.ts', 5, 'Ignored'),
] as Parameters<typeof readMutants>[0];

test('noticed mutants are counted by file, without those that fail by themselves or are ignored', () => {
  expect(readMutants(found, '/project')).toMatchObject([
    { file: 'shared/a.ts', noticed: 3, unnoticed: 1, survivors: [{ line: 4, column: 3, covered: false }] },
    { file: 'shared/b.ts', noticed: 0, unnoticed: 1, survivors: [{ line: 7, column: 3, covered: true }] },
    { file: 'shared/c.ts', noticed: 0, unnoticed: 0, survivors: [] },
  ]);
});

test('each survivor is named with its position', () => {
  expect(renderMutants(readMutants(found, '/project')).split('\n')).toEqual([
    'shared/a.ts: 75.0 % of 4',
    '  shared/a.ts:4:3 ConditionalExpression, reached by no test: true',
    'shared/b.ts: 0.0 % of 1',
    '  shared/b.ts:7:3 ConditionalExpression: { }',
    'shared/c.ts: - of 0',
    'together: 60.0 % of 5 mutants were noticed',
  ]);
});

const code = [
  { file: 'shared/a.ts', lines: 800 },
  { file: 'shared/b.ts', lines: 12 },
];

test('all pieces together cover each line once', () => {
  const pieces = drawPieces(code, { share: 100, seed: '1' });
  expect(pieces).toHaveLength(102);
  expect(pieces.slice(0, 2)).toEqual(['shared/a.ts:1-8', 'shared/a.ts:9-16']);
  expect(pieces.slice(-2)).toEqual(['shared/b.ts:1-8', 'shared/b.ts:9-16']);
});

test('a share draws about that part of the pieces, and the same pieces for the same seed', () => {
  const drawn = drawPieces(code, { share: 10, seed: '1' });
  expect(drawn.length).toBeGreaterThan(2);
  expect(drawn.length).toBeLessThan(25);
  expect(drawPieces(code, { share: 10, seed: '1' })).toEqual(drawn);
  expect(drawPieces(code, { share: 10, seed: '2' })).not.toEqual(drawn);
  expect(drawPieces(code, { share: 100, seed: '1' })).toEqual(expect.arrayContaining(drawn));
});
