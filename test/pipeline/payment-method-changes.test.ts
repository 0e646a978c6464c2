import { limits } from '../../config/limits.js';
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { PATIENCE_MS } from '../support/patience.js';
import { startSecondApi } from '../support/second-api.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'changes' });
});
afterAll(() => gateway?.close());

const call: TestGateway['call'] = (...request) => gateway.call(...request);
const secondary = () => ({ auth: `${gateway.sandbox.secondary.clientId}:${gateway.sandbox.secondary.apiKey}` });

describe('payments', () => {
  const pay = (card: object = {}) =>
    gateway.call('POST', '/v1/payments', paymentBody({}, { number: '6011111111111117', ...card }));

  test('use a changed configuration at once in the process that changed it', async () => {
    const path = `${methodsOf(1001)}/discover`;
    const configured = (await call('GET', path)).body;
    expect((await pay()).body.status).toBe('approved');
    await call('PUT', path, { enabled: false, settings: configured.settings });
    expect(await pay()).toMatchObject({ status: 400, body: { code: 'invalid-card-payment-method' } });
    await call('PUT', path, { enabled: true, settings: configured.settings });
    expect((await pay()).body.status).toBe('approved');
    await call('DELETE', path);
    expect(await pay()).toMatchObject({ status: 400, body: { code: 'invalid-card-payment-method' } });
    await call('POST', methodsOf(1001), { id: 'discover', settings: configured.settings });
    expect((await pay()).body.status).toBe('approved');
  });

  test('use a changed configuration in every other process within the lifetime of its cache', async () => {
    const second = await startSecondApi(gateway);
    const payThere = async () => {
      const { clientId, apiKey } = gateway.sandbox;
      const response = await fetch(`${second.baseUrl}/v1/payments`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
        },
        body: JSON.stringify(paymentBody({}, { number: '38000000000006' })),
      });
      return { status: response.status, body: (await response.json()) as { status: string } };
    };
    try {
      expect((await payThere()).body.status).toBe('approved');
      const changedAt = Date.now();
      await call('DELETE', `${methodsOf(1001)}/diners`);
      for (;;) {
        const { status, body } = await payThere();
        if (status === 400) break;
        expect(body.status).toBe('approved');
        expect(Date.now() - changedAt).toBeLessThan(limits.merchantCacheMs + PATIENCE_MS);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    } finally {
      await second.close();
    }
    await call('POST', methodsOf(1001), { id: 'diners', settings: gatewaySettings() });
  });

  test('are charged in payment-facilitator mode, through the processor of the installation', async () => {
    await call('PUT', `${methodsOf(1001)}/visa`, { settings: facilitatorSettings() });
    expect((await pay({ number: '4242424242424242' })).body.status).toBe('approved');
  });
});

test('each change has one audit entry, with the key that made it and without the settings that were sent', async () => {
  const audit = createAuditRepository(gateway.database, systemClock);
  const { clientId } = gateway.sandbox;
  // Refusals, and the payments of the tests before, have entries of their own, written at the same time as the answer.
  const doneOf = async () =>
    (await audit.find({ clientId, outcome: 'done' })).filter(({ action }) => action.startsWith('payment-method.'));
  const count = async () => (await doneOf()).length;
  const before = await count();
  const path = `${methodsOf(1001)}/diners`;
  await call('DELETE', path, undefined, secondary());
  await call('DELETE', path);
  await call('POST', methodsOf(1001), { id: 'diners', settings: gatewaySettings() });
  await call('POST', methodsOf(1001), { id: 'diners', settings: gatewaySettings() });
  const put = await call('PUT', path, { settings: gatewaySettings() });
  await call('PUT', path, { settings: {} });
  const [replaced, created, deleted] = await doneOf();
  expect(await count()).toBe(before + 3);
  expect([deleted, created, replaced]).toMatchObject(
    ['deleted', 'created', 'replaced'].map((past) => ({
      action: `payment-method.${past}`,
      object: '1001/diners',
      merchantId: 1001,
      clientId,
      outcome: 'done',
    })),
  );
  expect(replaced).toMatchObject({ actor: expect.stringMatching(/^key_/), traceId: put.headers.get('x-trace-id') });
  expect(deleted?.actor).not.toBe(replaced?.actor);
  expect(JSON.stringify([replaced, created, deleted])).not.toContain('123456789');
  expect(await audit.find({ clientId: gateway.sandbox.other.clientId, outcome: 'done' })).toEqual([]);
});

describe('a call with an Idempotency-Key whose process died', () => {
  let keys = 0;
  const newKey = () => `change-${process.pid}-${++keys}`;
  const post = (path: string, body: unknown, key: string) =>
    call('POST', path, body, { headers: { 'idempotency-key': key } });
  /** Simulates that the process died: no process works on the request any more, and no answer is stored. */
  const forgetAnswers = () =>
    gateway.database
      .collection<{ _id: string; answer?: unknown }>('idempotency_rows')
      .updateMany({ answer: { $exists: true } }, {
        $unset: { answer: '' },
        $set: { leaseUntil: new Date(0) },
      } as never);
  const changesOf = async (object: string) =>
    (await createAuditRepository(gateway.database, systemClock).find({ outcome: 'done' }))
      .filter((entry) => entry.object === object)
      .map(({ action }) => action);

  const threeDs = (acquirerMerchantId: string) => ({
    provider: 'sandbox',
    metadata: { acquirerBin: '400000', acquirerMerchantId },
  });
  const method = (merchantIdentificationNumber: string) => ({
    id: 'oca',
    settings: gatewaySettings({ merchantIdentificationNumber }),
  });
  const cases = [
    ['a payment method', methodsOf(1002), method, '1002/oca', 'payment-method.created'],
    ['3DS settings', `${methodsOf(1001)}/mastercard/threeds`, threeDs, '1001/mastercard', 'threeds-settings.created'],
  ] as const;

  test.each(cases)(
    '%s that the call created is answered, and is in the audit log',
    async (_what, path, body, object, action) => {
      await call('DELETE', `${methodsOf(1002)}/oca`);
      const key = newKey();
      const made = await post(path, body('1'), key);
      expect(made.status).toBe(200);
      const before = (await changesOf(object)).filter((one) => one === action).length;
      await forgetAnswers();
      const again = await post(path, body('1'), key);
      expect([again.status, again.body]).toEqual([200, made.body]);
      // The first call may have died before it wrote its entry, so the repeated call writes an entry too.
      expect((await changesOf(object)).filter((one) => one === action)).toHaveLength(before + 1);
    },
  );

  test.each(cases)('%s that another call created meanwhile is not answered as its own', async (_what, path, body) => {
    await post(path, body('1'), newKey());
    const key = newKey();
    expect((await post(path, body('2'), key)).status).toBe(409);
    await forgetAnswers();
    expect(await post(path, body('2'), key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});
