import { startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings, methodsOf } from '../support/merchant-settings.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'methods', pools: [] });
});
afterAll(() => gateway?.close());

const call: TestGateway['call'] = (...request) => gateway.call(...request);

describe('payment methods', () => {
  test('a method is configured, read, listed, changed and removed', async () => {
    const path = `${methodsOf(1002)}/jcb`;
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: {} });
    for (const method of ['GET', 'DELETE'] as const) {
      expect(await call(method, path)).toMatchObject({ status: 404, body: { code: 'payment-method-not-found' } });
    }
    const put = await call('PUT', path, { settings: gatewaySettings() });
    expect(put).toMatchObject({ status: 404, body: { code: 'payment-method-not-found' } });

    const made = await call('POST', methodsOf(1002), { id: 'jcb', settings: gatewaySettings() });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      id: 'jcb',
      name: 'JCB',
      type: 'card',
      mode: 'gateway',
      enabled: true,
      settings: gatewaySettings(),
      threeDS: { enabled: false, provider: null },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call('GET', path)).body).toEqual(made.body);
    expect((await call('GET', methodsOf(1002))).body[0]).toEqual(made.body);
    const again = await call('POST', methodsOf(1002), { id: 'jcb', settings: gatewaySettings() });
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });

    const changed = await call('PUT', path, {
      enabled: false,
      settings: gatewaySettings({ rut: null, terminalNumber: '8' }),
    });
    const { rut: _rut, ...rest } = gatewaySettings({ terminalNumber: '8' });
    expect(changed.body).toMatchObject({ enabled: false, createdAt: made.body.createdAt });
    expect(changed.body.settings).toEqual(rest);
    const kept = await call('PUT', path, { id: 'jcb', settings: gatewaySettings() });
    expect(kept.body).toMatchObject({ enabled: false, settings: gatewaySettings() });
    expect((await call('PUT', path, kept.body)).body).toEqual({ ...kept.body, updatedAt: expect.any(String) });
  });

  test('payment-facilitator mode has its own fields', async () => {
    const made = await call('POST', methodsOf(1002), { id: 'instant-transfer', settings: facilitatorSettings() });
    expect(made).toMatchObject({
      status: 200,
      body: { type: 'bank-transfer', mode: 'payment-facilitator', settings: facilitatorSettings() },
    });
    const changed = await call('PUT', `${methodsOf(1002)}/maestro`, { settings: facilitatorSettings() });
    expect(changed.body).toMatchObject({ mode: 'payment-facilitator', settings: facilitatorSettings() });
    expect(changed.body.settings).toEqual(facilitatorSettings());
  });

  test('of several calls that configure the same method at once, one succeeds', async () => {
    await call('DELETE', `${methodsOf(1002)}/oca`);
    const body = { id: 'oca', settings: gatewaySettings() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', methodsOf(1002), body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test('a request that is repeated with its Idempotency-Key gets the same answer', async () => {
    await call('DELETE', `${methodsOf(1002)}/cabal`);
    const send = () =>
      call(
        'POST',
        methodsOf(1002),
        { id: 'cabal', settings: gatewaySettings() },
        { headers: { 'idempotency-key': 'cabal-1' } },
      );
    const first = await send();
    const second = await send();
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(second.body).toEqual(first.body);
  });

  test.each<[string, object, string[]]>([
    ['an unknown method', { id: 'elo', settings: gatewaySettings() }, ['id']],
    ['a method from the prototype', { id: 'constructor', settings: gatewaySettings() }, ['id']],
    ['no id', { settings: gatewaySettings() }, ['id']],
    ['no settings', { id: 'visa' }, ['settings']],
    [
      'empty settings',
      { id: 'visa', settings: {} },
      ['settings.merchantIdentificationNumber', 'settings.paymentProcessor'],
    ],
    [
      'both modes',
      { id: 'visa', settings: { ...gatewaySettings(), ...facilitatorSettings() } },
      [
        'settings.merchantCategoryCode',
        'settings.merchantIdentificationNumber',
        'settings.rut',
        'settings.terminalNumber',
      ],
    ],
    [
      'facilitator with a processor',
      { id: 'visa', settings: facilitatorSettings({ paymentProcessor: { id: 'sandbox', acquirer: 'a' } }) },
      ['settings.paymentProcessor.id'],
    ],
    [
      'half a facilitator',
      { id: 'visa', settings: facilitatorSettings({ paymentFacilitator: { id: 'f' } }) },
      ['settings.paymentFacilitator.merchantId'],
    ],
    [
      'gateway without processor id',
      { id: 'visa', settings: gatewaySettings({ paymentProcessor: { acquirer: 'a' } }) },
      ['settings.paymentProcessor.id'],
    ],
    [
      'a processor that does not exist',
      { id: 'visa', settings: gatewaySettings({ paymentProcessor: { id: 'nowhere', acquirer: 'a' } }) },
      ['settings.paymentProcessor.id'],
    ],
    ['gateway only', { id: 'amex', settings: facilitatorSettings() }, ['settings']],
    ['facilitator only', { id: 'instant-transfer', settings: gatewaySettings() }, ['settings']],
    ['a wrong check digit', { id: 'visa', settings: gatewaySettings({ rut: '211003420018' }) }, ['settings.rut']],
    ['13 digits', { id: 'visa', settings: gatewaySettings({ rut: '2110034200170' }) }, ['settings.rut']],
    ['wrong Brazilian digits', { id: 'visa', settings: gatewaySettings({ rut: '11222333000180' }) }, ['settings.rut']],
    ['a tax id as a number', { id: 'visa', settings: gatewaySettings({ rut: 211003420017 }) }, ['settings.rut']],
    [
      'three digits of category',
      { id: 'visa', settings: gatewaySettings({ merchantCategoryCode: '594' }) },
      ['settings.merchantCategoryCode'],
    ],
    [
      'a category of no range',
      { id: 'visa', settings: gatewaySettings({ merchantCategoryCode: '0000' }) },
      ['settings.merchantCategoryCode'],
    ],
    [
      'control characters',
      { id: 'visa', settings: gatewaySettings({ terminalNumber: 'a\nb' }) },
      ['settings.terminalNumber'],
    ],
    [
      'a long number',
      { id: 'visa', settings: gatewaySettings({ merchantIdentificationNumber: '1'.repeat(65) }) },
      ['settings.merchantIdentificationNumber'],
    ],
    [
      'an operator',
      { id: { $ne: null }, settings: gatewaySettings({ terminalNumber: { $gt: '' } }) },
      ['id', 'settings.terminalNumber'],
    ],
    [
      'fields of its own',
      { id: 'visa', settings: gatewaySettings(), clientId: 'cli_x', mode: 'gateway' },
      ['clientId', 'mode'],
    ],
    ['enabled as text', { id: 'visa', enabled: 'true', settings: gatewaySettings() }, ['enabled']],
  ])('%s is refused by POST', async (_name, body, fields) => {
    const answer = await call('POST', methodsOf(1001), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
    expect(Object.keys(answer.body.params).sort()).toEqual(fields);
  });

  test('PUT refuses invalid settings and another id, and ignores read-only fields', async () => {
    const path = `${methodsOf(1001)}/mastercard`;
    const before = (await call('GET', path)).body;
    const refused = [
      { settings: gatewaySettings({ rut: '1' }) },
      { settings: gatewaySettings({ paymentProcessor: { id: 'nowhere', acquirer: 'a' } }) },
      { id: 'visa', settings: gatewaySettings() },
      { settings: gatewaySettings(), merchantId: 1002 },
    ];
    for (const body of refused) expect((await call('PUT', path, body)).status).toBe(400);
    expect((await call('PUT', `${methodsOf(1001)}/amex`, { settings: facilitatorSettings() })).status).toBe(400);
    expect((await call('GET', path)).body).toEqual(before);
    const readOnly = {
      name: 'Mine',
      type: 'bank-transfer',
      mode: 'payment-facilitator',
      createdAt: '2000-01-01T00:00:00Z',
    };
    const changed = await call('PUT', path, { ...readOnly, settings: gatewaySettings() });
    expect(changed.body).toMatchObject({
      name: 'Mastercard',
      type: 'card',
      mode: 'gateway',
      createdAt: before.createdAt,
    });
    const stored = await gateway.database
      .collection('paymentMethods')
      .findOne({ merchantId: 1001, code: 'mastercard' });
    expect(Object.keys(stored ?? {}).sort()).toEqual([
      '_id',
      'code',
      'createdAt',
      'enabled',
      'merchantId',
      'mode',
      'settings',
      'updatedAt',
    ]);
  });

  test.each(['elo', 'VISA', '__proto__', 'constructor', '%24ne', 'a%00b'])(
    '%s in a path is not found',
    async (code) => {
      const path = `${methodsOf(1001)}/${code}`;
      for (const answer of [
        await call('GET', path),
        await call('PUT', path, { settings: gatewaySettings() }),
        await call('DELETE', path),
      ])
        expect(answer).toMatchObject({ status: 404, body: { code: 'payment-method-not-found' } });
    },
  );

  test('the list is paged', async () => {
    const page = await call('GET', `${methodsOf(1001)}?size=2&page=2`);
    expect([page.status, page.body.length, page.headers.get('x-total-count')]).toEqual([200, 2, '10']);
    expect(page.headers.get('link')).toContain('/v1/merchants/1001/payment-methods?page=3&size=2>; rel="next"');
    expect(await call('GET', `${methodsOf(1001)}?size=101`)).toMatchObject({ status: 400 });
  });

  test('a body that is no JSON, or too large, is refused', async () => {
    const path = methodsOf(1001);
    expect(await call('POST', path, '{')).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
    expect((await call('POST', path, '{}', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await call('POST', path, `"${'x'.repeat(70_000)}"`)).status).toBe(413);
  });
});
