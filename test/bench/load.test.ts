import { paymentRequestSchema } from '../../api/payments/payment-request.schema.js';
import { readAnswer } from '../../bench/load/connection.mjs';
import { requestTemplate, SERIAL_DIGITS } from '../../bench/load/payment-request.mjs';

const answer = (head: string, body: string) => Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`);

test('the length of an answer is read from its head', () => {
  const bytes = answer('422 Unprocessable Entity\r\nA: b\r\nContent-Length: 5', 'abcde');
  expect(readAnswer(bytes)).toEqual({ status: 422, length: bytes.length, closes: false });
});

test('header names are matched in any case, and a closing connection is noticed', () => {
  const bytes = answer('200 OK\r\ncontent-length:2\r\nCONNECTION: close', '{}');
  expect(readAnswer(bytes)).toEqual({ status: 200, length: bytes.length, closes: true });
});

test('half a head is no answer yet, and an answer without a length is an error', () => {
  expect(readAnswer(Buffer.from('HTTP/1.1 200 OK\r\nContent-Len'))).toBeUndefined();
  expect(() => readAnswer(answer('200 OK\r\nTransfer-Encoding: chunked', ''))).toThrow(/Content-Length/);
});

test('the request is a valid payment of about 1.1 kB whose reference has room for the serial number', () => {
  const { bytes, serialAt } = requestTemplate({ port: 8080, authorization: 'Basic x', run: 'run7' });
  bytes.write('42'.padStart(SERIAL_DIGITS, '0'), serialAt, 'latin1');
  const [head = '', body = ''] = bytes.toString('latin1').split('\r\n\r\n');
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(body.length).toBeGreaterThan(1_000);
  expect(body.length).toBeLessThan(1_300);
  const { error, value } = paymentRequestSchema.validate(JSON.parse(body));
  expect(error).toBeUndefined();
  expect(value?.referenceId).toBe('run7-0000000042');
});
