/**
 * Database operators in every place that takes text (docs/security.md#no-operators): each is refused by name or taken as plain text,
 * never as an operator. Nothing is stored.
 */
import { endpoints } from '../../api/routes.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { maximalBody } from './maximal-bodies.js';
import { operators } from './operators.js';
import { fieldsOf, valueAt, withValue } from './schema-walk.js';
import { withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  // Without worker pools: a refused request needs none.
  gateway = await startGateway({
    name: 'operators',
    pools: [],
    settings: { ...withoutLimits, RESPONSE_WAIT_MS: '100' },
  });
});
afterAll(() => gateway?.close());

const stored = () => gateway.database.collection('payments').countDocuments();
afterEach(async () => expect(await stored()).toBe(0));

const post = async (body: unknown) => (await gateway.call('POST', '/v1/payments', body)).body;

describe('operators', () => {
  const create = endpoints.find(({ operationId }) => operationId === 'createPayment')?.request?.body;
  const maximal = maximalBody('createPayment');
  const scalars = (create ? fieldsOf(create) : []).filter(
    ({ type, path }) => !['object', 'array', 'any', 'metadata'].includes(type) && valueAt(maximal, path) !== undefined,
  );

  test('an operator in any field of a payment is 400 with the name of the field', async () => {
    expect(operators).toHaveLength(40);
    expect(scalars.length).toBeGreaterThan(40);
    for (const [index, field] of scalars.entries()) {
      // Over HTTP each field gets some of the operators. All combinations are tested on the schema, which needs no server.
      for (const operator of operators.slice(index % 8, (index % 8) + 3)) {
        const envelope = await post(withValue(maximal, field.path, operator));
        expect([field.name, envelope.status, Object.keys(envelope.params ?? {})]).toEqual([
          field.name,
          400,
          [field.name],
        ]);
      }
      for (const operator of operators) {
        const { error } = create?.validate(withValue(maximal, field.path, operator)) ?? {};
        expect([field.name, operator, error?.details[0]?.path.join('.')]).toEqual([field.name, operator, field.name]);
      }
    }
  });

  test('an operator instead of metadata, fields, the amount or the card is refused', async () => {
    // A map of texts whose keys do not begin with "$" is valid, however a driver might read its keys.
    const isTextMap = (one: object) =>
      Object.entries(one).every(([key, text]) => /^[^$]/.test(key) && typeof text === 'string');
    for (const operator of operators.filter((one) => !Array.isArray(one) && !isTextMap(one as object))) {
      for (const place of ['metadata', 'paymentMethod.fields', 'amount', 'paymentMethod.card']) {
        const envelope = await post(withValue(paymentBody(), place.split('.'), operator));
        expect([place, operator, envelope.status]).toEqual([place, operator, 400]);
      }
    }
  });

  test('in the query, brackets and repeated names are refused, and unknown names are ignored', async () => {
    const get = (query: string) => gateway.call('GET', `/v1/payments/pay_00000000000000000000000000000000?${query}`);
    for (const query of [
      'id[$ne]=1',
      'id[]=1',
      'a[b][c]=1',
      '[$where]=1',
      'a=1&a=2',
      'a=1&b=2&a=1',
      '__proto__[x]=1',
      'a%5B%24ne%5D=1',
    ]) {
      const { status, body } = await get(query);
      expect([query, status, body.code]).toEqual([query, 400, 'request-validation-errors']);
    }
    for (const query of [
      '$where=1',
      'a=1',
      'constructor=1',
      '__proto__=1',
      'a=%00',
      'a=%ff',
      '&&&',
      `a=${'x'.repeat(5_000)}`,
    ]) {
      const { status, body } = await get(query);
      expect([query, status, body.code]).toEqual([query, 404, 'payment-not-found']);
    }
  });

  test('an operator as id in the path is an unknown payment, and as reference it is refused', async () => {
    for (const operator of operators) {
      const id = encodeURIComponent(JSON.stringify(operator));
      expect((await gateway.call('GET', `/v1/payments/${id}`)).body.code).toBe('payment-not-found');
      const { body } = await gateway.call('POST', `/v1/payments/${id}/refunds`, { referenceId: operator });
      expect([body.status, Object.keys(body.params ?? {})]).toEqual([400, ['referenceId']]);
    }
  });
});
