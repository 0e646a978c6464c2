/** Who did what: two keys of one client can be told apart, and what was refused them is written down too. */
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'audit' });
});
afterAll(() => gateway?.close());

const audit = () => createAuditRepository(gateway.database, systemClock);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Entries about a payment, oldest first, once there are so many. */
async function entriesOf(paymentId: string, count: number) {
  for (;;) {
    const found = await audit().find({ paymentId });
    if (found.length >= count) return [...found].reverse();
    await pause(20);
  }
}

test('S60: a purchase and its refunds, done and refused, by key, payment and address', async () => {
  const request = paymentBody();
  const { body: paid } = await gateway.call('POST', '/v1/payments', request);
  const refund = (amount: number, n: number) =>
    gateway.call('POST', `/v1/payments/${paid.id}/refunds`, { referenceId: `${request.referenceId}-${n}`, amount });
  expect((await refund(1, 1)).status).toBe(200);
  expect((await refund(10_000, 2)).status).toBe(400);
  const stored = await gateway.payments.findById(paid.id);
  const keyId = stored?.transactions[0]?.actorKeyId;
  expect(keyId).toMatch(/^key_/);
  expect(stored?.transactions.map(({ actorKeyId }) => actorKeyId)).toEqual([keyId, keyId]);

  const common = { actor: keyId, clientId: gateway.sandbox.clientId, paymentId: paid.id, address: '127.0.0.1' };
  const entries = await entriesOf(paid.id, 3);
  expect(entries).toMatchObject([
    { ...common, action: 'createPayment', object: paid.id, outcome: 'done', merchantId: 1001 },
    { ...common, action: 'refundPayment', object: paid.id, outcome: 'done' },
    { ...common, action: 'refundPayment', object: paid.id, outcome: 'refused', code: 'payment-invalid-amount' },
  ]);
  expect(JSON.stringify(entries)).not.toContain('4242');
  expect((await audit().verify([])).problems).toEqual([]);
});

test('S60: a decline, a merchant that is not granted and a link leave their entries', async () => {
  const declined = await gateway.call('POST', '/v1/payments', paymentBody({}, { number: '4000000000000002' }));
  const paymentId = declined.body.params.paymentId[0];
  expect(await entriesOf(paymentId, 1)).toMatchObject([
    { action: 'createPayment', outcome: 'refused', code: declined.body.code },
  ]);

  const { other } = gateway.sandbox;
  const foreign = await gateway.call('POST', '/v1/payments', paymentBody(), {
    auth: `${other.clientId}:${other.apiKey}`,
  });
  expect(foreign.status).toBe(403);
  const refused = async () => audit().find({ clientId: other.clientId, outcome: 'refused' });
  while ((await refused()).length === 0) await pause(20);
  expect(await refused()).toMatchObject([{ action: 'createPayment', code: 'forbidden', merchantId: 1001 }]);
});
