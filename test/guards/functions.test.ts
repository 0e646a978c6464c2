/**
 * The length of functions. A function that returns methods (a repository, a waiter) is read method by method, so each method is
 * counted by itself; a function with too many of them should be a class. Any other function is counted with its inner functions.
 */
import ts from 'typescript';
import { filesIn, type SourceFile } from './source-tree.js';

const OWN_LINES_MAX = 50;
const WITH_METHODS_LINES_MAX = 110;

interface Measured {
  readonly place: string;
  /** Lines of the body, without those of inner functions. */
  readonly own: number;
  readonly withInner: number;
  /** Whether the function returns a function, or an object with methods that it declares. */
  readonly ofMethods: boolean;
}

/** Whether a statement of the body returns a function, or an object that has one. */
function answersMethods(body: ts.Block): boolean {
  const declared = new Map<string, ts.Node>();
  for (const statement of body.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) declared.set(statement.name.text, statement);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) declared.set(name.text, initializer);
    }
  }
  const isMethod = (node: ts.Node | undefined): boolean => {
    if (!node) return false;
    if (ts.isFunctionLike(node)) return true;
    if (ts.isIdentifier(node)) return isMethod(declared.get(node.text));
    return ts.isObjectLiteralExpression(node) && node.properties.some(isMember);
  };
  const isMember = (property: ts.ObjectLiteralElementLike): boolean =>
    ts.isShorthandPropertyAssignment(property)
      ? isMethod(declared.get(property.name.text))
      : isMethod(ts.isPropertyAssignment(property) ? property.initializer : property);
  return body.statements.some((statement) => ts.isReturnStatement(statement) && isMethod(statement.expression));
}

function measure({ path, text }: Pick<SourceFile, 'path' | 'text'>): Measured[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const linesOf = (node: ts.Node) => lineOf(node.end) - lineOf(node.getStart()) + 1;
  const bodyOf = (node: ts.Node) =>
    ts.isFunctionLike(node) && 'body' in node && node.body && ts.isBlock(node.body) ? node.body : undefined;

  function innerLines(node: ts.Node): number {
    let lines = 0;
    ts.forEachChild(node, (child) => {
      // A function on one line is part of the statement around it.
      if (ts.isFunctionLike(child) && linesOf(child) > 1) lines += linesOf(child);
      else lines += innerLines(child);
    });
    return lines;
  }

  const measured: Measured[] = [];
  (function visit(node: ts.Node): void {
    const body = bodyOf(node);
    if (body) {
      const withInner = Math.max(0, linesOf(body) - 2);
      const place = `${path}:${lineOf(node.getStart()) + 1}`;
      measured.push({ place, own: withInner - innerLines(body), withInner, ofMethods: answersMethods(body) });
    }
    ts.forEachChild(node, visit);
  })(source);
  return measured;
}

const isLong = ({ own, withInner, ofMethods }: Measured) =>
  own > OWN_LINES_MAX || withInner > (ofMethods ? WITH_METHODS_LINES_MAX : OWN_LINES_MAX);

/** `bench/` is left out: a bench run is one measurement from beginning to end, and its files have a maximum length too. */
const measured = filesIn(['api', 'workers', 'shared', 'config', 'scripts'], /\.(ts|mjs)$/).flatMap(measure);

test(`no function has more than ${OWN_LINES_MAX} lines; one that answers methods, ${OWN_LINES_MAX} of its own and ${WITH_METHODS_LINES_MAX} with them`, () => {
  expect(measured.length).toBeGreaterThan(1_500);
  expect(measured.filter(isLong)).toEqual([]);
});

test('lines of inner functions are counted once', () => {
  const text = ['function outer() {', '  const a = 1;', '  function inner() {', '    return a;', '  }', '}'].join('\n');
  expect(measure({ path: 'x.ts', text })).toEqual([
    { place: 'x.ts:1', own: 1, withInner: 4, ofMethods: false },
    { place: 'x.ts:3', own: 1, withInner: 1, ofMethods: false },
  ]);
});

const handlers = (count: number) =>
  Array.from({ length: count }, (_, at) => `  const on${at} = () => {\n    go();\n    go();\n  };`).join('\n');

test.each([
  ['methods', 'return { on0, on1 };', false],
  ['an object with methods', 'const made = { stop() {} };\nreturn made;', false],
  ['a function', 'return () => on0();', false],
  ['what is no function', 'return { count: 1 };', true],
  ['nothing', 'on0();', true],
])('a body of 60 lines that returns %s', (_what, ending, long) => {
  const [whole] = measure({ path: 'x.ts', text: `function create() {\n${handlers(15)}\n${ending}\n}` });
  expect(whole && isLong(whole)).toBe(long);
});
