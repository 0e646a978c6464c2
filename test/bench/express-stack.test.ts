/** Floor F4 is the HTTP tier alone: it answers a payment and stores none. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../scripts/setup/ports.mjs';
import { paymentBody, startGateway, testSettings } from '../support/gateway.js';
import { testMongoUri, testRedisPrefix } from '../support/services.js';

test('the floor of the HTTP tier answers a payment and stores none', async () => {
  const settings = testSettings({ RESPONSE_WAIT_MS: '1000' });
  const gateway = await startGateway({ name: 'floor', pools: [], settings });
  const port = await freePort();
  const floor = fork('bench/floors/express-stack.ts', [], {
    execArgv: ['--import', 'tsx'],
    env: {
      ...settings,
      ...{ PATH: process.env.PATH, MONGODB_URI: testMongoUri('floor'), REDIS_PREFIX: testRedisPrefix('floor') },
      FLOOR_PORT: String(port),
    },
  });
  try {
    await once(floor, 'message');
    const { clientId, apiKey } = gateway.sandbox;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
      },
      body: JSON.stringify(paymentBody()),
    });
    expect([answer.status, ((await answer.json()) as { status: string }).status]).toEqual([200, 'approved']);
    expect(await gateway.database.collection('payments').countDocuments()).toBe(0);
  } finally {
    floor.kill('SIGKILL');
    await gateway.close();
  }
});
