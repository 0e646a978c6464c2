/** The last time limit of an answer: `503` instead of a connection that ends without an answer. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnswerLimit } from '../../api/http/answer-limit.js';

const LIMIT_MS = 40;

/** A server whose handler never answers by itself, except under `/quick`. */
async function silentServer() {
  const late: (() => void)[] = [];
  const limit = createAnswerLimit(LIMIT_MS, (error, _request, response) => {
    response.statusCode = error.status;
    response.end(error.code);
  });
  const server = http.createServer((request, response) => {
    limit.begin(request, response);
    response.once('close', () => limit.end(response));
    if (request.url === '/quick') response.end('quick');
    else late.push(() => response.end('late'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url, late, close };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

const get = (url: string) =>
  new Promise<{ status: number | undefined; text: string; reused: boolean }>((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text, reused: request.reusedSocket }));
    });
    request.on('error', reject);
  });

test('a call without an answer gets 503 on a connection that stays open, and a later answer is dropped', async () => {
  const { url, late, close } = await silentServer();
  expect(await get(`${url}/`)).toEqual({ status: 503, text: 'timeout', reused: false });
  late[0]?.();
  expect(await get(`${url}/quick`)).toEqual({ status: 200, text: 'quick', reused: true });
  expect(await get(`${url}/`)).toEqual({ status: 503, text: 'timeout', reused: true });
  agent.destroy();
  await close();
});

test('the time to receive the body does not count', async () => {
  const { url, close } = await silentServer();
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers: { 'content-length': 2 } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.write('{');
    setTimeout(() => request.end('}'), 5 * LIMIT_MS);
  });
  const beganMs = performance.now();
  expect(await answered).toBe(503);
  expect(performance.now() - beganMs).toBeGreaterThan(5 * LIMIT_MS);
  await close();
});
