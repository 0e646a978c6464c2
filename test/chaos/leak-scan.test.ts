/** The scanner must be able to find what it looks for: each form is planted once, alone and inside other data. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usedNumbers } from './harness/bodies.js';
import { scanForLeaks, scanText } from './harness/leak-scan.js';

const number = '4242424242424242';
const secrets = { apiKey: 'sk_test_Zm9vYmFyYmF6cXV4', pepper: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=' };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'leak-scan-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function scan(planted: string | Buffer, kind: 'raw' | 'text' = 'raw') {
  const file = join(folder, 'planted');
  // Far from the start, and across the boundary of two blocks.
  writeFileSync(file, Buffer.concat([Buffer.alloc(65_536 - 5, 'x'), Buffer.from(planted), Buffer.from(' end')]));
  return scanForLeaks({ raw: [file], text: kind === 'text' ? [file] : [], cardNumbers: usedNumbers, secrets }).hits;
}

test.each([
  ['raw', number],
  ['spaced', '4242 4242 4242 4242'],
  ['dashed', '4242-4242-4242-4242'],
  ['URL-encoded', '4242%204242%204242%204242'],
  ['hex', Buffer.from(number).toString('hex')],
  ['JSON-escaped', [...number].map((digit) => `\\u003${digit}`).join('')],
  ['base64', Buffer.from(number).toString('base64')],
  ['base64', Buffer.from(`{"number":"${number}"}`).toString('base64')],
  ['base64', Buffer.from(`{"a":"${number}"}`).toString('base64url')],
  ['base64', Buffer.from(`{"ab":"${number}"}`).toString('base64')],
])('finds a card number that is %s', (form, planted) => {
  expect(scan(`before ${planted} after`).map(({ description }) => description)).toEqual([`card …4242, ${form}`]);
});

test.each([
  ['apiKey', secrets.apiKey],
  ['apiKey', Buffer.from(`cli_1:${secrets.apiKey}`).toString('base64')],
  ['pepper', secrets.pepper],
  ['pepper', Buffer.from(secrets.pepper, 'base64')],
  ['pepper', Buffer.from(secrets.pepper, 'base64').toString('hex')],
])('finds a secret: %s', (name, planted) => {
  expect(scan(planted).some(({ description }) => description.startsWith(name))).toBe(true);
});

test.each([
  '{"cvc":"739"}',
  '{\\"cvc\\":\\"7391\\"}',
  "{ securityCode: '739' }",
  'cvv=739&x=1',
  '{"number":"6011000990139424"}',
  'pan: 6011 0009 9013 9424',
  'card 6011-0009-9013-9424, amex 3714 496353 98431',
])('finds card data by its shape: %s', (planted) => {
  expect(scan(`x ${planted} x`, 'text').length).toBeGreaterThan(0);
});

test.each([
  '{"at":1795219200001,"ms":1795219200000}',
  '{"cvc":{"v":1,"alg":"A256GCM","kid":"cvc:1","iv":"AAAA"}}',
  '{"last4":"4242","bin":"42424242"}',
  '{"_id":"cvc:498672"}',
  '{"_id":"42424242-42424242","from":42424242}',
  '[0 lua] "ZRANGEBYSCORE" "{chaos-processor}:processor:delayed" "0" "7353220910514175" "LIMIT"',
  '[0 lua] "ZREVRANGEBYSCORE" "{chaos-processor}:processor:delayed" "7353221905436671" "7353221905432576" "WITHSCORES"',
  '{"code":"invalid-card-cvc","ticket":"000000000042"}',
  '1795219200.123456 [0 127.0.0.1:1234] "evalsha" "0000000000000000000000000000000000000000"',
])('finds nothing in: %s', (text) => {
  expect(scanText(text)).toEqual([]);
});

test('a report never contains the value that was found', () => {
  expect(JSON.stringify(scan(`cvc=7391 ${number}`, 'text'))).not.toMatch(/7391|42424242/);
});
