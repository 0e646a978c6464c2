import { systemClock } from '../../shared/clock.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings } from '../support/merchant-settings.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'merchants', pools: [] });
});
afterAll(() => gateway?.close());

const call: TestGateway['call'] = (...request) => gateway.call(...request);
const secondary = () => ({ auth: `${gateway.sandbox.secondary.clientId}:${gateway.sandbox.secondary.apiKey}` });
const other = () => ({ auth: `${gateway.sandbox.other.clientId}:${gateway.sandbox.other.apiKey}` });
const idsOf = (list: { id: number }[]) => list.map(({ id }) => id);

describe('every merchant endpoint', () => {
  const routes = [
    ['GET', '/v1/merchants/%', undefined],
    ['GET', '/v1/merchants/%/payment-methods', undefined],
    ['POST', '/v1/merchants/%/payment-methods', { id: 'instant-transfer', settings: facilitatorSettings() }],
    ['GET', '/v1/merchants/%/payment-methods/visa', undefined],
    ['PUT', '/v1/merchants/%/payment-methods/visa', { settings: gatewaySettings() }],
    ['DELETE', '/v1/merchants/%/payment-methods/visa', undefined],
    ['PUT', '/v1/merchants/%/profile/logo', undefined],
  ] as const;

  test.each(routes)(
    '%s %s answers 401, 403 or 400, depending on the key and the merchant',
    async (method, pattern, body) => {
      const ask = (merchantId: string, options = {}) => call(method, pattern.replace('%', merchantId), body, options);
      expect(await ask('1001', { auth: null })).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(await ask('1001', { auth: `${gateway.sandbox.clientId}:sk_test_no` })).toMatchObject({ status: 401 });
      expect(await ask('2001')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(await ask('1001', other())).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(await ask('1002', secondary())).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(await ask('999999')).toMatchObject({ status: 400, body: { code: 'merchant-not-found' } });
      for (const wrong of ['abc', '0', '-1', '1e3', '99999999999']) {
        const answer = await ask(wrong);
        expect(answer).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
        expect(answer.body.params).toHaveProperty('merchantId');
      }
    },
  );
});

describe('merchants', () => {
  test('the list shows the client’s merchants, newest first, to a secondary key only those it was granted', async () => {
    const all = await call('GET', '/v1/merchants');
    expect([all.status, idsOf(all.body), all.headers.get('x-total-count')]).toEqual([200, [1002, 1001], '2']);
    const granted = await call('GET', '/v1/merchants', undefined, secondary());
    expect([idsOf(granted.body), granted.headers.get('x-total-count')]).toEqual([[1001], '1']);
    expect(idsOf((await call('GET', '/v1/merchants', undefined, other())).body)).toEqual([2001]);
  });

  test('the list is paged, with links to the other pages', async () => {
    const base = `${gateway.config.publicBaseUrl}/v1/merchants`;
    const first = await call('GET', '/v1/merchants?size=1&name=sandbox');
    expect([idsOf(first.body), first.headers.get('x-total-count')]).toEqual([[1002], '2']);
    expect(first.headers.get('link')).toBe(
      [
        `<${base}?name=sandbox&page=1&size=1>; rel="first"`,
        `<${base}?name=sandbox&page=2&size=1>; rel="next"`,
        `<${base}?name=sandbox&page=2&size=1>; rel="last"`,
      ].join(', '),
    );
    const second = await call('GET', '/v1/merchants?size=1&page=2');
    expect(idsOf(second.body)).toEqual([1001]);
    expect(second.headers.get('link')).toContain('page=1&size=1>; rel="prev"');
    expect(second.headers.get('link')).not.toContain('rel="next"');
    expect((await call('GET', '/v1/merchants?page=2147483647')).body).toEqual([]);
  });

  test.each(['size=0', 'size=101', 'page=0', 'size=x', 'name=', `name=${'x'.repeat(201)}`])(
    '?%s is refused',
    async (query) => {
      const answer = await call('GET', `/v1/merchants?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'request-validation-errors' } });
      expect(Object.keys(answer.body.params)).toEqual([query.split('=')[0]]);
    },
  );

  test('the name filter finds a part of a name in any case, and is not a pattern', async () => {
    const merchants = createMerchantRepository(gateway.database, systemClock);
    const { clientId } = gateway.sandbox;
    await merchants.insertMerchant({ id: 1003, clientId, name: 'CAFÉ (100% Ñandú) $where .*' });
    const found = async (name: string) =>
      idsOf((await call('GET', `/v1/merchants?name=${encodeURIComponent(name)}`)).body);
    expect(await found('BOOKS')).toEqual([1001]);
    expect(await found('café')).toEqual([1003]);
    expect(await found('(100% ñANDÚ')).toEqual([1003]);
    expect(await found('.*')).toEqual([1003]);
    for (const pattern of ['.', '^S', '[a-z]', '(a+)+$', '\\w', 'Books|Coffee', '$ne']) {
      expect([pattern, (await found(pattern)).filter((id) => id !== 1003)]).toEqual([pattern, []]);
    }
    expect(await found('another')).toEqual([]);
  });

  test('a merchant is shown with its record, and unknown fields are null', async () => {
    const answer = await call('GET', '/v1/merchants/1002');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: 1002,
      name: 'Sandbox Coffee',
      legalName: null,
      status: 'active',
      country: 'UY',
      defaultCurrency: 'USD',
      taxId: null,
      logoUrl: null,
      logoContentType: null,
      logoUploadedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    const known = await call('GET', '/v1/merchants/1001');
    expect(known.body).toMatchObject({ legalName: 'Sandbox Books S.A.', taxId: '214835120018' });
    expect((await fetch(known.body.logoUrl.replace(/^.*(?=\/v1)/, gateway.baseUrl))).status).toBe(200);
    expect((await call('GET', '/v1/merchants/1001', undefined, secondary())).body).toEqual(known.body);
  });
});
