/** `./gateway testing pay-code`: the mock bank without a browser. */
import { run } from '../../scripts/gateway/run.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { testMongoUri } from '../support/services.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'paycode', settings: { TIME_SCALE: '100' } });
});
afterAll(() => gateway?.close());

async function payCode(args: string, environment = 'testing') {
  let err = '';
  const code = await run(`testing pay-code ${args}`.split(' '), {
    env: {
      GATEWAY_ENVIRONMENT: environment,
      MONGODB_URI: testMongoUri('paycode'),
      API_KEY_PEPPER: gateway.config.apiKeyPepper.toString('base64'),
    },
    local: '/nowhere',
    out: () => undefined,
    err: (text) => {
      err += text;
    },
  });
  return { code, err };
}

const transfer = async () =>
  (
    await gateway.call(
      'POST',
      '/v1/payments',
      paymentBody({ flow: 'pos', paymentMethod: { source: 'bank-transfer', id: 'instant-transfer' } }),
    )
  ).body.id as string;

test('a code is paid', async () => {
  const id = await transfer();
  expect(await payCode(id)).toEqual({ code: 0, err: '' });
  await gateway.until(id, 'approved');
});

test('a code is rejected', async () => {
  const id = await transfer();
  expect((await payCode(`${id} --reject`)).code).toBe(0);
  await gateway.until(id, 'denied');
});

test('a payment without a code, an invalid id and the production environment are refused', async () => {
  const card = await gateway.call('POST', '/v1/payments', paymentBody());
  expect(await payCode(card.body.id)).toMatchObject({ code: 1, err: expect.stringContaining('has no code') });
  expect((await payCode('nothing')).code).toBe(2);
  expect((await payCode(card.body.id, 'production')).code).not.toBe(0);
});
