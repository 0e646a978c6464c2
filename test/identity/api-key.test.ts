import { randomBytes } from 'node:crypto';
import { digestApiKey, isApiKeyOf, last4OfKey, newApiKey } from '../../api/identity/api-key.js';

test('a key names its environment and carries 32 random bytes and a checksum', () => {
  expect(newApiKey('testing')).toMatch(/^sk_test_[\w-]{49}$/);
  expect(newApiKey('production')).toMatch(/^sk_live_[\w-]{49}$/);
  expect(newApiKey('testing')).not.toBe(newApiKey('testing'));
});

test('a key is not valid in the other environment, even with the other prefix', () => {
  const key = newApiKey('testing');
  expect(isApiKeyOf('testing', key)).toBe(true);
  expect(isApiKeyOf('production', key)).toBe(false);
  expect(isApiKeyOf('production', key.replace('sk_test_', 'sk_live_'))).toBe(false);
});

test('the checksum detects any single changed character', () => {
  const key = newApiKey('testing');
  for (let at = 0; at < key.length; at++) {
    const wrong = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1);
    expect(isApiKeyOf('testing', wrong)).toBe(false);
  }
});

test('a cut or extended key and an empty text are not keys', () => {
  const key = newApiKey('testing');
  for (const text of ['', key.slice(1), key.slice(0, -1), `${key}A`, `${key}\n`, ` ${key}`]) {
    expect(isApiKeyOf('testing', text)).toBe(false);
  }
});

test('the digest depends on the pepper and the whole key', () => {
  const [pepper, key] = [randomBytes(32), newApiKey('testing')];
  expect(digestApiKey(pepper, key)).toHaveLength(32);
  expect(digestApiKey(pepper, key)).toEqual(digestApiKey(pepper, key));
  expect(digestApiKey(pepper, key)).not.toEqual(digestApiKey(randomBytes(32), key));
  expect(digestApiKey(pepper, key)).not.toEqual(digestApiKey(pepper, newApiKey('testing')));
  expect(last4OfKey(key)).toBe(key.slice(-4));
});
