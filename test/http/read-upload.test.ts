import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineEndpoint, type UploadedFile } from '../../api/http/define-endpoint.js';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';
import { testApp } from './app-under-test.js';

const upload = defineEndpoint<unknown, unknown, UploadedFile>({
  method: 'put',
  path: '/v1/upload',
  operationId: 'upload',
  summary: 'Length of a file',
  tags: ['test'],
  auth: 'none',
  merchantScope: 'none',
  request: { upload: { part: 'file', bytesMax: 100, contentTypes: ['image/png'] } },
  responses: { 200: Joi.any() },
  errors: [],
  handle: ({ body }) => ({ length: body.bytes.length }),
});

const server = http.createServer(testApp({}, [upload]).app);
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/upload`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const headers = { 'content-type': 'multipart/form-data; boundary=b' };
const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const put = async (file: string) => {
  const response = await fetch(url, { method: 'PUT', headers, body: `${start}${file}\r\n--b--\r\n` });
  return { status: response.status, body: await response.json(), retryAfter: response.headers.get('retry-after') };
};

/** Begins an upload and does not continue it. */
function begin(): Promise<http.ClientRequest> {
  return new Promise((resolve) => {
    const sent = http.request(url, { method: 'PUT', headers: { ...headers, 'content-length': '500' } });
    sent.on('error', () => undefined);
    sent.write(start, () => resolve(sent));
  });
}

test('a file up to the limit arrives completely, and a larger one is 413', async () => {
  expect(await put('x'.repeat(100))).toMatchObject({ status: 200, body: { length: 100 } });
  expect(await put('x'.repeat(101))).toMatchObject({ status: 413 });
  // The connection of a refused upload is not used again, so the next upload is not affected.
  expect(await put('')).toMatchObject({ status: 200, body: { length: 0 } });
});

test('uploads above the limit for memory are refused until others end', async () => {
  const begun = await Promise.all(Array.from({ length: limits.uploadsAtOnceMax }, begin));
  const until = async (status: number) => {
    for (;;) {
      const answer = await put('x');
      if (answer.status === status) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  expect(await until(503)).toMatchObject({ body: { code: 'service-unavailable' }, retryAfter: '1' });
  for (const one of begun) one.destroy();
  expect(await until(200)).toMatchObject({ body: { length: 1 } });
});
