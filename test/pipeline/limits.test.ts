/** Limits over two APIs that share one Redis (docs/decisions.md, "rate limits"; docs/api.md#limits). */
import { type Answer, type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { startSecondApi } from '../support/second-api.js';

const settings = {
  API_WRITES_PER_SECOND: '5',
  API_READS_PER_SECOND: '10',
  SIGN_IN_FAILURES_PER_MINUTE: '20',
  MERCHANT_MISSES_PER_MINUTE: '20',
  INTERACTIVE_READS_PER_MINUTE: '8',
  INTERACTIVE_PAYMENTS_PER_MINUTE: '3',
  TRUSTED_PROXIES: '0',
};

let gateway: TestGateway;
let second: Awaited<ReturnType<typeof startSecondApi>>;
beforeAll(async () => {
  gateway = await startGateway({ name: 'limits', settings, pools: ['processor'] });
  second = await startSecondApi(gateway);
});
afterAll(async () => {
  await second?.close();
  await gateway?.close();
});

const READ = '/v1/payments/pay_00000000000000000000000000000000';
const callFirstApi = (method: string, path: string, body?: unknown, options?: CallOptions) =>
  gateway.call(method, path, body, options);
async function callSecondApi(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
  const { clientId, apiKey } = gateway.sandbox;
  const credentials = options.auth ?? `${clientId}:${apiKey}`;
  const response = await fetch(`${second.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/json',
      ...options.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}
const statuses = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const MINUTE_MS = 60_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits until the one-second windows of earlier calls have ended. */
const nextSecond = () => pause(1_050);

/** Returns answers to reads that were counted in one window. Repeats reads that took longer than a second, on a busy machine. */
async function withinOneSecond(ask: () => Promise<Answer[]>): Promise<Answer[]> {
  for (;;) {
    await nextSecond();
    const startedAt = performance.now();
    const answers = await ask();
    if (performance.now() - startedAt < 1_000) return answers;
  }
}

test('a client gets exactly ten reads a second over both APIs, with all its keys together', async () => {
  const { clientId, secondary } = gateway.sandbox;
  const auths = [undefined, `${clientId}:${secondary.apiKey}`];
  const answers = await withinOneSecond(() =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const auth = auths[index % 2];
        return (index % 3 ? callFirstApi : callSecondApi)('GET', READ, undefined, auth === undefined ? {} : { auth });
      }),
    ),
  );
  expect(statuses(answers)).toEqual({ 404: 10, 429: 20 });
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ code: 'too-many-requests', type: 'api-error', status: 429 });
  expect(refused?.headers.get('retry-after')).toBe('1');
  const { other: stranger } = gateway.sandbox;
  expect((await callFirstApi('GET', READ, undefined, { auth: `${stranger.clientId}:${stranger.apiKey}` })).status).toBe(
    404,
  );
  await nextSecond();
  expect((await callFirstApi('GET', READ)).status).toBe(404);
});

test('writes are counted apart from reads, and a refused write stores nothing', async () => {
  await nextSecond();
  const before = await gateway.database.collection('payments').countDocuments();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? callFirstApi : callSecondApi)('POST', '/v1/payments', paymentBody()),
    ),
  );
  expect(statuses(answers)).toEqual({ 200: 5, 429: 7 });
  expect(await gateway.database.collection('payments').countDocuments()).toBe(before + 5);
  expect((await callFirstApi('GET', READ)).status).toBe(404);
});

test('marked requests have the limits of the interactive reference, per group, with the remaining number', async () => {
  const headers = { 'X-Interactive-Testing': 'true' };
  const answers: Answer[] = [];
  for (let index = 0; index < 11; index++) {
    if (index % 4 === 0) await nextSecond();
    answers.push(await (index % 2 ? callFirstApi : callSecondApi)('GET', READ, undefined, { headers }));
  }
  expect(answers.map(({ status }) => status)).toEqual([...Array(8).fill(404), ...Array(3).fill(429)]);
  expect(answers[0]?.headers.get('ratelimit-limit')).toBe('8');
  expect(answers.slice(0, 8).map((answer) => answer.headers.get('ratelimit-remaining'))).toEqual([
    '7',
    '6',
    '5',
    '4',
    '3',
    '2',
    '1',
    '0',
  ]);
  const retryAfter = Number(answers[10]?.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(30);
  expect(retryAfter).toBeLessThanOrEqual(60);

  // Unmarked requests are still accepted, and so are those of another group.
  await nextSecond();
  expect((await callFirstApi('GET', READ)).status).toBe(404);
  const paid = [];
  for (let index = 0; index < 4; index++)
    paid.push(await callFirstApi('POST', '/v1/payments', paymentBody(), { headers }));
  expect(paid.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  await nextSecond();
  expect((await callFirstApi('POST', '/v1/payments', paymentBody())).status).toBe(200);
});

test('calls of /healthz are not counted', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => callFirstApi('GET', '/healthz', undefined, { auth: null })),
  );
  expect(statuses(answers)).toEqual({ 200: 40 });
});

test('twenty failed sign-ins get 401, the next ones 429 over both APIs, even from spoofed addresses', async () => {
  await nextSecond();
  const auth = `${gateway.sandbox.other.clientId}:sk_test_wrong`;
  const answers: Answer[] = [];
  for (let index = 0; index < 100; index++) {
    const headers = { 'X-Forwarded-For': `203.0.113.${index}` };
    answers.push(await (index % 2 ? callFirstApi : callSecondApi)('GET', READ, undefined, { auth, headers }));
  }
  expect(statuses(answers)).toEqual({ 401: 20, 429: 80 });
  expect(answers.slice(0, 20).every(({ status }) => status === 401)).toBe(true);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  const { other: stranger } = gateway.sandbox;
  const right = await callFirstApi('GET', READ, undefined, { auth: `${stranger.clientId}:${stranger.apiKey}` });
  expect(right.status).toBe(404);
  // The sandbox's first client can still sign in from the same address.
  expect((await callFirstApi('GET', READ)).status).toBe(404);
});

/** Misses are counted per minute of the clock: calls that are counted together must not begin at the end of a minute. */
const withinOneMinute = async (lastsMs: number) => {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < lastsMs) await pause(leftMs);
};

test('a key that names twenty merchants not its own gets 400 or 403, then 429; its own is still accepted', async () => {
  await withinOneMinute(12_000);
  const codes: string[] = [];
  for (let index = 0; index < 23; index++) {
    if (index % 5 === 0) await nextSecond();
    const merchantId = index === 0 ? 2001 : 800_000 + index;
    codes.push(
      (await (index % 2 ? callFirstApi : callSecondApi)('POST', '/v1/payments', paymentBody({ merchantId }))).body.code,
    );
  }
  expect(codes[0]).toBe('forbidden');
  expect(codes.slice(1, 20)).toEqual(Array(19).fill('merchant-not-found'));
  expect(codes.slice(20)).toEqual(Array(3).fill('too-many-requests'));
  await nextSecond();
  expect((await callFirstApi('POST', '/v1/payments', paymentBody())).status).toBe(200);
});

describe('without Redis', () => {
  let alone: TestGateway;
  beforeAll(async () => {
    const more = { REDIS_URL: 'redis://127.0.0.1:1', SIGN_IN_FAILURES_PER_MINUTE: '3' };
    alone = await startGateway({ name: 'limits_alone', settings: { ...settings, ...more }, pools: [] });
  });
  afterAll(() => alone?.close());

  test('each process counts on its own: calls are still limited, and never get 5xx', async () => {
    const answers = await withinOneSecond(() => Promise.all(Array.from({ length: 30 }, () => alone.call('GET', READ))));
    expect(statuses(answers)).toEqual({ 404: 10, 429: 20 });
    const auth = `${alone.sandbox.clientId}:sk_test_wrong`;
    const failed = [];
    for (let index = 0; index < 5; index++) failed.push(await alone.call('GET', READ, undefined, { auth }));
    expect(failed.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
  });
});

test('split destinations cannot be used to find out which merchants exist', async () => {
  await withinOneMinute(12_000);
  const link = (destinationMerchantId: number) => ({
    merchantId: 1001,
    type: 'regular',
    amount: { total: 10, currency: 'USD' },
    settings: { amountMode: 'fixed' },
    splitDestinations: [{ destinationMerchantId, amountRule: { type: 'residual' } }],
  });
  // The secondary key: another key may have used up its misses of this minute.
  const auth = `${gateway.sandbox.clientId}:${gateway.sandbox.secondary.apiKey}`;
  const answers: Answer[] = [];
  for (let id = 5_000; id < 5_022; id++) {
    if (answers.length % 4 === 0) await nextSecond();
    answers.push(await callFirstApi('POST', '/v1/payment-links', link(id), { auth }));
  }
  expect(statuses(answers)).toEqual({ 400: 20, 429: 2 });
});
