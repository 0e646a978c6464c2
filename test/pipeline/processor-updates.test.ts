/** Updates that a processor sends on its own: verified, stored, acknowledged, and applied once by the plans of inquiries. */
import { limits } from '../../config/limits.js';
import { signSandboxUpdate } from '../../shared/processors/sandbox/read-sandbox-update.js';
import { PROCESSOR_UPDATES, type ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { waitFor } from '../support/patience.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';

const SECRET = 'whsec_of_the_tests';
const PATH = '/v1/processors/sandbox/updates';
let gateway: TestGateway;
let recorder: RecordingProcessor;
beforeAll(async () => {
  recorder = await startRecordingProcessor();
  gateway = await startGateway({
    name: 'processor-updates',
    settings: { SANDBOX_PROCESSOR_URL: recorder.url, SANDBOX_UPDATE_SECRET: SECRET },
  });
  recorder.forwardTo(gateway.simulatorUrl);
});
afterEach(() => recorder.answer(undefined));
afterAll(async () => {
  await gateway?.close();
  await recorder?.close();
});

let events = 0;
const newEvent = () => `evt_${process.pid}_${++events}`;

async function post(body: string | Buffer, header?: string, path = PATH) {
  const signature = header ?? signSandboxUpdate(SECRET, body, Math.floor(Date.now() / 1000));
  const response = await fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: { 'x-sandbox-signature': signature, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, text: await response.text() };
}
const send = (...updates: object[]) => post(JSON.stringify({ updates }));

const rows = () => gateway.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);
const rowOf = (eventId: string) => rows().findOne({ 'update.eventId': eventId });

const settled = (eventId: string) =>
  waitFor(
    () => rowOf(eventId),
    (row) => row !== null && row.status !== 'waiting',
  );

const pay = async (more: Record<string, unknown> = {}, card: Record<string, unknown> = {}, options: CallOptions = {}) =>
  (await gateway.call('POST', '/v1/payments', paymentBody(more, card), options)).body;
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const alertsOf = async (id: string) => (await gateway.payments.findById(id))?.alerts;

/** Makes a payment and every answer of the processor to it unusable, so that its outcome stays unknown. */
async function payUnknown(body = paymentBody()) {
  recorder.answer((_path, answer) => ({ ...answer, amountMinor: 7 }));
  return (await gateway.call('POST', '/v1/payments', body, { responseWaitMs: 3_000 })).body;
}

const answerFor = (payment: { transactions: { id: string }[] }, more: object = {}) => ({
  key: payment.transactions[0]?.id,
  amountMinor: 1_050,
  currency: 'USD',
  result: 'approved',
  resultCode: '00',
  resultMessage: 'Approved',
  ...more,
});

describe('POST /v1/processors/{code}/updates', () => {
  test.each([
    ['404: a processor that is unknown', '/v1/processors/nowhere/updates', 404, 'not-found'],
    ['404: a processor without updates', '/v1/processors/iso8583/updates', 404, 'not-found'],
    ['404: what is no merchant', `${PATH}/x`, 404, 'not-found'],
  ])('%s', async (_name, path, status, code) => {
    const answer = await post('{}', undefined, path);
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
  });

  test('401: an update without a valid signature, or for a merchant without credentials, is counted and not stored', async () => {
    const before = await rows().countDocuments({});
    const body = JSON.stringify({ updates: [{ id: newEvent(), type: 'changed', key: 'txn_1' }] });
    for (const header of ['', 'garbage', signSandboxUpdate('another', body, Math.floor(Date.now() / 1000))]) {
      const { status, text } = await post(body, header);
      expect([status, JSON.parse(text).message]).toEqual([401, 'The signature is missing, wrong or too old.']);
    }
    const ofMerchant = await post(
      body,
      signSandboxUpdate('another', body, Math.floor(Date.now() / 1000)),
      `${PATH}/1001`,
    );
    expect([ofMerchant.status, JSON.parse(ofMerchant.text).message]).toEqual([
      401,
      'The signature is missing, wrong or too old.',
    ]);
    expect(await rows().countDocuments({})).toBe(before);
    expect(await gateway.metrics.text()).toMatch(/gateway_events_total\{event="update-unverified".*\} 4/);
  });

  test('400: a signed but unreadable update is counted', async () => {
    const { status, text } = await post('{"updates": [{"id": "evt", "type": "other"}]}');
    expect([status, JSON.parse(text).code]).toEqual([400, 'request-validation-errors']);
    expect((await send({ id: newEvent(), type: 'changed' })).status).toBe(400);
    expect((await send({ id: newEvent(), type: 'changed', key: 'k'.repeat(300) })).status).toBe(400);
    expect(await gateway.metrics.text()).toMatch(/gateway_events_total\{event="update-unreadable".*\} 3/);
  });

  test('413: more than 256 kB; 405: another method', async () => {
    const { status, text } = await post(Buffer.alloc(256 * 1024 + 1, ' '));
    expect([status, JSON.parse(text).message]).toEqual([413, 'The request body is larger than 256 kB.']);
    const get = await fetch(gateway.baseUrl + PATH);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('200: a signed body without updates', async () => {
    expect(await send()).toEqual({ status: 200, text: '' });
  });
});

test('an update settles an unknown outcome, and the payment is approved', async () => {
  const payment = await payUnknown();
  expect(payment.status).toBe('pending');
  expect((await send({ id: newEvent(), type: 'outcome', answer: answerFor(payment) })).status).toBe(200);
  await gateway.until(payment.id, 'approved');
  expect((await read(payment.id)).amount).toMatchObject({ captured: 10.5 });
});

test('a hundred updates at once about one payment, half of them duplicates, settle it once', async () => {
  const receiver = await receiveCallbacks();
  const payment = await payUnknown(paymentBody({ callbackUrl: receiver.url }));
  const event = newEvent();
  const answer = answerFor(payment);
  const others = Array.from({ length: 50 }, () => send({ id: newEvent(), type: 'outcome', answer }));
  const same = Array.from({ length: 50 }, () => send({ id: event, type: 'outcome', answer }));
  expect(new Set((await Promise.all([...others, ...same])).map(({ status }) => status))).toEqual(new Set([200]));
  await gateway.until(payment.id, 'approved');
  await waitFor(
    () => rows().countDocuments({ status: 'waiting' }),
    (count) => count === 0,
  );
  expect(await rows().countDocuments({ 'update.eventId': event })).toBe(1);
  const shown = await read(payment.id);
  expect([shown.transactions.length, shown.amount.captured]).toEqual([1, 10.5]);
  const announced = await receiver.wait(payment.id, 1);
  expect(announced.filter(({ status }) => status === 'approved')).toHaveLength(1);
  await receiver.close();
});

test('a late decline of an approved payment is flagged and changes no amount', async () => {
  const approved = await pay();
  const event = newEvent();
  await send({ id: event, type: 'outcome', answer: answerFor(approved, { result: 'declined', resultCode: '05' }) });
  expect(await settled(event)).toMatchObject({ status: 'applied', paymentId: approved.id });
  expect(await read(approved.id)).toMatchObject({ status: 'approved', amount: { captured: 10.5 } });
  expect(await alertsOf(approved.id)).toMatchObject([{ text: expect.stringMatching(/reports it as declined/) }]);
});

describe('an approval of a payment that was answered as failed', () => {
  /** Makes a payment that fails with nothing left open. Then the processor reports it as approved. */
  async function approvedLate() {
    const id = (await pay({}, { number: '4000000000100075' })).params.paymentId[0];
    await gateway.until(id, 'failed');
    const payment = await read(id);
    expect([payment.status, payment.transactions.length]).toEqual(['failed', 1]);
    const event = newEvent();
    await send(
      { id: event, type: 'outcome', answer: answerFor(payment) },
      { id: newEvent(), type: 'outcome', answer: answerFor(payment) },
    );
    const ended = await waitFor(
      () => read(payment.id),
      ({ transactions }) => transactions.length === 2 && transactions[1].status === 'approved',
    );
    return { payment, ended, event };
  }

  let late: Awaited<ReturnType<typeof approvedLate>>;
  beforeAll(async () => {
    late = await approvedLate();
  });

  test('is reversed once at the processor and flagged, and the payment stays failed', async () => {
    const { payment, ended, event } = late;
    expect(await settled(event)).toMatchObject({ status: 'applied', paymentId: payment.id });
    expect(ended).toMatchObject({ status: 'failed', amount: { captured: 0 } });
    expect(ended.transactions[1]).toMatchObject({ id: `${payment.transactions[0].id}-reverse`, status: 'approved' });
    const key = payment.transactions[0].id;
    const taken = recorder.requests.filter(({ path, body }) => path === 'reversals' && body.original === key);
    expect(taken).toHaveLength(1);
    expect(await alertsOf(payment.id)).toMatchObject([
      { text: expect.stringMatching(/was approved after the payment had failed/) },
    ]);
  });

  test('is flagged again when the refund of its reversal fails: the alert asks to return the money', async () => {
    const { payment, ended } = late;
    const key = ended.transactions[1].id;
    const event = newEvent();
    await send({ id: event, type: 'refund-failed', key, resultCode: '14', resultMessage: 'Account closed' });
    expect(await settled(event)).toMatchObject({ status: 'flagged', reason: 'the refund of a reversal failed' });
    const said = (await alertsOf(payment.id))?.map(({ text }) => text).at(-1);
    expect(said).toBe(
      `${payment.transactions[0].id} was taken back, and the refund for it failed (Account closed): ` +
        'the payer does not have the money back; return it another way',
    );
    expect((await read(payment.id)).status).toBe('failed');
  });
});

test.each([
  ['amount', { amountMinor: 1_051 }],
  ['currency', { currency: 'EUR' }],
])('an update with another %s than was sent is flagged and not applied', async (_what, more) => {
  const payment = await payUnknown();
  const event = newEvent();
  await send({ id: event, type: 'outcome', answer: answerFor(payment, more) });
  expect(await settled(event)).toMatchObject({ status: 'flagged', reason: expect.stringMatching(/another/) });
  expect((await read(payment.id)).status).toBe('pending');
  expect(await alertsOf(payment.id)).toMatchObject([{ text: expect.stringMatching(/is not believed/) }]);
});

test('an update that arrives before its payment is known is kept, retried and applied', async () => {
  const event = newEvent();
  const eventOfNone = newEvent();
  await send({ id: eventOfNone, type: 'changed', key: 'txn_that_never_was' });
  const body = paymentBody();
  const payment = await payUnknown(body);
  // Simulates an update that arrived just before the payment was stored.
  await rows().insertOne({
    _id: `upd_early_${event}`,
    processor: 'sandbox',
    update: { kind: 'changed', eventId: event, key: payment.transactions[0].id },
    traceId: 'trace-early',
    status: 'waiting',
    tries: 1,
    receivedAt: new Date(),
    dueAt: new Date(),
    leaseUntil: new Date(0),
    expireAt: new Date(Date.now() + 60_000),
  });
  // No nudge: the sweep finds it.
  expect(await settled(event)).toMatchObject({ status: 'applied' });
  const waiting = await waitFor(
    () => rowOf(eventOfNone),
    (row) => (row?.tries ?? 0) > 0,
  );
  expect(waiting).toMatchObject({ status: 'waiting', reason: 'no payment is known by this key or reference' });
  const postponedMs = (waiting?.dueAt.getTime() ?? 0) - (waiting?.receivedAt.getTime() ?? 0);
  expect(postponedMs).toBeGreaterThanOrEqual(limits.updateAgainAfterMs[0]);
});

test('an update whose worker died is applied by another worker when the lease has expired', async () => {
  const payment = await payUnknown();
  const event = newEvent();
  const { kind, outcome } = {
    kind: 'outcome',
    outcome: { kind: 'approved', resultCode: '00', resultMessage: 'Approved' },
  } as const;
  const leaseUntil = new Date(Date.now() + 1_500);
  await rows().insertOne({
    _id: `upd_held_${event}`,
    processor: 'sandbox',
    update: { kind, outcome, eventId: event, key: payment.transactions[0].id },
    traceId: 'trace-held',
    status: 'waiting',
    tries: 0,
    receivedAt: new Date(),
    dueAt: new Date(),
    leaseUntil,
    expireAt: new Date(Date.now() + 60_000),
  });
  expect(await settled(event)).toMatchObject({ status: 'applied', reason: 'settled as approved' });
  expect(Date.now()).toBeGreaterThanOrEqual(leaseUntil.getTime());
  expect((await read(payment.id)).status).toBe('approved');
});

test('an update whose payment never becomes known is flagged after the last try', async () => {
  const event = newEvent();
  await send({ id: event, type: 'changed', key: 'txn_that_never_was_either' });
  for (let n = 0; n < 8 && (await rowOf(event))?.status === 'waiting'; n += 1) {
    await waitFor(
      () => rowOf(event),
      (row) => row?.status !== 'waiting' || row.tries > n,
    );
    await rows().updateOne({ 'update.eventId': event }, { $set: { dueAt: new Date(0) } });
  }
  expect(await settled(event)).toMatchObject({ status: 'flagged', tries: 6 });
});

test('a refund that fails later frees its amount and moves the status back', async () => {
  const payment = await pay();
  const refund = await gateway.call('POST', `/v1/payments/${payment.id}/refunds`, { referenceId: `r-${payment.id}` });
  expect(refund.body.status).toBe('refunded');
  const key = refund.body.transactions.at(-1).id;
  const event = newEvent();
  const update = { type: 'refund-failed', key, resultCode: '14', resultMessage: 'Account closed' };
  await send({ id: event, ...update }, { id: newEvent(), ...update });
  await gateway.until(payment.id, 'approved');
  const shown = await read(payment.id);
  expect(shown.amount).toMatchObject({ captured: 10.5, refunded: 0 });
  expect(shown.transactions.at(-1)).toMatchObject({ status: 'failed', resultCode: '14' });
});

test('a dispute is shown, announced and flagged; the status stays, and a late update changes nothing', async () => {
  const receiver = await receiveCallbacks();
  // The callbacks of later changes are sent when the wait for the answer has ended.
  const payment = await pay({ callbackUrl: receiver.url }, {}, { responseWaitMs: 8_000 });
  const key = payment.transactions[0].id;
  const dispute = {
    type: 'dispute',
    key,
    disputeId: 'dp_1',
    amountMinor: 1_050,
    currency: 'USD',
    reason: 'fraudulent',
  };
  const at = (minutes: number) => new Date(Date.UTC(2026, 10, 1, 12, minutes)).toISOString();
  const opened = {
    ...dispute,
    id: newEvent(),
    status: 'open',
    at: at(0),
    respondBy: at(30),
    networkReasonCode: '10.4',
  };
  await send(opened);
  await waitFor(
    () => read(payment.id),
    ({ disputes }) => disputes?.length === 1,
  );
  const won = { ...dispute, id: newEvent(), status: 'won', at: at(20) };
  await send(won);
  await waitFor(
    () => read(payment.id),
    ({ disputes }) => disputes?.[0]?.status === 'won',
  );
  const late = newEvent();
  await send({ ...dispute, id: late, status: 'under-review', at: at(10) });
  expect(await settled(late)).toMatchObject({ status: 'applied', reason: 'it says nothing new' });
  const shown = await read(payment.id);
  expect(shown).toMatchObject({
    status: 'approved',
    disputes: [
      {
        id: 'dp_1',
        status: 'won',
        amount: 10.5,
        currency: 'USD',
        reason: 'fraudulent',
        networkReasonCode: '10.4',
        respondBy: at(30),
        openedAt: at(0),
        updatedAt: at(20),
      },
    ],
  });
  const disputed = () =>
    (receiver.of(payment.id) as { status: string; disputes?: { status: string }[] }[]).filter(
      ({ disputes }) => disputes !== undefined,
    );
  const announced = await waitFor(disputed, ({ length }) => length >= 2);
  expect(announced.map(({ status, disputes }) => [status, disputes?.[0]?.status])).toEqual([
    ['approved', 'open'],
    ['approved', 'won'],
  ]);
  expect((await alertsOf(payment.id))?.map(({ text }) => text)).toEqual([
    'dispute dp_1 is open (fraudulent)',
    'dispute dp_1 is won (fraudulent)',
  ]);
  await receiver.close();
});
