/** The 3DS method of payments at the checkout: the data that browsers may send, and payments that succeed without any of it. */

import { cards, formOf, submit, visit } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { authenticatedBody, switchOnThreeDs, toReachableUrl } from '../support/payer.js';
import { caller, cardInput, checkoutBody, makeSession, openSession } from './session-support.js';

/** Time that the issuer has for its method with the settings below (ms). */
const METHOD_MS = 5_000;

let gateway: TestGateway;
/** A payment whose frame is never loaded: its time limit runs while the other tests do. */
let unseen: Awaited<ReturnType<typeof pay>>;

beforeAll(async () => {
  // The issuer has 5 seconds for its method: enough on a busy machine.
  gateway = await startGateway({ name: 'threeds_method', settings: { TIME_SCALE: '2' } });
  await switchOnThreeDs(gateway);
  unseen = await pay(cards.methodThenChallenge);
});
afterAll(() => gateway?.close());

const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url');

/** Pays at the checkout. Returns the payment as the page gets it, and the address of the frame that the page shows. */
async function pay(number: string) {
  const hosted = await openSession(gateway, await makeSession(gateway, checkoutBody()));
  const payment = await gateway.flows.hostedSessions.pay(hosted, cardInput(1, number), caller);
  const sessionId = payment.threeDs?.sessionId ?? '';
  return { payment, frame: `${gateway.baseUrl}/threeds/method/${sessionId}`, sessionId };
}
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
/** Returns the completion indicator that the issuer got: the issuer's page shows it. */
async function indicatorAt(approvalUrl: string): Promise<string | undefined> {
  const way = formOf(await (await visit(toReachableUrl(gateway, approvalUrl))).text());
  return / id="look">[^<]*, ([YNU])\)/.exec(await (await submit(way.action, way.fields)).text())?.[1];
}
/** Loads the frame as a browser does: to the issuer's page, and back to the gateway's page. */
async function runMethodFrame(frame: string) {
  const way = formOf(await (await visit(frame)).text());
  const back = formOf(await (await submit(way.action, way.fields)).text());
  return submit(toReachableUrl(gateway, back.action), back.fields);
}

test('the page is answered at once while the method runs; then the issuer is asked with indicator Y', async () => {
  const { payment, frame } = await pay(cards.methodThenChallenge);
  expect([payment.status, payment.threeDs?.status]).toEqual(['created', 'created']);
  expect((await read(payment._id)).threeDS).toEqual({
    required: true,
    reason: 'always',
    provider: 'sandbox',
    status: 'created',
  });
  expect((await runMethodFrame(frame)).status).toBe(200);
  const { actions } = await gateway.until(payment._id, 'pending');
  expect(await indicatorAt(actions[0].href)).toBe('Y');
});

test('a frictionless payment is approved after the method has run', async () => {
  const { payment, frame } = await pay(cards.frictionless);
  await runMethodFrame(frame);
  expect((await gateway.until(payment._id, 'approved')).threeDS).toMatchObject({
    status: 'frictionless',
    transStatus: 'Y',
  });
  // The method is over, so its frame is not found any more.
  expect((await visit(frame)).status).toBe(404);
});

test('a browser that runs no scripts skips the method, and the payment does not wait', async () => {
  const { payment, frame } = await pay(cards.methodSilent);
  expect(await (await visit(frame)).text()).toContain('/skip"');
  expect((await visit(`${frame}/skip`)).status).toBe(200);
  const { actions, createdAt, updatedAt } = await gateway.until(payment._id, 'pending');
  expect(await indicatorAt(actions[0].href)).toBe('N');
  expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBeLessThan(METHOD_MS);
});

test.each<[string, (sessionId: string) => Record<string, string>]>([
  ['of another session', () => ({ threeDSMethodData: encode({ threeDSServerTransID: 'another' }) })],
  ['that is no JSON', () => ({ threeDSMethodData: '%%%' })],
  ['that is null', () => ({ threeDSMethodData: Buffer.from('null').toString('base64url') })],
  ['that is empty', () => ({})],
])('a method notification %s changes nothing', async (_what, fields) => {
  const { payment, frame, sessionId } = await pay(cards.methodSilent);
  expect((await submit(frame, fields(sessionId))).status).toBe(404);
  expect((await gateway.payments.findById(payment._id))?.threeDs?.method?.completion).toBeUndefined();
});

test('the issuer may write the id of the session in upper case', async () => {
  const { payment, frame, sessionId } = await pay(cards.methodSilent);
  const fields = { threeDSMethodData: encode({ threeDSServerTransID: sessionId.toUpperCase() }) };
  expect((await submit(frame, fields)).status).toBe(200);
  await gateway.until(payment._id, 'pending');
});

test('a notification may arrive twice, and a notification about an unknown session gets 404', async () => {
  const { payment, frame, sessionId } = await pay(cards.methodSilent);
  const fields = { threeDSMethodData: encode({ threeDSServerTransID: sessionId }) };
  const answers = await Promise.all([submit(frame, fields), submit(frame, fields)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await gateway.until(payment._id, 'pending');
  expect((await submit(frame, fields)).status).toBe(200);
  const unknown = `${gateway.baseUrl}/threeds/method/8c6a1f0e-3b5d-4e7f-9a1c-2d4e6f8a0b1c`;
  expect(
    (await submit(unknown, { threeDSMethodData: encode({ threeDSServerTransID: unknown.slice(-36) }) })).status,
  ).toBe(404);
  expect((await visit(`${unknown}/skip`)).status).toBe(404);
});

test('only the gateway’s page may embed the frame, and the frame may post to any issuer', async () => {
  const { frame } = await pay(cards.methodThenChallenge);
  const policy = (await visit(frame)).headers.get('content-security-policy') ?? '';
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain('form-action http: https:;');
});

test('a payment over the API runs no method: the indicator is U, and the payment does not wait', async () => {
  const { body } = await gateway.call('POST', '/v1/payments', authenticatedBody(cards.methodSilent));
  expect(body.status).toBe('pending');
  expect(await indicatorAt(body.actions[0].href)).toBe('U');
});

test('when the frame is not loaded, the issuer is asked after the time limit with indicator N', async () => {
  const { payment } = unseen;
  const { actions } = await gateway.until(payment._id, 'pending');
  expect(await indicatorAt(actions[0].href)).toBe('N');
  const { updatedAt, createdAt } = await read(payment._id);
  expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(METHOD_MS);
});
