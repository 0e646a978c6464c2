import { scanForNumbers } from '../../scripts/provisioning/scan-for-numbers.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const OWN = '4242424242424242';
const SPACED = '4242 4242-4242 4242';
const OTHER = '4111111111111111';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'pantext', settings: { PAN_IN_REFERENCE: 'allow' } });
});
afterAll(() => gateway?.close());

const pay = (more: Record<string, unknown>) => gateway.call('POST', '/v1/payments', paymentBody(more, { number: OWN }));

test.each([
  ['referenceId', { referenceId: `r-${SPACED}` }],
  ['invoiceNumber', { invoiceNumber: OWN }],
  ['metadata.note', { metadata: { note: `card ${SPACED}` } }],
  ['metadata', { metadata: { [OWN]: 'x' } }],
  ['statementDescriptor', { statementDescriptor: OWN }],
  ['browserDetails.device', { browserDetails: { device: SPACED } }],
])('the number of the card itself in %s is refused, and the answer does not repeat it', async (field, more) => {
  const { status, body } = await pay(more);
  expect([status, body.code, Object.keys(body.params)]).toEqual([400, 'request-validation-errors', [field]]);
  // The trace id is random and may contain any four digits.
  expect(JSON.stringify({ ...body, traceId: undefined })).not.toContain('4242');
});

test('another number of a known BIN is refused in the texts of every call, but allowed in references here', async () => {
  const refused = await pay({ metadata: { note: `not ${OTHER}` } });
  expect([refused.status, Object.keys(refused.body.params)]).toEqual([400, ['metadata.note']]);
  expect((await pay({ metadata: { note: '9999999999999995' } })).status).toBe(200);
  expect((await pay({ referenceId: `${OTHER}-${Date.now()}` })).status).toBe(200);
  const customer = { firstName: OTHER, lastName: 'X', email: 'a@shop.example' };
  const created = await gateway.call('POST', '/v1/customers', customer);
  expect([created.status, Object.keys(created.body.params)]).toEqual([400, ['firstName']]);
  const wallet = await gateway.call('PUT', '/v1/merchants/1001/wallet-integrations/wallet-a-pay', {
    tosAccepted: true,
    walletAPayProfile: { walletMerchantName: OTHER, allowedOrigins: ['https://shop.example'] },
  });
  expect([wallet.status, Object.keys(wallet.body.params)]).toEqual([400, ['walletAPayProfile.walletMerchantName']]);
  const { body: paid } = await pay({});
  const refund = await gateway.call('POST', `/v1/payments/${paid.id}/refunds`, {
    referenceId: `x${Date.now()}`,
    amount: 1,
    description: OTHER,
  });
  expect([refund.status, Object.keys(refund.body.params)]).toEqual([400, ['description']]);
});

test('a number that was stored earlier is found by the scan, with its field', async () => {
  const { body: paid } = await pay({});
  await gateway.database
    .collection<Payment>('payments')
    .updateOne({ _id: paid.id }, { $set: { metadata: [{ k: 'note', v: `old ${OTHER}` }] } });
  const found = await scanForNumbers(gateway.database, () => undefined);
  expect(found.filter(({ id }) => id === paid.id)).toEqual([
    { collection: 'payments', id: paid.id, field: 'metadata.0.v' },
  ]);
});
