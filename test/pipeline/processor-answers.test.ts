/** Details that a processor answers beside the outcome are stored, shown, announced, and kept on the saved card where they belong. */
import { receiveCallbacks } from '../support/callback-receiver.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';

let gateway: TestGateway;
let recorder: RecordingProcessor;
beforeAll(async () => {
  recorder = await startRecordingProcessor();
  gateway = await startGateway({
    name: 'processor-answers',
    settings: { SANDBOX_PROCESSOR_URL: recorder.url, TIME_SCALE: '100' },
  });
  recorder.forwardTo(gateway.simulatorUrl);
});
afterEach(() => recorder.answer(undefined));
afterAll(async () => {
  await gateway?.close();
  await recorder?.close();
});

const PARTIAL = '4000000000100158';
const pay = (card: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody(more, card));
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const holderAt = (postalCode: string) => ({
  cardholder: { firstName: 'Ana', billingAddress: { line1: 'Av. 18 de Julio 1000', postalCode } },
});

test('an approval shows the references of the network and the checks of the issuer', async () => {
  const { body } = await pay(holderAt('11100'));
  expect(body.transactions).toMatchObject([
    {
      ticket: expect.any(String),
      retrievalReference: expect.stringMatching(/^\d{12}$/),
      networkTransactionId: expect.stringMatching(/^NTI\d{12}$/),
      checks: {
        avs: { code: 'Y', address: 'match', postalCode: 'match' },
        cvc: { code: 'M', result: 'match' },
      },
    },
  ]);
  expect(await read(body.id)).toEqual(body);
  const other = await pay(holderAt('99999'));
  expect(other.body.transactions[0].checks.avs).toEqual({ code: 'N', address: 'no-match', postalCode: 'no-match' });
});

test('the processor’s own id is stored and never shown', async () => {
  const { body } = await pay({}, { capture: { method: 'manual' } });
  expect(JSON.stringify(body)).not.toContain('sbx_');
  await gateway.call('POST', `/v1/payments/${body.id}/captures`, { referenceId: `c-${body.id}` });
  expect(recorder.last('captures').originalReferences).toMatchObject({
    processorReference: `sbx_${body.transactions[0].ticket}`,
    retrievalReference: body.transactions[0].retrievalReference,
    networkTransactionId: body.transactions[0].networkTransactionId,
  });
});

test.each([
  ['4000000000009987', '41', 'do-not-retry'],
  ['4000000000009995', '51', 'retry-later'],
  ['4000000000000069', '54', 'update-credentials'],
])(
  'POST /v1/payments 422: a decline of %s says the code of the network, %s, and advises: %s',
  async (number, networkCode, advice) => {
    const { status, body } = await pay({ number });
    expect([status, body.params.advice]).toEqual([422, [advice]]);
    const [tx] = (await read(body.params.paymentId[0])).transactions;
    expect(tx).toMatchObject({ status: 'denied', decline: { networkCode, advice } });
  },
);

test('a partial approval that was not allowed is reversed, and the payment is denied', async () => {
  const { status, body } = await pay({ number: PARTIAL });
  expect([status, body.code, body.declineCode]).toEqual([422, 'declined-by-acquirer', 'partial_approval']);
  const payment = await read(body.params.paymentId[0]);
  expect(payment).toMatchObject({ status: 'denied', amount: { total: 10.5, captured: 0 } });
  expect(payment.transactions).toMatchObject([
    { type: 'purchase', status: 'denied', resultCode: '10', amount: 10.5, approvedAmount: 5.25 },
    { type: 'reversal', status: 'approved', amount: 5.25 },
  ]);
  const key = payment.transactions[0].id;
  expect((await gateway.ledger()).filter((line) => line.key === key || line.original === key)).toMatchObject([
    { kind: 'purchase', amountMinor: 525 },
    { kind: 'reversal', original: key },
  ]);
});

test('a partial approval that was allowed is captured and refunded with the approved amount', async () => {
  const { status, body } = await pay(
    { number: PARTIAL },
    { allowPartialApproval: true, capture: { method: 'manual' } },
  );
  expect([status, body.status]).toEqual([200, 'authorized']);
  expect(body.transactions).toMatchObject([{ amount: 10.5, approvedAmount: 5.25 }]);
  const over = await gateway.call('POST', `/v1/payments/${body.id}/captures`, {
    referenceId: `o-${body.id}`,
    amount: 5.26,
  });
  expect([over.status, over.body.code]).toEqual([400, 'payment-invalid-amount']);
  const captured = await gateway.call('POST', `/v1/payments/${body.id}/captures`, { referenceId: `c-${body.id}` });
  expect(captured.body).toMatchObject({ status: 'approved', amount: { total: 10.5, captured: 5.25 } });
  const refunded = await gateway.call('POST', `/v1/payments/${body.id}/refunds`, { referenceId: `r-${body.id}` });
  expect(refunded.body).toMatchObject({ status: 'refunded', amount: { captured: 5.25, refunded: 5.25 } });
});

test('a callback carries the same details', async () => {
  const receiver = await receiveCallbacks();
  const { body } = await pay({}, { callbackUrl: receiver.url, capture: { method: 'automatic', delay: 1 } });
  const [announced] = await receiver.wait(body.id, 1);
  expect(announced?.transactions[0]).toMatchObject({
    networkTransactionId: expect.any(String),
    retrievalReference: expect.any(String),
  });
  await receiver.close();
});

test.each([
  ['amount', { amountMinor: 1 }],
  ['currency', { currency: 'EUR' }],
  ['key', { key: 'txn_another' }],
  ['part that is more than the whole', { approvedMinor: 5_000 }],
])('an answer about another %s is no outcome: an inquiry settles the payment', async (_what, changed) => {
  recorder.answer((path, answer) => (path === 'authorizations' ? { ...answer, ...changed } : answer));
  const { body } = await pay();
  expect(body).toMatchObject({ status: 'approved', amount: { captured: 10.5 } });
  // One purchase at the processor, found by the inquiry.
  expect((await gateway.ledger()).filter(({ key }) => key === body.transactions[0].id)).toHaveLength(1);
});
