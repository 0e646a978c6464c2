import request from 'supertest';
import { createApp } from '../../api/app.js';
import { toOpenApi } from '../../api/http/to-openapi.js';
import { createOperatorApp } from '../../api/operator-app.js';
import { createReadiness } from '../../api/readiness.js';
import { callbacks, endpoints } from '../../api/routes.js';
import { limits } from '../../config/limits.js';
import { createOperatorSignIn } from '../../shared/identity/operator-sign-in.js';
import { type Line, memoryLog, testDeps } from './app-under-test.js';

function fixture() {
  const state = { mongo: true, indexes: true, redis: true, noticed: true, asked: 0, pings: 0, nowMs: 0, stepMs: 1_000 };
  const { deps, lines } = testDeps();
  const readiness = createReadiness({
    ping: async () => {
      state.pings += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (!state.mongo) throw new Error('mongodb://user:pw@host is silent');
    },
    indexesReady: async () => {
      state.asked += 1;
      return state.indexes;
    },
    redisReady: () => state.redis,
    notices: async () => {
      if (!state.noticed) throw new Error('the metadata cannot be read');
      return [];
    },
    // Each look at the clock is a second later, so that no answer is kept, unless a test says otherwise.
    nowMs: () => {
      state.nowMs += state.stepMs;
      return state.nowMs;
    },
    log: memoryLog(lines),
  });
  return { state, readiness, lines, deps: { ...deps, readiness } };
}

describe('the public port', () => {
  test('/healthz answers ok whatever is unavailable, and nothing more', async () => {
    const { deps, state } = fixture();
    state.mongo = false;
    const answer = await request(createApp(deps)).get('/healthz');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  });

  test('/readyz follows MongoDB and its indexes, and is ready but degraded without Redis', async () => {
    const { deps, state } = fixture();
    const app = createApp(deps);
    state.indexes = false;
    expect((await request(app).get('/readyz')).body).toMatchObject({
      status: 503,
      code: 'service-unavailable',
      params: { reason: ['indexes are missing'] },
    });
    state.indexes = true;
    state.redis = false;
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ready', mongodb: 'ok', redis: 'degraded' });
    state.redis = true;
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ready', mongodb: 'ok', redis: 'ok' });
    // Listing indexes is not cheap, and indexes do not vanish: they are not read again.
    expect(state.asked).toBe(2);
    state.mongo = false;
    const away = await request(app).get('/readyz');
    expect([away.status, away.headers['retry-after']]).toEqual([503, '1']);
    expect(away.body.params).toEqual({ reason: ['MongoDB does not answer'] });
    expect(JSON.stringify(away.body)).not.toContain('mongodb://');
  });

  test('calls of /readyz share one look at MongoDB, and what it showed for a moment', async () => {
    const { deps, state, readiness } = fixture();
    state.stepMs = 0;
    const app = createApp(deps);
    const together = await Promise.all(Array.from({ length: 20 }, () => readiness.check()));
    expect(together).toEqual(Array.from({ length: 20 }, () => ({ ready: true, mongodb: 'ok', redis: 'ok' })));
    // Redis costs no command, and whether the process shuts down is known at once.
    state.mongo = false;
    state.redis = false;
    state.nowMs += limits.readinessKeptMs - 1;
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ready', mongodb: 'ok', redis: 'degraded' });
    expect([state.pings, state.asked]).toEqual([1, 1]);
    state.nowMs += 1;
    expect((await request(app).get('/readyz')).status).toBe(503);
    state.mongo = true;
    expect((await request(app).get('/readyz')).status).toBe(503);
    expect(state.pings).toBe(2);
    state.nowMs += limits.readinessKeptMs;
    expect((await request(app).get('/readyz')).status).toBe(200);
    readiness.drain();
    expect((await request(app).get('/readyz')).body.params).toEqual({ reason: ['shutting down'] });
    expect(state.pings).toBe(3);
  });

  test('/readyz is ready without notices if they cannot be read, and the log has the reason', async () => {
    const { deps, state, lines } = fixture();
    state.noticed = false;
    const { body } = await request(createApp(deps)).get('/readyz');
    expect(body).toEqual({ status: 'ready', mongodb: 'ok', redis: 'ok' });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'readiness.notices-unread' }));
  });

  test('/readyz is 503 while the process shuts down, without an error in the log', async () => {
    const { deps, readiness, lines } = fixture();
    readiness.drain();
    const { status, body } = await request(createApp(deps)).get('/readyz');
    expect([status, body.params]).toEqual([503, { reason: ['shutting down'] }]);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });

  test('/openapi/v2.json is the document, without credentials', async () => {
    const answer = await request(createApp(fixture().deps)).get('/openapi/v2.json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(toOpenApi(endpoints, callbacks))));
  });

  test('has no metrics', async () => {
    expect((await request(createApp(fixture().deps)).get('/metrics')).status).toBe(404);
  });

  test('probes log nothing above debug', async () => {
    const { deps, lines } = fixture();
    await request(createApp(deps)).get('/healthz');
    expect(lines.map(({ level }) => level)).toEqual(['debug']);
  });
});

describe('the operator port', () => {
  const credentials = { operatorUser: 'operator', operatorPassword: 'a-long-password-1' };
  const { deps } = fixture();
  const app = createOperatorApp(deps, credentials);

  test.each(['/healthz', '/readyz', '/metrics'])('%s asks for user and password', async (path) => {
    for (const [user, password] of [
      ['operator', 'wrong'],
      ['other', credentials.operatorPassword],
      ['operator', ''],
      ['', ''],
    ] as const) {
      expect((await request(app).get(path).auth(user, password)).status).toBe(401);
    }
    const { headers, body } = await request(app).get(path);
    expect(headers['www-authenticate']).toMatch(/^Basic/);
    expect(body).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/OPERATOR_USER/) });
    expect((await request(app).get(path).auth('operator', credentials.operatorPassword)).status).toBe(200);
  });

  test('after too many wrong passwords even the right one has to wait', async () => {
    const guarded = createOperatorApp(fixture().deps, credentials);
    const ask = (password: string) => request(guarded).get('/healthz').auth('operator', password);
    for (let failure = 0; failure <= limits.operatorSignInFailuresMax; failure += 1) await ask(`guess-${failure}`);
    const { status, headers } = await ask(credentials.operatorPassword);
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test('wrong passwords count for the connection, whatever X-Forwarded-For says', async () => {
    const { deps: behindProxy } = fixture();
    const trusting = { ...behindProxy, config: { ...behindProxy.config, trustedProxies: { hops: 1 } } };
    const guarded = createOperatorApp(trusting, credentials);
    const ask = async (password: string, from: string) =>
      (await request(guarded).get('/healthz').set('X-Forwarded-For', from).auth('operator', password)).status;
    for (let failure = 0; failure <= limits.operatorSignInFailuresMax; failure += 1) {
      expect(await ask('guess', `203.0.113.${failure}`)).toBe(401);
    }
    expect(await ask('guess', '203.0.113.200')).toBe(429);
  });

  test('wrong passwords of one IPv6 network count together', async () => {
    const lines: Line[] = [];
    const signIn = createOperatorSignIn(credentials, memoryLog(lines));
    const basic = (password: string) => `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;
    const from = (subnet: number, host: number) => `2001:db8:0:${subnet}::${host.toString(16)}`;
    for (let failure = 0; failure <= limits.operatorSignInFailuresMax; failure += 1)
      expect((await signIn(basic('guess'), from(1, failure))).kind).toBe('stranger');
    expect((await signIn(basic('guess'), from(1, 0xffff))).kind).toBe('blocked');
    expect((await signIn(basic(credentials.operatorPassword), from(2, 1))).kind).toBe('operator');
    expect((await signIn(undefined, from(2, 1))).kind).toBe('stranger');
    // Each is logged with its address, until the network is blocked.
    expect(lines).toHaveLength(limits.operatorSignInFailuresMax + 1);
    expect(lines[0]).toEqual({ level: 'warn', message: 'operator.sign-in-refused', address: from(1, 0) });
  });

  test('GET /metrics has requests by route pattern, and everything that was reported', async () => {
    deps.metrics.request({ method: 'GET', route: '/v1/payments/:paymentId', status: 200 }, 0.01);
    deps.metrics.step({ pool: 'processor', job: 'authorize-payment', outcome: 'approved' }, 0.2);
    deps.metrics.outcome({ kind: 'authorize', status: 'denied', code: 'declined-by-acquirer' });
    deps.metrics.event('nudge-failed', 3);
    deps.metrics.waiting(4);
    deps.metrics.queue('processor', 5, 6.5);
    const { text, headers } = await request(app).get('/metrics').auth('operator', credentials.operatorPassword);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const line of [
      'gateway_http_request_seconds_count{process="test",method="GET",route="/v1/payments/:paymentId",status="200"} 1',
      'gateway_step_seconds_count{process="test",pool="processor",job="authorize-payment",outcome="approved"} 1',
      'gateway_outcomes_total{kind="authorize",status="denied",code="declined-by-acquirer",process="test"} 1',
      'gateway_events_total{event="nudge-failed",process="test"} 3',
      // Present before the first event: an alert on an increase needs the zero.
      'gateway_events_total{event="work-flagged",process="test"} 0',
      'gateway_waiting{process="test"} 4',
      'gateway_queue_depth{queue="processor",process="test"} 5',
      'gateway_queue_oldest_seconds{queue="processor",process="test"} 6.5',
    ])
      expect(text).toContain(line);
  });
});
