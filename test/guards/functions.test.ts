/**
 * How long functions are. A function that returns others (a repository, a waiter) is read method by method, so that each is counted
 * by itself; what holds too many of them becomes a class.
 */
import ts from 'typescript';
import { filesIn, type SourceFile } from './source-tree.js';

const OWN_LINES_MAX = 50;
const WITH_INNER_LINES_MAX = 110;

interface Measured {
  readonly place: string;
  /** Lines of the body, without those of functions inside. */
  readonly own: number;
  readonly withInner: number;
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
      measured.push({ place: `${path}:${lineOf(node.getStart()) + 1}`, own: withInner - innerLines(body), withInner });
    }
    ts.forEachChild(node, visit);
  })(source);
  return measured;
}

const measured = filesIn(['api', 'workers', 'shared', 'config'], /\.ts$/).flatMap(measure);

test(`no function has more than ${OWN_LINES_MAX} lines of its own, nor more than ${WITH_INNER_LINES_MAX} with those inside`, () => {
  expect(measured.length).toBeGreaterThan(1_000);
  const long = measured.filter(({ own, withInner }) => own > OWN_LINES_MAX || withInner > WITH_INNER_LINES_MAX);
  expect(long).toEqual([]);
});

test('lines of functions inside count once', () => {
  const text = ['function outer() {', '  const a = 1;', '  function inner() {', '    return a;', '  }', '}'].join('\n');
  expect(measure({ path: 'x.ts', text })).toEqual([
    { place: 'x.ts:1', own: 1, withInner: 4 },
    { place: 'x.ts:3', own: 1, withInner: 1 },
  ]);
});
