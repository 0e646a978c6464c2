import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { startOperatorServer } from '../../workers/operator-server.js';

const PORT = 20_000 + Number(process.env.JEST_WORKER_ID ?? '1') * 13 + (process.pid % 1000);
const config = {
  workerOperatorPort: PORT,
  operatorHost: '127.0.0.1',
  operatorUser: 'operator',
  operatorPassword: 'a password of the tests',
};
let mongoAnswers = true;
const ping = async () => {
  if (!mongoAnswers) throw new Error('silent');
};
let evicting = false;
let clockProblem: string | undefined;
let defect: Error | undefined;
const problem = () => {
  if (defect) throw defect;
  return clockProblem;
};
const metrics = createMetrics({ process: 'processor' });
const lines: string[] = [];
const note = (message: string) => void lines.push(message);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
let server: Awaited<ReturnType<typeof startOperatorServer>>;

beforeAll(async () => {
  server = await startOperatorServer({ config, metrics, ping, problem, redisEvicts: () => evicting, log });
});
afterAll(() => server.close());

const get = (path: string, password = config.operatorPassword) =>
  fetch(`http://127.0.0.1:${PORT}${path}`, {
    headers: { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` },
  });

test('every page requires sign-in', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/nothing']) {
    const refused = await get(path, 'wrong');
    expect([refused.status, await refused.json()]).toEqual([401, { code: 'unauthorized' }]);
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="operator"');
    expect((await fetch(`http://127.0.0.1:${PORT}${path}`)).status).toBe(401);
  }
});

test('the worker serves health, readiness and metrics, and no other page', async () => {
  metrics.step({ pool: 'processor', job: 'authorize', outcome: 'approved' }, 0.01);
  const refresh = async () => metrics.queue('processor', 7, 1.5);
  metrics.onScrape({ kind: 'queues', refresh, forget: metrics.forgetQueues });
  const health = await get('/healthz?probe=1');
  expect(await health.json()).toEqual({ status: 'ok' });
  expect([health.headers.get('content-type'), health.headers.get('cache-control')]).toEqual([
    'application/json',
    'no-store',
  ]);
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready', mongodb: 'ok' });
  expect((await get('/readyz')).status).toBe(200);
  const text = await (await get('/metrics')).text();
  expect(text).toMatch(/gateway_step_seconds_count\{.*job="authorize".*\} 1/);
  expect(text).toMatch(/gateway_queue_depth\{queue="processor".*\} 7/);
  const nothing = await get('/nothing');
  expect([nothing.status, await nothing.json()]).toEqual([404, { code: 'not-found' }]);
});

test('a worker beside a Redis that may evict nudges is ready, with a notice', async () => {
  evicting = true;
  const answer = await get('/readyz');
  evicting = false;
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { status: 'ready', mongodb: 'ok', notices: ['redis-evicts'] },
  ]);
});

test('a worker is not ready while MongoDB does not answer, and logs it', async () => {
  lines.splice(0);
  mongoAnswers = false;
  const answer = await get('/readyz');
  mongoAnswers = true;
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'not-ready', mongodb: 'down' }]);
  expect(lines).toEqual(['readiness.mongodb-silent']);
});

test('a page that fails answers 500 and is logged', async () => {
  lines.splice(0);
  defect = new Error('a defect');
  const answer = await get('/readyz');
  defect = undefined;
  expect([answer.status, await answer.json()]).toEqual([500, { code: 'internal-error' }]);
  expect(lines).toEqual(['operator.page-failed']);
});

test('with port 0 there is no operator server', async () => {
  lines.splice(0);
  const none = await startOperatorServer({
    ...{ config: { ...config, workerOperatorPort: 0 }, metrics, ping, problem, redisEvicts: () => false, log },
  });
  await none.close();
  expect(lines).toEqual([]);
});

test('GET /readyz 503: the clock of the machine is wrong, and the answer says so', async () => {
  clockProblem = 'The clock of this machine is 1200 seconds ahead of that of MongoDB.';
  const answer = await get('/readyz');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ status: 'not-ready', mongodb: 'ok', reason: clockProblem });
  clockProblem = undefined;
  expect((await get('/readyz')).status).toBe(200);
});

test('after too many wrong passwords the right one is refused too', async () => {
  for (let failure = 0; failure <= limits.operatorSignInFailuresMax; failure += 1)
    await get('/healthz', `guess ${failure}`);
  const answer = await get('/healthz');
  expect([answer.status, await answer.json()]).toEqual([429, { code: 'too-many-requests' }]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('metrics of persistent connections show their current state and total event counts', async () => {
  const report = (answered: number) => ({
    ...{ connected: 1, wanted: 2, inFlight: 3, waiting: 4, openReversals: 5 },
    counts: { answered, unanswered: 0, refused: 0, echoed: 0, disconnected: 1 },
  });
  metrics.lines('iso8583', report(7));
  metrics.lines('iso8583', report(9));
  const text = await metrics.text();
  for (const line of [
    'gateway_line_connected{processor="iso8583",process="processor"} 1',
    'gateway_line_wanted{processor="iso8583",process="processor"} 2',
    'gateway_line_in_flight{processor="iso8583",process="processor"} 3',
    'gateway_line_waiting{processor="iso8583",process="processor"} 4',
    'gateway_line_open_reversals{processor="iso8583",process="processor"} 5',
    'gateway_line_events_total{processor="iso8583",event="answered",process="processor"} 9',
    'gateway_line_events_total{processor="iso8583",event="disconnected",process="processor"} 1',
  ])
    expect(text).toContain(line);
});
