import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createPageCursors } from '../../api/http/page-cursor.js';

const key = randomBytes(32);
const cursors = createPageCursors(key, 'things');
const position = fc.record({
  createdAt: fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
  id: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
});
const scope = fc.jsonValue();

test('a cursor is read again in its own scope', () => {
  fc.assert(
    fc.property(scope, position, (where, at) => {
      expect(cursors.read(where, cursors.write(where, at))).toEqual(at);
    }),
  );
});

test('a cursor is invalid in another scope, for another kind of list and under another key', () => {
  const at = { createdAt: new Date(5), id: 'pay_1' };
  const text = cursors.write(['cli_a', { status: 'x' }], at);
  expect(cursors.read(['cli_b', { status: 'x' }], text)).toBeUndefined();
  expect(cursors.read(['cli_a', {}], text)).toBeUndefined();
  expect(createPageCursors(key, 'others').read(['cli_a', { status: 'x' }], text)).toBeUndefined();
  expect(createPageCursors(randomBytes(32), 'things').read(['cli_a', { status: 'x' }], text)).toBeUndefined();
});

test('any other text is an invalid cursor, and none throws', () => {
  const text = cursors.write('s', { createdAt: new Date(5), id: 'pay_1' });
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.base64String(), (at, noise) => {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect(cursors.read('s', changed)).toBeUndefined();
      expect(cursors.read('s', noise)).toBeUndefined();
    }),
  );
  for (const other of ['', '=', `${text}=`, `${text} `, text.slice(0, -1), `${text}AAAA`, '\u0000', '💥']) {
    expect([other, cursors.read('s', other)]).toEqual([other, undefined]);
  }
});
