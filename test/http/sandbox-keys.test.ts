/** Which clients are shown the keys of a sandbox. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSandbox } from '../../api/pages/sandbox/read-sandbox.js';

let folder: string;
let sandboxFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'));
  sandboxFile = join(folder, 'sandbox.json');
  await writeFile(sandboxFile, '{"apiKey":"sk_test_1"}');
});
afterAll(() => rm(folder, { recursive: true }));

const shown = (headers: Record<string, string>, remoteAddress = '127.0.0.1', more: object = {}) =>
  readSandbox(
    { headers: { host: '127.0.0.1:8080', ...headers }, socket: { remoteAddress } } as never,
    { environment: 'testing', sandboxFile, publicBaseUrl: 'http://127.0.0.1:8080', ...more } as never,
  );

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.9'])(
  'a browser on this machine (%s) is shown the keys',
  async (address) => {
    expect(await shown({}, address)).toEqual({ apiKey: 'sk_test_1' });
  },
);

test.each<[string, Record<string, string>, string]>([
  ['another machine that writes our name', {}, '203.0.113.7'],
  ['another machine, IPv4 in IPv6', {}, '::ffff:203.0.113.7'],
  ['a connection without an address', {}, ''],
  ['a client behind a proxy on this machine', { 'x-forwarded-for': '203.0.113.7' }, '127.0.0.1'],
  ['a client behind a proxy that sends Forwarded', { forwarded: 'for=203.0.113.7' }, '127.0.0.1'],
  ['a client behind a proxy that names this machine', { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
  ['a client behind another kind of proxy', { 'x-real-ip': '203.0.113.7' }, '127.0.0.1'],
  ['a page under a name of its own', { host: 'rebound.example' }, '127.0.0.1'],
])('the keys are not shown to %s', async (_, headers, address) => {
  expect(await shown(headers, address)).toBeUndefined();
});

test('the keys are shown to no client in production', async () => {
  expect(await shown({}, '127.0.0.1', { environment: 'production' })).toBeUndefined();
});
