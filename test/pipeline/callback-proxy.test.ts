/** Callbacks are sent only through the proxy that the settings name. */
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let proxy: ConnectProxy;
let gateway: TestGateway;
let callbacks: Awaited<ReturnType<typeof receiveCallbacks>>;
beforeAll(async () => {
  [proxy, callbacks] = await Promise.all([startConnectProxy(), receiveCallbacks()]);
  const settings = {
    CALLBACK_PROXY_URL: `http://127.0.0.1:${proxy.port}`,
    PROCESSOR_TIMEOUT_MS: '2000',
    TIME_SCALE: '100',
  };
  gateway = await startGateway({ name: 'callback_proxy', settings });
});
afterAll(async () => {
  await gateway?.close();
  await callbacks?.close();
  await proxy?.close();
});

test('the decision of a slow acquirer is announced through the proxy', async () => {
  const body = paymentBody({ callbackUrl: callbacks.url }, { number: '4000000000100059' });
  const { id } = (await gateway.call('POST', '/v1/payments', body, { responseWaitMs: 300 })).body;
  await gateway.until(id, 'approved');
  // One or two callbacks: on a slow machine the pending payment is announced as well.
  expect((await callbacks.wait(id, 1)).map((payment) => payment.id)).toContain(id);
  expect([...new Set(proxy.asked.map(({ authority }) => authority))]).toEqual([new URL(callbacks.url).host]);
});
