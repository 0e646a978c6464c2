import fc from 'fast-check';
import { hasPlainName, plainMerchantName, plainText, toAscii } from '../../shared/domain/plain-text.js';

test('letters become ASCII, and characters without an ASCII equivalent are removed or replaced', () => {
  expect(plainText('Straße Łódź Øresund Ægir', 25)).toBe('Strasse Lodz Oresund AEgi');
  expect(plainText('ＳＨＯＰ ﬁne', 25)).toBe('SHOP fine');
  expect([plainText('最佳', 25), plainText('  a \n b  ', 25), plainText('abc def', 4)]).toEqual(['', 'a b', 'abc']);
  expect([toAscii('a–b ñ', ' '), toAscii('a–b ñ', '')]).toEqual(['a b n', 'ab n']);
});

test.each([
  ['Librería Ñandú', 'Libreria Nandu'],
  ['Cafe 東京', 'Cafe'],
  ['1882', '1882'],
  ['Καφέ 24', 'MERCHANT 10001'],
  ['Книжный магазин', 'MERCHANT 10001'],
  ['東京書店 & 大阪書店', 'MERCHANT 10001'],
  ['مكتبة', 'MERCHANT 10001'],
  ['', 'MERCHANT 10001'],
])('a merchant named "%s" has the plain name "%s"', (name, plain) => {
  expect(plainMerchantName({ id: 10001, name }, 40)).toBe(plain);
  expect(hasPlainName(name)).toBe(plain !== 'MERCHANT 10001');
});

test('property: every merchant has a plain name of printable ASCII', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.string({ unit: 'binary', maxLength: 80 }), (id, name) => {
      expect(plainMerchantName({ id, name }, 25)).toMatch(/^[\x21-\x7e]([\x20-\x7e]{0,23}[\x21-\x7e])?$/);
    }),
  );
});
