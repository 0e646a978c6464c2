/** Pages of other web sites cannot reach the test processor through a browser on this machine. */
import { request as httpRequest } from 'node:http';
import { type Simulator, startSimulator } from '../../../scripts/sandbox/simulator/start-simulator.js';
import { newLedgerFile } from '../../processors/sandbox/sandbox-harness.js';

let simulator: Simulator;
let temporary: Awaited<ReturnType<typeof newLedgerFile>>;
beforeAll(async () => {
  temporary = await newLedgerFile();
  simulator = await startSimulator({ port: 0, ledgerFile: temporary.ledgerFile });
});
afterAll(async () => {
  await simulator.close();
  await temporary.remove();
});

const post = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
    sent.end('{"id":"pay_1"}');
  });
const inboxSize = async () => ((await (await fetch(`${simulator.url}/inbox`)).json()) as unknown[]).length;

test('requests of the gateway and of people on this machine are accepted', async () => {
  expect(await post('/inbox', {})).toBe(200);
  expect(await post('/inbox', { host: `localhost:${simulator.port}` })).toBe(200);
  expect(await post('/inbox', { origin: 'http://127.0.0.1:8080' })).toBe(200);
  expect(await inboxSize()).toBe(3);
});

test.each<[string, Record<string, string>]>([
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['a foreign name that resolves to this machine', { host: 'rebound.example' }],
  ['a name that begins like this machine', { host: '127.0.0.1.evil.example' }],
])('%s cannot post, switch or read anything', async (_, headers) => {
  const before = await inboxSize();
  for (const path of ['/inbox', '/faults', '/slow']) expect(await post(path, headers)).toBe(403);
  expect(await inboxSize()).toBe(before);
});

test('the pages of bank and issuer are open to browsers of any origin, but not under a foreign host name', async () => {
  expect(await post('/bank/unknown', { origin: 'https://shop.example' })).not.toBe(403);
  expect(await post('/bank/unknown', { host: 'rebound.example' })).toBe(403);
});
