/**
 * Code with one form only: response codes, time arithmetic, optional members and write concerns (`shared/domain/response-codes.ts`,
 * `time.ts`, `defined.ts`, `shared/store/database.ts`). Each of them drifts, or is wrong in one place, when it is written again elsewhere.
 */
import ts from 'typescript';
import { filesIn, type SourceFile } from './source-tree.js';

type Source = Pick<SourceFile, 'path' | 'text'>;

/** A response code in an outcome. Keys in tables of a processor's own codes do not match. */
const RAW_CODE = /\b(resultCode|isoCode|iso)\b[^'\n]*'[0-9A-Z]\d'|\b(resultCode|isoCode|iso)\b[^'\n]*'(1A|N7|R\d)'/;
/** A date made by adding milliseconds to another one, the later of two dates, or the difference of two. */
const RAW_TIME = /new Date\([^;]*\.getTime\(\)|\.getTime\(\)\s*[-+]\s*[\w.()]*\.getTime\(\)/;
/** A write that says another concern than `durable`, or a read of what a majority may lack (`shared/store/database.ts`). */
const RAW_CONCERN = /\bwriteConcern: (?!durable\b)|\breadConcern: (?!\{ level: '(majority|linearizable)' \})/;
const CHAINED_MAX = 2;

/** The files that define each form. */
const HOMES = new Set(['shared/domain/response-codes.ts', 'shared/domain/time.ts', 'shared/domain/defined.ts']);

const linesOf = ({ path, text }: Source, pattern: RegExp): string[] =>
  text.split('\n').flatMap((line, index) => {
    const isComment = /^\s*(\*|\/\*|\/\/)/.test(line);
    return !isComment && pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [];
  });

/** Whether the property is `...(x !== undefined && { x })`, also under another name. */
function isMaybe(property: ts.ObjectLiteralElementLike): boolean {
  if (!ts.isSpreadAssignment(property)) return false;
  const inner = ts.isParenthesizedExpression(property.expression)
    ? property.expression.expression
    : property.expression;
  if (!ts.isBinaryExpression(inner) || !ts.isObjectLiteralExpression(inner.right)) return false;
  const [member, ...more] = inner.right.properties;
  if (!member || more.length > 0) return false;
  const value = ts.isPropertyAssignment(member) ? member.initializer.getText() : member.name?.getText();
  return inner.left.getText().replaceAll('?.', '.') === `${value} !== undefined`;
}

function chainsIn({ path, text }: Source): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  (function visit(node: ts.Node): void {
    if (ts.isObjectLiteralExpression(node) && node.properties.filter(isMaybe).length > CHAINED_MAX) {
      found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    ts.forEachChild(node, visit);
  })(source);
  return found;
}

const sources = filesIn(['api', 'shared', 'workers', 'scripts'], /\.ts$/).filter(({ path }) => !HOMES.has(path));

/** `subject.what-happened` */
const LOG_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$/;
/** The name of a log line where it is written. */
const LOGGED = /\blog\.(?:info|warn|error|debug)\(\s*'([^']*)'/g;

test('log lines have names of the form subject.what-happened, in lowercase words', () => {
  const names = sources.flatMap(({ text }) => [...text.matchAll(LOGGED)].map(([, name = '']) => name));
  expect(names.length).toBeGreaterThan(90);
  expect(names.filter((name) => !LOG_NAME.test(name))).toEqual([]);
});

test('response codes are named constants', () => {
  expect(sources.length).toBeGreaterThan(700);
  expect(sources.flatMap((source) => linesOf(source, RAW_CODE))).toEqual([]);
});

test('times are added and compared with the functions for it', () => {
  expect(sources.flatMap((source) => linesOf(source, RAW_TIME))).toEqual([]);
});

test('a write waits for a majority, except at the end of a call with an idempotency key', () => {
  const found = sources.filter((source) => linesOf(source, RAW_CONCERN).length > 0);
  expect(found.map(({ path }) => path)).toEqual(['shared/store/idempotency.repository.ts']);
});

test(`more than ${CHAINED_MAX} members of an object that may be absent are \`defined\``, () => {
  const mayHave = sources.filter(({ text }) => text.split('!== undefined &&').length > CHAINED_MAX + 1);
  expect(mayHave.flatMap(chainsIn)).toEqual([]);
});

test.each([
  ["resultCode: '91',", RAW_CODE],
  ["resultCode: fault.status === 404 ? '25' : '12',", RAW_CODE],
  ["isoCode: 'N7',", RAW_CODE],
  ['expireAt: new Date(at.getTime() + keptMs)', RAW_TIME],
  ['const until = new Date(Math.min(ripe.getTime(), end))', RAW_TIME],
  ['const ageMs = now.getTime() - row.createdAt.getTime();', RAW_TIME],
  ['await rows.updateOne(key, change, { writeConcern: { w: 1 } });', RAW_CONCERN],
  ["readConcern: { level: 'local' },", RAW_CONCERN],
])('a forbidden form is detected: %s', (text, pattern) => {
  expect(linesOf({ path: 'api/x.ts', text }, pattern)).toHaveLength(1);
});

test('a chain is detected, unless a member is computed', () => {
  const chain = (...members: string[]) => ({ path: 'api/x.ts', text: `const made = { ${members.join(', ')} };` });
  const same = [
    '...(a !== undefined && { a })',
    '...(b !== undefined && { b })',
    '...(c?.d !== undefined && { e: c.d })',
  ];
  expect(chainsIn(chain(...same))).toHaveLength(1);
  expect(chainsIn(chain('...(a !== undefined && { a: show(a) })', ...same.slice(1)))).toHaveLength(0);
});
