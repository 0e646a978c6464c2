/** Callbacks through a real proxy, with the same rules for addresses as without one. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCallbackPoster, type PosterOptions } from '../../../workers/callback/post-callback.js';
import { startReceiver } from '../../outbound/receiver.js';
import { startConnectProxy } from '../../support/connect-proxy.js';
import { makeCertificate, type TestCertificate } from '../../support/make-certificate.js';

const HOST = 'hooks.example.com';
const PUBLIC = '93.184.216.34';
const event = { body: '{}', eventId: 'evt_1', attempt: 1, eventCreatedAt: new Date(0), resourceVersion: 1 };
const production = { environment: 'production', allowPrivateNetworks: false, resolve: async () => [PUBLIC] } as const;
const cleanUps: (() => Promise<void>)[] = [];
let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await makeCertificate(HOST);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function proxyWith(options: Parameters<typeof startConnectProxy>[0] = {}) {
  const proxy = await startConnectProxy(options);
  cleanUps.push(proxy.close);
  return proxy;
}

function post(url: string, options: Partial<PosterOptions>) {
  const poster = createCallbackPoster({ ...production, ca: certificate.cert, ...options });
  cleanUps.push(poster.close);
  return poster.post({ ...event, url });
}

/** Starts a TLS receiver that keeps the headers of what it gets. */
async function secureReceiver(shown = certificate) {
  const headers: Record<string, unknown>[] = [];
  const server = createServer(shown, (request, response) => {
    headers.push(request.headers);
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `https://${HOST}:${port}/hook`, port, headers, route: () => `127.0.0.1:${port}` };
}

test('the proxy gets the checked address, and the receiver gets its name and nothing of the proxy', async () => {
  const { url, port, headers, route } = await secureReceiver();
  const proxy = await proxyWith({ route });
  const proxyUrl = `http://gateway:hunter2%40@127.0.0.1:${proxy.port}`;
  await expect(post(url, { proxyUrl })).resolves.toMatchObject({ kind: 'answered', status: 204 });
  const credentials = `Basic ${Buffer.from('gateway:hunter2@').toString('base64')}`;
  expect(proxy.asked).toEqual([{ authority: `${PUBLIC}:${port}`, credentials }]);
  expect(headers).toMatchObject([{ host: `${HOST}:${port}` }]);
  expect(JSON.stringify(headers)).not.toMatch(/proxy/i);
});

test('a proxy can be reached over TLS, and an IPv6 address is in brackets', async () => {
  const { url, port, route } = await secureReceiver();
  const proxy = await proxyWith({ route, tls: await makeCertificate('localhost') });
  const own = await makeCertificate('localhost');
  const trusted = await proxyWith({ route, tls: own });
  const resolve = async () => ['2606:2800:220:1:248:1893:25c8:1946'];
  const ca = `${certificate.cert}${own.cert}`;
  await expect(post(url, { resolve, ca, proxyUrl: `https://localhost:${trusted.port}` })).resolves.toMatchObject({
    kind: 'answered',
  });
  expect(trusted.asked.map(({ authority }) => authority)).toEqual([`[2606:2800:220:1:248:1893:25c8:1946]:${port}`]);
  // A proxy with an unknown certificate gets no request.
  const unknown = await post(url, { ca: certificate.cert, proxyUrl: `https://localhost:${proxy.port}` });
  expect([unknown, proxy.asked]).toEqual([expect.objectContaining({ error: 'tls' }), []]);
});

test('without TLS, in testing, the tunnel is the same', async () => {
  const receiver = await startReceiver();
  cleanUps.push(receiver.close);
  const proxy = await proxyWith();
  const local = { environment: 'testing', allowPrivateNetworks: true } as const;
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  await expect(post(receiver.url, { ...local, proxyUrl })).resolves.toMatchObject({ status: 200 });
  expect(proxy.asked).toEqual([{ authority: receiver.host, credentials: undefined }]);
  expect(receiver.received).toMatchObject([{ headers: { host: receiver.host } }]);
});

test.each([
  ['a private answer', ['10.0.0.1']],
  ['the metadata service', ['169.254.169.254']],
  ['a private answer among public ones', [PUBLIC, '127.0.0.1']],
])('%s never reaches the proxy', async (_what, addresses) => {
  const proxy = await proxyWith();
  const options = { resolve: async () => addresses, proxyUrl: `http://127.0.0.1:${proxy.port}` };
  await expect(post(`https://${HOST}/`, options)).resolves.toMatchObject({ error: 'target-refused' });
  for (const literal of ['127.0.0.1', '[::1]', '2130706433']) {
    await expect(post(`https://${literal}/`, options)).resolves.toMatchObject({ error: 'target-refused' });
  }
  expect(proxy.connections()).toBe(0);
});

test('the certificate is compared with the name, wherever the proxy connects to', async () => {
  const { url, route, headers } = await secureReceiver(await makeCertificate('other.example.com'));
  const proxy = await proxyWith({ route });
  const result = await post(url, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
  expect([result, headers]).toEqual([expect.objectContaining({ error: 'tls' }), []]);
});

test.each([403, 407, 502])('a proxy that answers %i counts as a receiver that cannot be reached', async (answer) => {
  const proxy = await proxyWith({ answer });
  const result = post(`https://${HOST}/`, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
  await expect(result).resolves.toMatchObject({ kind: 'no-answer', error: 'unreachable' });
});

test('a silent proxy is a timeout, and a proxy that is away is unreachable', async () => {
  const proxy = await proxyWith({ answer: 'silent' });
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  await expect(post(`https://${HOST}/`, { proxyUrl, connectMs: 200 })).resolves.toMatchObject({ error: 'timeout' });
  const away = 'http://127.0.0.1:1';
  await expect(post(`https://${HOST}/`, { proxyUrl: away })).resolves.toMatchObject({ error: 'unreachable' });
});
