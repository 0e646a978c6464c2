import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'purchase' });
});
afterAll(() => gateway?.close());

test('a card payment goes through the queue, a worker and the processor and comes back approved', async () => {
  const body = paymentBody();
  const paid = await gateway.call('POST', '/v1/payments', body);
  expect(paid.body).toMatchObject({
    status: 'approved',
    referenceId: body.referenceId,
    amount: { total: 10.5, captured: 10.5 },
  });
  expect(paid.status).toBe(200);
  expect(paid.body.transactions).toMatchObject([{ type: 'purchase', status: 'approved', resultCode: '00' }]);
  const read = await gateway.call('GET', `/v1/payments/${paid.body.id}`);
  expect(read.body).toEqual(paid.body);
  expect(await gateway.ledger()).toMatchObject([
    { key: paid.body.transactions[0].id, kind: 'purchase', amountMinor: 1050, currency: 'USD', result: 'approved' },
  ]);
});
