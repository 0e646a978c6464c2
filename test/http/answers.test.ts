import request from 'supertest';
import { toGatewayError } from '../../api/http/error-middleware.js';
import { limits } from '../../config/limits.js';
import { NewerDocumentError } from '../../shared/store/schema-version.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { GOOD, testApp } from './app-under-test.js';

const { app, lines } = testApp();
const post = () => request(app).post('/v1/echo').set('Authorization', GOOD);

beforeEach(() => lines.splice(0));

describe('internal errors', () => {
  test('a bug is 500 with a trace id and nothing else; the log has the cause', async () => {
    const { status, body } = await request(app).get('/v1/crash');
    expect([status, Object.keys(body).sort()]).toEqual([500, ['code', 'message', 'status', 'traceId', 'type']]);
    expect(JSON.stringify(body)).not.toMatch(/secret|passwd|\.ts/);
    const line = lines.find(({ message }) => message === 'request.failed');
    expect(line).toMatchObject({
      level: 'error',
      traceId: body.traceId,
      error: expect.objectContaining({ message: expect.stringContaining('secret') }),
    });
  });
  test('an unreachable database is 503 timeout, an overload is 503 service-unavailable, both with Retry-After', async () => {
    for (const path of ['/v1/silent-database', '/v1/slow-database']) {
      const silent = await request(app).get(path);
      expect([silent.status, silent.body.code, silent.headers['retry-after']]).toEqual([503, 'timeout', '1']);
    }
    const busy = await request(app).get('/v1/busy');
    expect([busy.status, busy.body.code, busy.headers['retry-after']]).toEqual([503, 'service-unavailable', '3']);
    expect(JSON.stringify(busy.body)).not.toContain('too many wait');
  });
});

test.each([
  ['keys-unavailable', 503],
  ['master-key-missing', 503],
  ['key-unknown', 500],
  ['envelope-invalid', 500],
] as const)('the vault error %s is %d', (code, status) => {
  const error = toGatewayError(new VaultError(code, 'of the test'));
  expect(error).toMatchObject({ status, code: status === 503 ? 'service-unavailable' : 'internal-error' });
  expect(error.retryAfterSeconds).toBe(status === 503 ? limits.retryAfterPaymentSeconds : undefined);
});

test('a document that a newer release wrote is not available here now', () => {
  const { code, retryAfterSeconds } = toGatewayError(new NewerDocumentError('payments', 'pay_1'));
  expect([code, retryAfterSeconds]).toEqual(['timeout', limits.retryAfterSeconds]);
});

describe('headers and trace', () => {
  test.each(['/v1/things/query', '/nope', '/v1/crash'])('%s carries the security headers', async (path) => {
    const { headers } = await request(app).get(path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.stringContaining('max-age='),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'content-type': 'application/json; charset=utf-8',
      'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  test('the trace id is our own; a well-formed one of the caller is logged beside it', async () => {
    const inbound = 'abcdef12-3456';
    const { headers } = await request(app)
      .get('/v1/things/query')
      .set({ 'X-Trace-Id': inbound, 'X-Request-Id': 'other-id-123', traceparent: '00-aaaa' });
    expect(headers['x-trace-id']).not.toBe(inbound);
    expect(lines).toEqual([
      expect.objectContaining({ message: 'request.completed', traceId: headers['x-trace-id'], clientTraceId: inbound }),
    ]);
    lines.splice(0);
    await request(app).get('/v1/things/query').set('X-Trace-Id', 'short');
    await request(app).get('/v1/things/query').set('X-Trace-Id', '{"a":1} [31m xxxx');
    expect(lines.map((line) => line.clientTraceId)).toEqual([undefined, undefined]);
  });

  test('a trace id of the caller that holds a card number is not logged, whatever is beside its digits', async () => {
    const sent = ['order4111111111111111x', 'o-4111-1111-1111-1111', 'x378282246310005-7', '4111111111111111'];
    for (const inbound of sent) await request(app).get('/v1/things/query').set('X-Trace-Id', inbound);
    expect(lines.map((line) => line.clientTraceId)).toEqual(sent.map(() => undefined));
    // Four digits are now and then in the trace id that the gateway draws.
    expect(JSON.stringify(lines)).not.toMatch(/4111\W*1111|37828224/);
    lines.splice(0);
    // Digits without a right check digit are no card number, as those of most ids, and no card's number begins as milliseconds do.
    const kept = ['order4111111111111112x', 'req-1795898724723-a'];
    for (const inbound of kept) await request(app).get('/v1/things/query').set('X-Trace-Id', inbound);
    expect(lines.map((line) => line.clientTraceId)).toEqual(kept);
  });

  test('each request has one log line, with the route pattern and never the path', async () => {
    await post().send({ merchantId: 7 });
    await request(app).get('/v1/things/my-id');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request.completed',
        traceId: expect.any(String),
        clientId: 'cli_1',
        keyId: 'key_1',
        method: 'POST',
        route: '/v1/echo',
        status: 200,
        ms: expect.any(Number),
        merchantId: 7,
      },
      {
        level: 'info',
        message: 'request.completed',
        traceId: expect.any(String),
        method: 'GET',
        route: '/v1/things/:id',
        status: 200,
        ms: expect.any(Number),
      },
    ]);
  });

  test('every answer closes its connection while draining', async () => {
    const draining = testApp({
      readiness: { draining: true, check: async () => ({ ready: false, mongodb: 'ok', redis: 'ok' }) },
    });
    for (const path of ['/v1/things/query', '/nope']) {
      expect((await request(draining.app).get(path).set('Connection', 'keep-alive')).headers['connection']).toBe(
        'close',
      );
    }
  });
});
