/** Comments lead to what a reader can open: sections of docs, not documents and numbers that are not here. */
import { filesIn } from './source-tree.js';

const CODE = /\.(ts|mjs|cjs|js|css)$/;
const FOLDERS = ['api', 'workers', 'shared', 'config', 'scripts', 'bench', 'test'];

/** A specification that is not in the repository, and rows of a table that has become sections. */
const OUTSIDE = /\(contract, |\bcontract, "|\bS\d{2}\b/;

const placesOf = (text: string, pattern: RegExp): number[] =>
  text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));

test('no comment refers to a document outside of the repository, or to a bare number', () => {
  const code = filesIn(FOLDERS, CODE).filter(({ path }) => path !== 'test/guards/wording.test.ts');
  expect(code.length).toBeGreaterThan(500);
  const found = code.flatMap(({ path, text }) => placesOf(text, OUTSIDE).map((line) => `${path}:${line}`));
  expect(found).toEqual([]);
});

test('such references are noticed', () => {
  const text = '/** The payment (contract, "Payment"). */\n// as a contract says\n// nothing is sent (S47)\n';
  expect(placesOf(text, OUTSIDE)).toEqual([1, 3]);
});
