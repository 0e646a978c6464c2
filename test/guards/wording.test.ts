/** Comments lead to what a reader can open: sections of docs, not documents and numbers that are not here. */
import { filesIn } from './source-tree.js';

const CODE = /\.(ts|mjs|cjs|js|css)$/;
const FOLDERS = ['workers', 'shared', 'config', 'scripts', 'bench'];

/** A reference to a specification that is not in the repository. */
const OUTSIDE = /\(contract\b|\bcontract, (?:"|rule|\d)/;

const placesOf = (text: string, pattern: RegExp): number[] =>
  text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));

test('no comment refers to a document outside of the repository', () => {
  const found = filesIn(FOLDERS, CODE).flatMap(({ path, text }) =>
    placesOf(text, OUTSIDE).map((line) => `${path}:${line}`),
  );
  expect(found).toEqual([]);
});

test('such a reference is noticed', () => {
  const text = '/** The payment (contract, "Payment"). */\n// as a contract says\n';
  expect(placesOf(text, OUTSIDE)).toEqual([1]);
});
