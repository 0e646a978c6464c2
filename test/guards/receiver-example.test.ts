/** The receiver of callbacks in docs/integration.md, run as a shop runs it, beside a gateway that only knows one payment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { awaitPort, freePort } from '../../scripts/setup/ports.mjs';
import { PATIENCE_MS } from '../support/patience.js';
import { textOf } from './source-tree.js';

const [, example = ''] = /```js\n([\s\S]*?createServer[\s\S]*?)```/.exec(textOf('docs/integration.md')) ?? [];

let gateway: Server;
let receiver: ChildProcess;
let port: number;
let statusOfReads = 200;
const reads: (string | undefined)[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    reads.push(request.url);
    response.writeHead(statusOfReads).end(JSON.stringify({ referenceId: 'order-1', status: 'approved' }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  port = await freePort();
  const env = {
    ...process.env,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    CLIENT_ID: 'cli_1',
    API_KEY: 'sk_test_1',
  };
  receiver = spawn(process.execPath, ['--input-type=module', '-e', example], { env, stdio: 'ignore' });
  await awaitPort(port, AbortSignal.timeout(PATIENCE_MS));
});

afterAll(async () => {
  receiver?.kill();
  await new Promise((resolve) => gateway?.close(resolve));
});

async function post(event: string): Promise<number> {
  const headers = { 'gateway-event-id': event };
  const sent = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{"id":"pay_1"}' });
  return sent.status;
}

test('it reads the payment once for each event', async () => {
  expect([await post('evt_1'), await post('evt_1'), await post('evt_2')]).toEqual([204, 204, 204]);
  expect(reads.splice(0)).toEqual(['/v1/payments/pay_1', '/v1/payments/pay_1']);
});

test('it asks for another try when the payment cannot be read', async () => {
  statusOfReads = 503;
  expect(await post('evt_3')).toBe(503);
  statusOfReads = 200;
  expect(await post('evt_3')).toBe(204);
});

test('it survives a caller that disconnects in the middle of the body', async () => {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => socket.write('POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 99\r\n\r\n{', resolve));
  // The receiver has begun to read this request when it has answered one that came later.
  expect(await post('evt_4')).toBe(204);
  socket.destroy();
  const gone = new Promise((resolve) => receiver.once('exit', () => resolve('gone')));
  expect(await Promise.race([gone, post('evt_5')])).toBe(204);
  expect(await Promise.race([gone, post('evt_6')])).toBe(204);
  expect(receiver.exitCode).toBe(null);
});
