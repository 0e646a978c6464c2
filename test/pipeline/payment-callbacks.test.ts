/** Reading the callbacks of a payment, and sending them again. */
import { endpoints } from '../../api/routes.js';
import { type Check, publishedDocument, publishedSchemas } from '../contract/published-schema.js';
import { type Receiver, startReceiver } from '../outbound/receiver.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';

const published = publishedSchemas(publishedDocument());

let gateway: TestGateway;
let receiver: Receiver;
let status = 200;
beforeAll(async () => {
  receiver = await startReceiver((_request, response) => {
    response.statusCode = status;
    response.end();
  });
  gateway = await startGateway({ name: 'callbacks' });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
});
beforeEach(() => {
  status = 200;
});

const checks = new Map<string, Check>();

async function call(operationId: string, path: string, options?: CallOptions) {
  const endpoint = endpoints.find((one) => one.operationId === operationId);
  if (!endpoint) throw new Error(`there is no ${operationId}`);
  const answer = await gateway.call(endpoint.method.toUpperCase(), path, undefined, options);
  const name = `${operationId} ${answer.status}`;
  const check = checks.get(name) ?? published.response(endpoint, answer.status);
  checks.set(name, check);
  expect([answer.status, check(answer.body)]).toEqual([answer.status, []]);
  return answer;
}
const list = (id: string, options?: CallOptions) => call('listCallbacks', `/v1/payments/${id}/callbacks`, options);
const replay = (id: string, eventId: string, options?: CallOptions) =>
  call('replayCallback', `/v1/payments/${id}/callbacks/${eventId}/replay`, options);

/** Returns the events of the payment as soon as `done` holds for them. */
async function eventsWhen(id: string, done: (events: { status: string; attemptCount: number }[]) => boolean) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const { data } = (await list(id)).body;
    if (done(data)) return data;
    if (Date.now() > giveUpAt) throw new Error(`the events are ${JSON.stringify(data)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Makes a payment that is captured automatically after a second: only the receiver gets a callback about the capture. */
async function announced(): Promise<string> {
  const body = paymentBody({ capture: { delay: 1 }, callbackUrl: receiver.url });
  const paid = await gateway.call('POST', '/v1/payments', body);
  expect(paid.body.status).toBe('authorized');
  return paid.body.id;
}

test('an event is shown with its attempts, the answers and the body; a replay sends the same event again', async () => {
  const id = await announced();
  const [event, ...more] = await eventsWhen(id, (events) => events.some((one) => one.status === 'delivered'));
  expect(more).toEqual([]);
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    resourceVersion: expect.any(Number),
    url: receiver.url,
    status: 'delivered',
    createdAt: expect.stringMatching(/Z$/),
    nextAttemptAt: null,
    attemptCount: 1,
    attempts: [{ at: expect.stringMatching(/Z$/), durationMs: expect.any(Number), status: 200, error: null }],
    body: (await gateway.call('GET', `/v1/payments/${id}`)).body,
  });

  const before = receiver.received.length;
  status = 503;
  const replayed = await replay(id, event.id);
  expect([replayed.status, replayed.body.id, replayed.body.body]).toEqual([200, event.id, event.body]);
  const [failed] = await eventsWhen(id, ([one]) => one?.status === 'waiting' && one.attemptCount === 1);
  expect(failed.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([200, 503]);
  expect(Date.parse(failed.nextAttemptAt)).toBeGreaterThan(Date.now());
  const waiting = await replay(id, event.id);
  expect([waiting.status, waiting.body.status, waiting.body.nextAttemptAt]).toEqual([
    200,
    'waiting',
    failed.nextAttemptAt,
  ]);
  expect(receiver.received.length).toBe(before + 1);
  const sent = receiver.received.slice(-2);
  expect(sent.map(({ headers }) => headers['gateway-event-id'])).toEqual([event.id, event.id]);
  const webhook = publishedDocument().webhooks?.['paymentChanged']?.['post'];
  const { parameters = [] } = (webhook ?? {}) as { parameters?: readonly { name: string }[] };
  const names = parameters.map(({ name }) => name.toLowerCase()).sort();
  expect(names).toHaveLength(4);
  for (const { headers } of sent) {
    expect(
      Object.keys(headers)
        .filter((name) => name.startsWith('gateway-'))
        .sort(),
    ).toEqual(names);
  }
  expect(sent[1]?.body).toBe(sent[0]?.body);
});

test('a replay does not wait for the sweep', async () => {
  const id = await announced();
  const [event] = await eventsWhen(id, (events) => events.some((one) => one.status === 'delivered'));
  const tookMs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const [before, startedAt] = [receiver.received.length, performance.now()];
    expect((await replay(id, event.id)).status).toBe(200);
    while (receiver.received.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    tookMs.push(performance.now() - startedAt);
    await eventsWhen(id, ([one]) => one?.status === 'delivered');
  }
  // Sweeps are 1.5 s apart. The time that the machine itself needs is measured by calls that wait for no other process.
  const startedAt = performance.now();
  for (let round = 0; round < 20; round += 1) await gateway.call('GET', `/v1/payments/${id}`);
  expect(Math.min(...tookMs)).toBeLessThan(500 + performance.now() - startedAt);
});

test('a payment without events has an empty list; an unknown event and a foreign payment are 404', async () => {
  const { body: paid } = await gateway.call('POST', '/v1/payments', paymentBody({ merchantId: 1002 }));
  expect((await list(paid.id)).body).toEqual({ data: [] });
  const unknown = await replay(paid.id, 'evt_00000000000000000000000000000000');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not-found']);
  const { other, secondary } = gateway.sandbox;
  for (const { clientId, apiKey } of [other, secondary]) {
    const auth = `${clientId}:${apiKey}`;
    for (const answer of [await list(paid.id, { auth }), await replay(paid.id, 'evt_1', { auth })]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'payment-not-found']);
    }
  }
  expect((await list(paid.id, { auth: null })).status).toBe(401);
});
