/** How the doctor connects to the addresses in the settings: host names and IP addresses. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { checkCallbacks, checkPublicAddress } from '../../scripts/gateway/doctor/check-addresses.js';
import type { Examined } from '../../scripts/gateway/doctor/examined.js';
import { makeCertificate } from '../support/make-certificate.js';

const examined = (config: Examined['config']): Examined => ({
  ...{ processes: ['web', 'callback'], environment: 'testing', config, problems: [], misspelt: [], connects: true },
  clock: { now: () => new Date() },
});

test('a TLS handshake names the host, but no IP address', async () => {
  const names: string[] = [];
  const server = createServer({
    ...(await makeCertificate('gateway.example')),
    SNICallback: (name, settle) => {
      names.push(name);
      settle(null);
    },
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost']) {
    const [found] = await checkPublicAddress(examined({ publicBaseUrl: `https://${host}:${port}` }));
    expect(found).toMatchObject({ state: 'notice', found: expect.stringContaining('was not reached') });
  }
  server.close();
  await once(server, 'close');
  expect(names).toEqual(['localhost']);
});

test('an IPv6 address is connected to without a DNS lookup', async () => {
  const [origin] = await checkPublicAddress(examined({ publicBaseUrl: 'https://[::1]:1' }));
  const found = await checkCallbacks(examined({ callbackProxyUrl: 'http://[::1]:1' }));
  for (const one of [origin, ...found]) {
    expect(one?.found).toContain('[::1]:1');
    expect(one?.found).not.toContain('ENOTFOUND');
  }
});
