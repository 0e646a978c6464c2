import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { digestBody } from '../../api/payments/body-digest.js';
import { cardFingerprint } from '../../shared/vault/card-fingerprint.js';

const key = randomBytes(32);

/** Returns the same value with the keys of every object in the opposite order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
}

test('property: the order of fields does not change a digest, the order of lists and every value do', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      expect(digestBody(key, reordered(body))).toBe(digestBody(key, body));
      expect(digestBody(key, { body, more: 1 })).not.toBe(digestBody(key, { body }));
    }),
  );
  expect(digestBody(key, [1, 2])).not.toBe(digestBody(key, [2, 1]));
  expect(digestBody(key, { a: '1' })).not.toBe(digestBody(key, { a: 1 }));
  expect(digestBody(key, { a: { b: 1 } })).not.toBe(digestBody(key, { 'a.b': 1 }));
});

test('a digest leaves out every CVC and counts only the last four digits of a card number', () => {
  const body = (number: string, cvc?: string) => ({
    paymentMethod: { card: { number, ...(cvc && { cvc }) } },
    list: [{ cvc }],
  });
  expect(digestBody(key, body('4242424242424242', '123'))).toBe(digestBody(key, body('4242424242424242', '999')));
  expect(digestBody(key, body('4242424242424242', '123'))).toBe(digestBody(key, body('4242424242424242')));
  expect(digestBody(key, body('4242424242424242'))).not.toBe(digestBody(key, body('4111111111111111')));
  expect(digestBody(key, body('4242424242424242'))).toBe(digestBody(key, body('4000000000004242')));
});

test('a date counts as its JSON text, and undefined as absent', () => {
  const at = new Date('2026-11-20T10:00:00Z');
  expect(digestBody(key, { at, gone: undefined })).toBe(digestBody(key, { at: at.toJSON() }));
  expect(digestBody(key, { at })).not.toBe(digestBody(key, { at: new Date(0) }));
});

test('another key gives another digest and another fingerprint', () => {
  const another = randomBytes(32);
  expect(digestBody(key, {})).not.toBe(digestBody(another, {}));
  expect(cardFingerprint(key, '4242424242424242')).toBe(cardFingerprint(key, '4242424242424242'));
  expect(cardFingerprint(key, '4242424242424242')).not.toBe(cardFingerprint(another, '4242424242424242'));
  expect(cardFingerprint(key, '4242424242424242')).not.toBe(cardFingerprint(key, '4111111111111111'));
  expect(cardFingerprint(key, '4242424242424242')).toMatch(/^[\w-]{43}$/);
});
