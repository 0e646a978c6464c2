/** The audit log names the key of a client that made a call, and records refused calls too. */

import { formTokenOf } from '../../api/pages/http/session-proof.js';
import { limits } from '../../config/limits.js';
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { waitFor } from '../support/patience.js';
import { checkoutBody, makeSession, tokenizationBody } from './session-support.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'audit' });
});
afterAll(() => gateway?.close());

const audit = () => createAuditRepository(gateway.database, systemClock);

/** Returns the entries as text without random ids, which may contain any four digits. */
const withoutIds = (entries: readonly object[]) => JSON.stringify(entries).replaceAll(/[0-9a-f]{32}/g, '');

/** Returns the entries about a payment, oldest first, as soon as there are at least `count`. */
async function entriesOf(paymentId: string, count: number) {
  const found = await waitFor(
    () => audit().find({ paymentId }),
    ({ length }) => length >= count,
  );
  return [...found].reverse();
}

test('a purchase, a refund and a refused refund are recorded with key, payment and address', async () => {
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
  expect(withoutIds(entries)).not.toContain('4242');
  expect((await audit().verify([])).problems).toEqual([]);
});

test('an unknown id is recorded without card numbers and without half of a surrogate pair', async () => {
  const { id: customer } = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body;
  const wrong = [`a${'\u{1f600}'.repeat(limits.auditObjectLengthMax)}`, '4111111111111111', '4111 1111.1111-1111'];
  for (const id of wrong) await gateway.call('DELETE', `/v1/customers/${encodeURIComponent(id)}`);
  await gateway.call('DELETE', `/v1/customers/${customer}/payment-instruments/4111111111111111`);
  const find = (action: string) => audit().find({ outcome: 'refused', action });
  const ofCustomers = await waitFor(
    () => find('deleteCustomer'),
    ({ length }) => length >= wrong.length,
  );
  expect(new Set(ofCustomers.map(({ object }) => object))).toEqual(new Set(['a', '[digits]']));
  const [last] = await waitFor(
    () => find('deletePaymentInstrument'),
    ({ length }) => length > 0,
  );
  expect(last?.object).toBe(`${customer}/[digits]`);
  expect(withoutIds(ofCustomers)).not.toMatch(/1111/);
  expect((await audit().verify([])).problems).toEqual([]);
});

test('a decline and a call for a merchant that is not granted are recorded as refused', async () => {
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
  expect(await waitFor(refused, ({ length }) => length > 0)).toMatchObject([
    { action: 'createPayment', code: 'forbidden', merchantId: 1001 },
  ]);
});

test.each([
  ['a decline', '4000000000000002', 422],
  ['a payment', '4242424242424242', 200],
])('%s that is replayed by its idempotency key has no second entry', async (_what, number, status) => {
  const body = paymentBody({}, { number });
  const send = () => gateway.call('POST', '/v1/payments', body, { headers: { 'Idempotency-Key': body.referenceId } });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status, second.headers.get('Idempotent-Replayed')]).toEqual([status, status, 'true']);
  // A process writes its entries in the order of its calls: with the entry of this later call, a second entry would be there too.
  const { body: later } = await gateway.call('POST', '/v1/payments', paymentBody());
  await entriesOf(later.id, 1);
  const entries = await audit().find({ action: 'createPayment' });
  const of = ({ headers }: typeof first) => entries.filter(({ traceId }) => traceId === headers.get('X-Trace-Id'));
  expect([of(first).length, of(second)]).toEqual([1, []]);
});

describe('actions of payers on pages', () => {
  interface Made {
    readonly id: string;
    readonly actions: { href: string }[];
  }
  /** Opens the session's page and returns a function that sends its forms as the payer's browser does. */
  async function payerOf({ id, actions }: Made) {
    const { pathname, searchParams } = new URL(actions[0]?.href ?? '');
    const token = searchParams.get('token') ?? '';
    const path = `${gateway.baseUrl}${pathname}`;
    const entered = await fetch(`${path}?token=${token}`, { redirect: 'manual' });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const send = (fields: Record<string, string>) => {
      const body = new URLSearchParams({ form: formTokenOf(token), ...fields });
      return fetch(path, { method: 'POST', headers: { cookie }, body, redirect: 'manual' });
    };
    return { id, send };
  }
  /** Returns the entries of payers about the session, oldest first, as soon as there are at least `count`. */
  async function payerEntriesOf(sessionId: string, count: number) {
    const ofSession = async () =>
      (await audit().find({ actor: 'payer' })).filter(({ object }) => object.includes(sessionId));
    return (await waitFor(ofSession, ({ length }) => length >= count)).reverse();
  }
  const card = { number: '4242424242424242', exp: '12 / 34', cvc: '123' };
  const payer = () => ({ actor: 'payer', clientId: gateway.sandbox.clientId, merchantId: 1001, address: '127.0.0.1' });

  test('a decline, a payment and a cancellation are recorded with session, payment and address', async () => {
    const { id, send } = await payerOf(await makeSession(gateway, checkoutBody()));
    await send({ attempt: '1', ...card, number: '4000000000000002' });
    await send({ attempt: '2', ...card });
    const paymentId = expect.stringMatching(/^pay_/);
    const deeds = await payerEntriesOf(id, 2);
    expect(deeds).toMatchObject([
      { ...payer(), action: 'createPayment', object: id, outcome: 'refused', code: 'declined-by-acquirer', paymentId },
      { ...payer(), action: 'createPayment', object: id, outcome: 'done', paymentId },
    ]);
    expect(deeds[1]?.traceId).toEqual(expect.any(String));
    expect(withoutIds(deeds)).not.toMatch(/4242|0002/);

    const other = await payerOf(await makeSession(gateway, checkoutBody()));
    await other.send({ action: 'cancel' });
    expect(await payerEntriesOf(other.id, 1)).toMatchObject([{ ...payer(), action: 'cancelSession', outcome: 'done' }]);
    expect((await audit().verify([])).problems).toEqual([]);
  });

  test('a bank transfer and its cancellation are recorded', async () => {
    const { id, send } = await payerOf(await makeSession(gateway, checkoutBody()));
    await send({ attempt: '1', method: 'transfer' });
    await send({ action: 'cancel-transfer' });
    expect(await payerEntriesOf(id, 2)).toMatchObject([
      { ...payer(), action: 'createPayment', outcome: 'done', paymentId: expect.stringMatching(/^pay_/) },
      { ...payer(), action: 'cancelPayment', outcome: 'done' },
    ]);
  });

  test('saving, choosing and removing a card are recorded', async () => {
    const customerId = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const settings = { tokenization: { type: 'store' } };
    const make = async () => payerOf(await makeSession(gateway, tokenizationBody({ customerId, settings })));
    const saving = await make();
    await saving.send({ attempt: '1', ...card });
    const [saved] = await payerEntriesOf(saving.id, 1);
    const [{ token }] = (await gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`)).body;
    expect(saved).toMatchObject({ ...payer(), action: 'createTokenization', object: `${saving.id}/${token}` });
    const choosing = await make();
    await choosing.send({ source: token });
    const removing = await make();
    await removing.send({ remove: token });
    expect([await payerEntriesOf(choosing.id, 1), await payerEntriesOf(removing.id, 1)]).toMatchObject([
      [{ action: 'choosePaymentInstrument', object: `${choosing.id}/${token}`, outcome: 'done' }],
      [{ action: 'deletePaymentInstrument', object: `${removing.id}/${token}`, outcome: 'done' }],
    ]);
  });

  test('a payment at a link is recorded with the id of the link too', async () => {
    const { body: link } = await gateway.call('POST', '/v1/payment-links', {
      merchantId: 1001,
      type: 'regular',
      amount: { total: 5, currency: 'USD' },
      settings: { amountMode: 'fixed', skipPreCheckout: true },
    });
    const went = await fetch(`${gateway.baseUrl}/links/${link.externalId}`, { redirect: 'manual' });
    const href = new URL(went.headers.get('location') ?? '', gateway.baseUrl).href;
    const id = /ses_[0-9a-f]+/.exec(href)?.[0] ?? '';
    const { send } = await payerOf({ id, actions: [{ href }] });
    await send({ attempt: '1', ...card });
    expect(await payerEntriesOf(id, 1)).toMatchObject([{ ...payer(), object: `${link.id}/${id}`, outcome: 'done' }]);
  });
});
