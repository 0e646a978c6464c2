/** Texts are plain English, tables can be read, and comments refer to places that a reader can open. */
import { files, filesIn, type SourceFile } from './source-tree.js';

const CODE = /\.(ts|mjs|cjs|js|css)$/;
const FOLDERS = ['api', 'workers', 'shared', 'config', 'scripts', 'bench', 'test'];
const THIS = 'test/guards/wording.test.ts';
const TABLE_LINE_MAX = 200;

/** Returns the part of a line that people read: all but code spans of a page; comments and literals with blanks of code. */
function readable(path: string, line: string): string {
  if (!CODE.test(path)) return line.replaceAll(/`[^`]*`/g, '');
  const comment = /(?:^\s*\*|\/\*|(?:^|\s)\/\/)(.*)$/.exec(line)?.[1] ?? '';
  const literals = line.match(/'[^']* [^']*'|`[^`]* [^`]*`/g) ?? [];
  return [comment.replaceAll(/`[^`]*`/g, ''), ...literals].join(' | ');
}

const linesOf = ({ path, text }: SourceFile, pattern: RegExp, read = readable): string[] =>
  text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(read(path, line))?.[0];
    return found === undefined ? [] : [`${path}:${index + 1}: ${found}`];
  });

const whole = (_path: string, line: string) => line;

/** References to a specification outside the repository, and to rows of a table that has become sections. */
const OUTSIDE = /\(contract, |\bcontract, "|\bS\d{2}\b/;

test('no comment refers to a document outside the repository, or to a bare number', () => {
  const code = filesIn(FOLDERS, CODE).filter(({ path }) => path !== THIS);
  expect(code.length).toBeGreaterThan(500);
  expect(code.flatMap((file) => linesOf(file, OUTSIDE, whole))).toEqual([]);
});

/** The words that CONTRIBUTING.md, "Words", replaces. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'a plain subject: the caller, no client, another process': /\b(whoever|nobody|somebody|himself)\b/i,
  'is, is in': /\bstands? (in|on|at|beside|there|outside|apart|for)\b|\blies (in|on|outside|under|open)\b/i,
  'is notified, gets, knows': /\b(is|are|was|were|be|been|being|not) told\b|\btold (by|to)\b/i,
  'update, notification': /\b(news|only news)\b/i,
  fails: /\b(comes?|came) to nothing\b/i,
  mock: /\bpretend(s|ed|ing)?\b/i,
  failing: /\bunwell\b/i,
  environment: /\bsurroundings\b/i,
  'slot, admission limit': /\bseats?\b|\bwaiting.?room\b/i,
  gracefully: /\bgently\b/i,
  retrying: /\b(tried|asked) on\b/i,
  'PAN-only credential': /\bbare (wallet )?cards?\b/i,
  availability: /\bdoors?\b/i,
  scheduler: /\bpumps?\b/i,
  lowercase: /\bsmall letters\b/i,
  idempotent: /\btwice is once\b/i,
  '3D Secure, as the API is described': /\b3-D.Secure\b/i,
  'not found, not supported, already paid, too many requests':
    /\bThere is no such\b|\bof no brand\b|\bdone its work\b|\bToo much at once\b/,
};

/** Files that must contain none of these words: pages and texts, then code. */
const PLAIN_PAGES = /^(docs|\.github)\/|^[A-Z_]+\.md$|README\.md$|openapi\.json$|^\.env/;
const PLAIN_CODE = /^(api|bench|config|scripts|shared|test|workers)\//;
const isPlain = (path: string) => PLAIN_PAGES.test(path) || (PLAIN_CODE.test(path) && CODE.test(path) && path !== THIS);
/** CONTRIBUTING.md contains the list itself. */
const LIST = /## Words[\s\S]*?(?=\n## )/;
/** Released documents are not changed. */
const spared = (path: string) => path.startsWith('docs/releases/');
const texts = files
  .filter(({ path }) => isPlain(path) && !spared(path))
  .map((file) => (file.path === 'CONTRIBUTING.md' ? { ...file, text: file.text.replace(LIST, '') } : file));

test.each(Object.entries(WORDS))('write "%s" instead', (_better, pattern) => {
  expect(texts.length).toBeGreaterThan(900);
  expect(texts.flatMap((file) => linesOf(file, pattern))).toEqual([]);
});

/** Words that are not used in names of code and files: alone, at the beginning or as a later word. */
const ODD =
  'news|seats?|doors?|pretends?|gently|pump|surroundings|unwell|whoever|nobody|somebody|himself|told|tellOnce';
const LATER = ODD.replaceAll(/\b[a-z]/g, (initial) => initial.toUpperCase());
const NAMES = new RegExp(`(?<![\\w'"\`./-])(?:${ODD})(?:[A-Z]\\w*)?\\b(?!')|\\b[a-z]\\w*(?:${LATER})(?:[A-Z]\\w*)?\\b`);
const PATHS = new RegExp(`(?:^|[-./])(?:${ODD})(?=[-./]|$)`);

const codeOf = (_path: string, line: string) =>
  line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '').replace(/(?:^\s*\*|\/\*|(?:^|\s)\/\/).*$/, '');

test('names in code use the words of the field too', () => {
  const code = filesIn(FOLDERS, CODE).filter(({ path }) => path !== THIS);
  expect(code.flatMap((file) => linesOf(file, NAMES, codeOf))).toEqual([]);
  expect(files.map(({ path }) => path).filter((path) => PATHS.test(path))).toEqual([]);
});

test('no line of a table is too long to be read', () => {
  const pages = files.filter(({ path }) => path.endsWith('.md') && !spared(path));
  const long = pages.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      return line.startsWith('|') && line.length > TABLE_LINE_MAX ? [`${path}:${index + 1}: ${line.length}`] : [];
    }),
  );
  expect(long).toEqual([]);
});

test('a violation of each rule is detected', () => {
  const page = (text: string): SourceFile => ({ path: 'page.md', name: 'page.md', text });
  const text = '/** The payment (contract, "Payment"). */\n// as a contract says\n// nothing is sent (S47)\n';
  expect(linesOf(page(text), OUTSIDE).length).toBe(2);
  const dialect = 'Nobody is told.\nIt stands in a table.\nThere is no such code.\nThe payer sits.';
  const found = Object.values(WORDS).flatMap((pattern) => linesOf(page(dialect), pattern));
  expect(found.length).toBe(4);
  const source: SourceFile = {
    path: 'x.ts',
    name: 'x.ts',
    text: "const told = news; // nobody is told\nfail('It lies in the past');\n",
  };
  expect(Object.values(WORDS).flatMap((pattern) => linesOf(source, pattern)).length).toBe(3);
  const names = { ...source, text: 'const newsOf = 1;\nread(bankNews);\nread(bankNewsOf);\nopen(door);\nrenews();\n' };
  expect(linesOf(names, NAMES, codeOf).length).toBe(4);
  expect(['api/bank-news.ts', 'shared/pump/run.ts', 'api/renews.ts'].filter((path) => PATHS.test(path)).length).toBe(2);
});
