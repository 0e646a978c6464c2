/** How the doctor probes processors and 3D Secure servers: without an effect, within a deadline, and with no secret in the result. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startThreeDsServer } from '../../scripts/sandbox/threeds-server/start-threeds-server.js';
import { createLog } from '../../shared/log.js';
import { createAdyenProcessor } from '../../shared/processors/adyen/create-adyen-processor.js';
import type { ProbeResult } from '../../shared/processors/processor.js';
import { createStripeProcessor } from '../../shared/processors/stripe/create-stripe-processor.js';
import { createEmv3dsProvider } from '../../shared/threeds-providers/emv3ds/create-emv3ds-provider.js';

const log = createLog('test', 'silent');
const KEY = 'sk_test_hunter2';
/** Longer than a request takes to leave on a busy machine (ms). */
const TIMEOUT_MS = 2_000;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const probes = {
  stripe: (baseUrl: string, secretKey?: string) =>
    createStripeProcessor({ baseUrl, secretKey, timeoutMs: TIMEOUT_MS, log }),
  adyen: (baseUrl: string) => createAdyenProcessor({ baseUrl, timeoutMs: TIMEOUT_MS, log }),
  emv3ds: (url: string, apiKey = KEY) =>
    createEmv3dsProvider({
      url,
      apiKey,
      apiKeyHeader: 'APIKey',
      requestor: { url: 'https://shop.example' },
      timeoutMs: TIMEOUT_MS,
    }),
};

async function probe(target: {
  probe?(): Promise<ProbeResult>;
  close(): Promise<void>;
}): Promise<ProbeResult | undefined> {
  try {
    return await target.probe?.();
  } finally {
    await target.close();
  }
}

/** Probes a server that answers with `answer`. Returns the result and the requests that the server received. */
async function against(answer: Answer, make: (url: string) => Parameters<typeof probe>[0]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const result = await probe(make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(JSON.stringify(result)).not.toContain('hunter2');
  return { result, asked };
}

const json =
  (status: number, body: object): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const refusal = (type: string) => ({ error: { type, message: `Invalid API Key provided: ${KEY}` } });
const html: Answer = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
const silent: Answer = () => undefined;

test.each<[keyof typeof probes, string, Answer, ProbeResult['kind'], RegExp]>([
  ['stripe', 'takes the key', json(200, { object: 'balance' }), 'reachable', /takes the key/],
  ['stripe', 'refuses the key', json(401, refusal('invalid_request_error')), 'unreachable', /refuses the key.*401/],
  ['stripe', 'restricts the key', json(403, refusal('invalid_request_error')), 'reachable', /restricted/],
  ['stripe', 'fails', json(500, {}), 'unreachable', /500/],
  ['stripe', 'is silent', silent, 'unreachable', /2000 ms/],
  ['adyen', 'wants a key', json(401, { status: 401 }), 'reachable', /merchants' own/],
  ['adyen', 'fails', json(502, {}), 'unreachable', /502/],
  ['adyen', 'is silent', silent, 'unreachable', /2000 ms/],
  ['emv3ds', 'refuses the key', json(401, {}), 'unreachable', /refuses the key/],
  ['emv3ds', 'is another server', html, 'unreachable', /./],
  ['emv3ds', 'fails', json(500, {}), 'unreachable', /500/],
  ['emv3ds', 'is silent', silent, 'unreachable', /2000 ms/],
])('the probe says that %s %s (%#)', async (name, _what, answer, kind, said) => {
  const { result, asked } = await against(answer, (url) => probes[name](url, KEY));
  expect(result?.kind).toBe(kind);
  expect(JSON.stringify(result)).toMatch(said);
  expect(asked).toEqual([{ stripe: 'GET /v1/balance', adyen: 'POST /paymentMethods', emv3ds: 'POST /preauth' }[name]]);
});

test('stripe with the own keys of merchants is reachable if it asks for a key', async () => {
  const { result } = await against(json(401, refusal('invalid_request_error')), (url) => probes.stripe(url));
  expect(result).toEqual({ kind: 'reachable', detail: "it answers; keys are the merchants' own, not tried" });
});

test.each(['stripe', 'adyen', 'emv3ds'] as const)('%s is unreachable if it does not listen', async (name) => {
  expect(await probe(probes[name]('http://127.0.0.1:1', KEY))).toMatchObject({ kind: 'unreachable' });
});

test('the mock 3D Secure server accepts its key and refuses another one', async () => {
  const server = await startThreeDsServer({ port: 0, apiKey: KEY });
  expect(await probe(probes.emv3ds(server.url))).toEqual({ kind: 'reachable', detail: 'it answers and takes the key' });
  expect(await probe(probes.emv3ds(server.url, 'another'))).toMatchObject({ internal: 'it refuses the key' });
  await server.close();
});
