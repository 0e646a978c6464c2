/** Tests wait for outcomes: no test fails because the machine is slow (test/support/patience.ts). */
import { PATIENCE_MS } from '../support/patience.js';
import { filesIn, textOf } from './source-tree.js';

/** A limit below this tests the machine. */
const SHORTEST_MS = PATIENCE_MS;

/** Forms of limits. The number is the first group, in milliseconds. */
const LIMITS: readonly (readonly [string, RegExp])[] = [
  ['a test or hook with a limit of its own: leave it to jest.config.mjs', /^ *\}, ([\d_]{4,})\);$/gm],
  ['a wait for a state with a short end', /\buntil\([^;\n]*, ([\d_]+)\)/g],
  ['a wait with a short end', /\b(?:withinMs|giveUpAt) = (?:\w+\.now\(\) \+ )?([\d_]+)/g],
  ['a browser that waits for a short time', /\b(?:timeout: |setDefaultTimeout\()([\d_]{3,})/g],
];
/** Forms for which no number is right. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  [
    'a wait with a number of tries: wait for the outcome',
    /\btries < \d+[^;]*; tries \+= 1\)(?:[^\n]*\n){0,5}?[^\n]*\b(?:pause|setTimeout|waitForTimeout)\(/g,
  ],
  ['over by less than clocks differ by: let it be over by a second', /\bnew Date\(Date\.now\(\) - \d{1,3}\)/g],
  ['a time that a machine has to keep', /now\(\) - \w+\)\.toBeLessThan(?:OrEqual)?\((?:\d{1,3}|[1-9]_\d{3})\)/g],
];
/** Files whose waits end by their own time, or that count attempts of a payer. */
const SPARED = new Set([
  'test/guards/patience.test.ts',
  // The waits of the chaos suites are in scale.ts, which knows how long a run lasts.
  'test/chaos/harness/scale.ts',
]);

function problemsIn(path: string, text: string): string[] {
  const short = LIMITS.flatMap(([problem, form]) =>
    [...text.matchAll(form)]
      .filter(([, number = '']) => Number(number.replaceAll('_', '')) < SHORTEST_MS)
      .map(([found]) => `${path}: ${found.trim()} is ${problem}`),
  );
  const formed = FORMS.flatMap(([problem, form]) =>
    [...text.matchAll(form)].map(([found]) => `${path}: ${found.split('\n')[0]} is ${problem}`),
  );
  return [...short, ...formed];
}

test('no test fails because the machine is slow', () => {
  const suites = filesIn(['test'], /\.ts$/).filter(({ path }) => !SPARED.has(path));
  expect(suites.length).toBeGreaterThan(150);
  expect(suites.flatMap(({ path, text }) => problemsIn(path, text))).toEqual([]);
});

test('the time limit of a test is five minutes', () => {
  expect(textOf('scripts/setup/test-process.mjs')).toMatch(/testTimeout = 300_000/);
});

test.each([
  '}, 60_000);',
  "await gateway.until(id, 'approved', 15_000)",
  'const giveUpAt = Date.now() + 5_000;',
  'async wait(id: string, withinMs = 15_000)',
  "await page.waitForSelector('a', { timeout: 15_000 });",
  'for (let tries = 0; tries < 60 && !done(); tries += 1) await pause(50);',
  'expect(performance.now() - startedAt).toBeLessThan(5_000);',
  'const past = new Date(Date.now() - 1);',
])('%s is detected', (line) => expect(problemsIn('x', line)).toHaveLength(1));
