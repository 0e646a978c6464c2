/** The repository contains no secret, and no card number but the published ones of the test processor. */

import { testCards } from '../../api/testing/test-cards.js';
import { luhnValid } from '../../shared/domain/card/card-checks.js';
import { files, filesIn, type SourceFile } from './source-tree.js';

const SECRETS: Record<string, RegExp> = {
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/,
  'API key': /\bsk_(?:live|test)_[A-Za-z0-9_-]{49}\b/,
  'cloud key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'hub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{30,}|npm_[A-Za-z0-9]{36}|xox[abp]-[\w-]{20,})\b/,
  'password in an address':
    /\b(?:mongodb(?:\+srv)?|rediss?(?:\+\w+)?|https?|amqp):\/\/[^\s:/@'"`$]*:(?!hunter2|secret@|password@|pass@|pw@|p@|x@|…)[^\s:/@'"`$]{3,}@(?!example)/,
  'web token': /\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/,
};

function secretsIn({ path, text }: SourceFile): string[] {
  return Object.entries(SECRETS).flatMap(([kind, pattern]) => (pattern.test(text) ? [`${path}: ${kind}`] : []));
}

const published: ReadonlySet<string> = new Set(testCards.map(({ number }) => number));

/** Returns sequences of digits that a scanner would take for a card number. */
function cardNumbersIn(text: string): string[] {
  const runs =
    text.match(/(?<![\w.-])(?:[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}|3\d{3}[ -]?\d{6}[ -]?\d{5})(?![\w-])/g) ?? [];
  return runs.map((run) => run.replace(/[ -]/g, '')).filter((run) => luhnValid(run));
}

test('no file contains a secret', () => {
  const scanned = files.filter(({ name }) => name !== 'package-lock.json');
  expect(scanned.length).toBeGreaterThan(200);
  expect(scanned.flatMap(secretsIn)).toEqual([]);
});

test('.env is ignored by git', () => {
  expect(files.find(({ name }) => name === '.gitignore')?.text.split('\n')).toContain('.env');
});

test('every card number outside the tests is a published one', () => {
  const scanned = files.filter(({ path, name }) => !path.startsWith('test/') && name !== 'package-lock.json');
  const foreign = scanned.flatMap(({ path, text }) =>
    cardNumbersIn(text)
      .filter((number) => !published.has(number))
      .map((number) => `${path}: ${number.slice(0, 6)}…`),
  );
  expect(foreign).toEqual([]);
});

test('published cards are only in the list, the examples and the seeds', () => {
  const places = filesIn(
    ['api', 'workers', 'shared', 'config', 'scripts/provisioning', 'scripts/sandbox'],
    /\.ts$/,
  ).filter(({ text }) => cardNumbersIn(text).length > 0);
  const listed = /^api\/testing\/test-cards\.ts$|^api\/[a-z-]+\/[a-z-]+-examples\.ts$/;
  expect(places.map(({ path }) => path).filter((path) => !listed.test(path))).toEqual([]);
});

test.each([
  ['private key', `-----BEGIN ${'PRIVATE KEY'}-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'}`],
  ['API key', `sk_live_${'a'.repeat(49)}`],
  ['cloud key', `AKIA${'A'.repeat(16)}`],
  ['password in an address', ['mongodb://user', 'Tr0ub4dor@db.internal/x'].join(':')],
])('a %s is detected', (kind, text) => {
  expect(secretsIn({ path: 'x', name: 'x', text })).toEqual([`x: ${kind}`]);
});

test.each(['4242424242424242', '4242 4242 4242 4242', '378282246310005', '5555-5555-5555-4444'])(
  '%s is detected',
  (text) => {
    expect(cardNumbersIn(`"${text}"`)).toEqual([text.replace(/[ -]/g, '')]);
  },
);
