import fc from 'fast-check';
import { holdsNumber, numbersIn, ownNumbersOf, textsOf } from '../../api/payments/numbers-in-text.js';

const NUMBER = '4242424242424242';

test.each([
  NUMBER,
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  'card 4242.4242.4242.4242 of Ann',
  '42 42 42 42 42 42 42 42',
  '４２４２４２４２４２４２４２４２',
  'no4242x4242x4242x4242',
  '٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢',
  '४२४२४२४२४२४२४२४२',
  'https://shop.example/?card=4242%204242%204242%204242',
  '%34%32%34%32%34%32%34%32%34%32%34%32%34%32%34%32',
  '100%4242424242424242',
  encodeURIComponent('٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢'),
])('%s holds the number', (text) => {
  expect(holdsNumber(text, NUMBER)).toBe(true);
});

test('a number that is split between the names of a person is found', () => {
  const texts = textsOf({ cardholder: { firstName: '4242 4242 4242', lastName: '4242' } });
  expect(texts.filter(({ text }) => holdsNumber(text, NUMBER)).map(({ field }) => field)).toEqual([
    'cardholder.lastName',
  ]);
  const whole = textsOf({ cardholder: { firstName: NUMBER, lastName: 'Doe' } });
  expect(whole.filter(({ text }) => holdsNumber(text, NUMBER)).map(({ field }) => field)).toEqual([
    'cardholder.firstName',
  ]);
});

test('other card numbers are found in several notations, by length and check digit', () => {
  expect(numbersIn('paid with 4111+1111+1111+1111, 3782-822463-10005 and 5555555555554444')).toEqual([
    '5555555555554444',
    '4111111111111111',
    '378282246310005',
  ]);
  expect(numbersIn('order 4111111111111112, 20261122090000, +598 99 123 456, 41111111111111111111111')).toEqual([]);
});

test('texts are named by their place, without card data and without a name that is a number', () => {
  const body = {
    referenceId: 'r',
    metadata: { note: 'a', [NUMBER]: 'b', number: NUMBER },
    items: [{ name: 'c' }],
    paymentMethod: { card: { number: NUMBER, cvc: '123', cardholder: { firstName: 'd' } } },
  };
  const placed = textsOf(body);
  expect(placed.filter(({ text }) => 'rabcd'.includes(text)).map(({ field }) => field)).toEqual([
    'referenceId',
    'metadata.note',
    'metadata',
    'items.0.name',
    'paymentMethod.card.cardholder.firstName',
  ]);
  expect(placed.filter(({ text }) => holdsNumber(text, NUMBER))).toEqual([
    { field: 'metadata', text: NUMBER },
    { field: 'metadata.number', text: NUMBER },
  ]);
  expect(ownNumbersOf(body)).toEqual([NUMBER]);
});

test('the quick check skips only texts without a number, as the close check shows', () => {
  const part = fc.constantFrom(
    '4',
    '42',
    '4242',
    '4111111111111111',
    ' ',
    '-',
    'x',
    '４',
    '⒉',
    '㉒',
    '⑳',
    'é',
    '.',
    '/',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const digits = text.normalize('NFKC').replace(/\D/g, '');
      expect(holdsNumber(text, NUMBER)).toBe(digits.includes(NUMBER));
      // A character beyond ASCII forces the close check, and does not change its result.
      expect(numbersIn(text)).toEqual(numbersIn(`${text}é`));
    }),
  );
});
