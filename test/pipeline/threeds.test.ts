import { orphans } from '../../shared/store/orphans.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { type Choice, cards, formOf, submit, visit } from '../support/forms.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import {
  answerIssuer,
  authenticatedBody,
  choose,
  completeChallenge,
  openIssuer,
  switchOnThreeDs,
  toReachableUrl,
} from '../support/payer.js';

let gateway: TestGateway;
let callbacks: Awaited<ReturnType<typeof receiveCallbacks>>;
let callbackUrl: string;

beforeAll(async () => {
  callbacks = await receiveCallbacks();
  callbackUrl = callbacks.url;
  // This scale makes 6 seconds of 10 minutes.
  gateway = await startGateway({ name: 'threeds_flow', settings: { TIME_SCALE: '100', RESPONSE_WAIT_MS: '60000' } });
  await switchOnThreeDs(gateway);
});
afterAll(async () => {
  await gateway?.close();
  await callbacks.close();
});

const pay = (number: string, more: Record<string, unknown> = {}, card: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', authenticatedBody(number, more, card));
const read = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;
const ledgerOf = async (key: string) => (await gateway.ledger()).filter((entry) => entry.key === key);
async function callbacksBecome(id: string, statuses: string[]) {
  expect((await callbacks.wait(id, statuses.length)).map(({ status }) => status)).toEqual(statuses);
}
/** Makes a payment that its payer must confirm. */
async function challenged(number: string = cards.challenge, more: Record<string, unknown> = {}) {
  const { status, body } = await pay(number, { callbackUrl, ...more });
  expect([status, body.status]).toEqual([200, 'pending']);
  return { id: body.id as string, tx: body.transactions[0].id as string, href: body.actions[0].href as string, body };
}
const sessionOf = (href: string) => href.split('/').at(-1) ?? '';
const noOrphans = async () => expect(await gateway.payments.collection.find(orphans as never).toArray()).toEqual([]);

test('a frictionless payment is authenticated, and the proof is sent with the authorization', async () => {
  const { status, body } = await pay(cards.frictionless);
  expect([status, body.status, body.actions]).toEqual([200, 'approved', []]);
  expect(body.threeDS).toEqual({
    required: true,
    reason: 'always',
    provider: 'sandbox',
    status: 'frictionless',
    version: '2.2.0',
    flow: 'frictionless',
    transStatus: 'Y',
    eci: '05',
    dsTransactionId: expect.any(String),
    liabilityShift: true,
  });
  expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ result: 'approved', eci: '05' }]);
  const stored = await gateway.payments.findById(body.id);
  expect([stored?.authenticationValue, stored?.cvc]).toEqual([undefined, undefined]);
});

test('a card that is not enrolled counts as an attempt, which shifts liability too', async () => {
  const { body } = await pay('4242424242424242');
  expect(body).toMatchObject({ status: 'approved', threeDS: { transStatus: 'A', eci: '06', liabilityShift: true } });
});

test('a payment with a challenge is pending with an action, then approved once and announced', async () => {
  const { id, tx, href, body } = await challenged();
  expect(body.actions).toEqual([
    { rel: 'approval_url', href: expect.stringMatching(/\/threeds\/challenge\/[\w-]{36}$/), method: 'REDIRECT' },
  ]);
  expect(body.threeDS).toMatchObject({ status: 'step-up-required', transStatus: 'C', flow: 'challenge' });
  expect(await ledgerOf(tx)).toEqual([]);
  await noOrphans();

  const end = await completeChallenge(gateway, href, 'approve');
  expect(`${end.origin}${end.pathname}`).toBe('https://shop.example/return');
  const { referenceId } = body;
  expect(Object.fromEntries(end.searchParams)).toEqual({ cart: '7', paymentId: id, referenceId, status: 'approved' });
  const paid = await read(id);
  expect(paid).toMatchObject({
    status: 'approved',
    actions: [],
    transactions: [{ id: tx, status: 'approved' }],
    threeDS: { status: 'authenticated', flow: 'challenge', transStatus: 'Y', eci: '05', liabilityShift: true },
  });
  expect(await ledgerOf(tx)).toMatchObject([{ result: 'approved', eci: '05' }]);
  await callbacksBecome(id, ['approved']);
  // The payer visits the link once more: nothing happens twice.
  expect((await visit(toReachableUrl(gateway, href))).headers.get('location')).toContain('status=approved');
  expect(await ledgerOf(tx)).toHaveLength(1);
});

test('a payer who returns several times at once sees the outcome each time, and is charged once', async () => {
  for (let rounds = 0; rounds < 5; ) {
    const { id, tx, href } = await challenged();
    const { action, fields } = await choose(gateway, await openIssuer(gateway, href), 'approve');
    const visits = [
      submit(action, fields),
      submit(action, fields),
      submit(action, fields),
      visit(toReachableUrl(gateway, href)),
    ];
    const ends = (await Promise.all(visits)).map(({ headers }) => headers.get('location'));
    // When the machine stands still while the payment is sent, its outcome is unknown at first: another round shows the rest.
    if (ends.some((end) => end?.includes('status=pending'))) {
      await gateway.until(id, 'approved');
      expect(await ledgerOf(tx)).toHaveLength(1);
      continue;
    }
    rounds += 1;
    // The link leads to the issuer's page until a return was processed.
    expect(ends.filter((end) => end !== null && !end.includes('status=approved'))).toEqual([]);
    expect(ends.slice(0, 3)).not.toContain(null);
    expect(await ledgerOf(tx)).toHaveLength(1);
  }
});

test.each([
  ['fail', 'failed'],
  ['cancel', 'cancelled'],
  ['abandon', 'failed'],
] as const)(
  'a payment whose payer ends the challenge with %s is denied, and nothing is sent',
  async (choice: Choice, status) => {
    const { id, href } = await challenged();
    const end = await completeChallenge(gateway, href, choice);
    expect(end.searchParams.get('status')).toBe('denied');
    const ended = await read(id);
    expect(ended).toMatchObject({
      status: 'denied',
      transactions: [],
      actions: [],
      threeDS: { status, transStatus: 'N', error: 'authentication-failed', liabilityShift: false },
    });
    await callbacksBecome(id, ['denied']);
    expect(callbacks.of(id)[0]?.threeDS?.error).toBe('authentication-failed');
    const stored = await gateway.payments.findById(id);
    expect([stored?.cvc, stored?.work, stored?.deadline]).toEqual([undefined, undefined, undefined]);
  },
);

test('a lookup error gets 422 authentication-failed, and the payment is denied without a transaction', async () => {
  const { status, body } = await pay(cards.lookupError, { callbackUrl });
  expect([status, body.code]).toEqual([422, 'authentication-failed']);
  const denied = await read(body.params.paymentId[0]);
  expect(denied).toMatchObject({
    status: 'denied',
    transactions: [],
    threeDS: { status: 'error', error: 'authentication-failed' },
  });
  // A payment without a transaction takes no operation.
  for (const operation of ['captures', 'cancellations', 'refunds']) {
    const asked = await gateway.call('POST', `/v1/payments/${denied.id}/${operation}`, {
      referenceId: `${denied.id}-${operation}`,
    });
    expect([asked.status, asked.body.code]).toEqual([409, 'conflict']);
  }
});

test.each([
  [cards.thenInsufficientFunds, '51'],
  [cards.thenGenericDecline, '05'],
])('a payment that passed its challenge can still be declined (%s)', async (number, resultCode) => {
  const { id, href } = await challenged(number);
  expect((await completeChallenge(gateway, href, 'approve')).searchParams.get('status')).toBe('denied');
  expect(await read(id)).toMatchObject({
    status: 'denied',
    transactions: [{ status: 'denied', resultCode }],
    threeDS: { status: 'authenticated' },
  });
});

describe('when the time of a challenge is up', () => {
  let unanswered: Awaited<ReturnType<typeof challenged>> & { asked: Awaited<ReturnType<typeof openIssuer>> };
  let unseen: Awaited<ReturnType<typeof challenged>>;
  // Both payments wait for the end of their time together.
  beforeAll(async () => {
    const first = await challenged();
    unanswered = { ...first, asked: await openIssuer(gateway, first.href) };
    unseen = await challenged();
    const { collection } = gateway.payments;
    await collection.updateOne({ _id: unseen.id }, { $unset: { work: '' }, $inc: { version: 1 } });
    await answerIssuer(gateway, unseen.href, 'approve');
  });

  test('a challenge without a result fails when its time is up; a late result is refused', async () => {
    const { id, tx, asked } = unanswered;
    await gateway.until(id, 'failed');
    const back = await choose(gateway, asked, 'approve');
    const late = await submit(back.action, back.fields);
    expect(late.headers.get('location')).toContain('status=failed');
    expect(await read(id)).toMatchObject({ status: 'failed', transactions: [], threeDS: { status: 'expired' } });
    expect(await ledgerOf(tx)).toEqual([]);
    await callbacksBecome(id, ['failed']);
  });

  test('the last inquiry finds a result that no page brought back before the time was up', async () => {
    const { id, tx } = unseen;
    const paid = await gateway.until(id, 'approved');
    expect(paid.threeDS).toMatchObject({ status: 'authenticated', liabilityShift: true });
    expect(await ledgerOf(tx)).toHaveLength(1);
  });
});

describe('a payer who answers the issuer and closes the window', () => {
  test.each([
    ['approve', 'approved', 'authenticated', 1],
    ['fail', 'denied', 'failed', 0],
    ['cancel', 'denied', 'cancelled', 0],
  ] as const)('%s: the payment is still %s, before the time is up', async (choice, status, threeDs, sent) => {
    const { id, tx, href } = await challenged();
    const back = await answerIssuer(gateway, href, choice);
    const ended = await gateway.until(id, status);
    expect(ended).toMatchObject({ actions: [], threeDS: { status: threeDs } });
    await callbacksBecome(id, [status]);
    await noOrphans();
    // If the window was open after all, the return leads to the shop and changes nothing.
    expect((await submit(back.action, back.fields)).headers.get('location')).toContain(`status=${status}`);
    expect(await ledgerOf(tx)).toHaveLength(sent);
  });
});

test('POST /v1/payments 422: a challenge without redirectUrl is authentication-required, nothing is sent', async () => {
  const { status, body } = await pay(cards.challenge, { redirectUrl: undefined });
  expect([status, body.code]).toEqual([422, 'authentication-required']);
  expect(await read(body.params.paymentId[0])).toMatchObject({
    status: 'denied',
    transactions: [],
    threeDS: { error: 'authentication-required' },
  });
});

test('a payment waits when its payer returns without an answer', async () => {
  const { id, href } = await challenged();
  const end = await visit(toReachableUrl(gateway, href.replace('/challenge/', '/return/')));
  expect(end.headers.get('location')).toContain('status=pending');
  expect((await read(id)).actions).toHaveLength(1);
  await noOrphans();
  await completeChallenge(gateway, href, 'approve');
  expect((await read(id)).status).toBe('approved');
});

test.each([
  ['nothing', {}],
  ['an empty message', { cres: '' }],
  ['something else', { error: 'timeout' }],
])('a payer whose issuer sends back %s gets to the shop, before the answer and after it', async (_what, fields) => {
  const { id, tx, href } = await challenged();
  const url = toReachableUrl(gateway, href.replace('/challenge/', '/return/'));
  const before = await submit(url, fields);
  expect([before.status, before.headers.get('location')]).toEqual([303, expect.stringContaining('status=pending')]);
  await answerIssuer(gateway, href, 'approve');
  const after = await submit(url, fields);
  expect([after.status, after.headers.get('location')]).toEqual([303, expect.stringContaining('status=approved')]);
  expect((await read(id)).status).toBe('approved');
  expect(await ledgerOf(tx)).toHaveLength(1);
});

test('a message of the greatest length that EMV allows brings its payer back', async () => {
  const { id, href } = await challenged();
  const back = await answerIssuer(gateway, href, 'approve');
  const cres = JSON.parse(Buffer.from(back.fields.cres ?? '', 'base64url').toString());
  const named = { name: 'n'.repeat(64), id: 'i'.repeat(64), criticalityIndicator: false };
  const messageExtension = Array.from({ length: 10 }, () => ({ ...named, data: { value: 'd'.repeat(8_047) } }));
  const longest = Buffer.from(JSON.stringify({ ...cres, messageExtension })).toString('base64');
  const end = await submit(back.action, { threeDSSessionData: 's'.repeat(1_024), cres: longest });
  expect([end.status, end.headers.get('location')]).toEqual([303, expect.stringContaining('status=approved')]);
  expect((await read(id)).status).toBe('approved');
});

describe('only the provider decides how a challenge ended', () => {
  test('a success that is forged in the browser changes nothing', async () => {
    const { id, href } = await challenged();
    const back = await answerIssuer(gateway, href, 'fail');
    const cres = JSON.parse(Buffer.from(back.fields.cres ?? '', 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...cres, transStatus: 'Y' })).toString('base64url');
    await submit(back.action, { ...back.fields, cres: forged });
    expect((await read(id)).status).toBe('denied');
  });

  test('a success of payment A does not pay payment B', async () => {
    const [a, b] = [await challenged(), await challenged()];
    const back = await answerIssuer(gateway, a.href, 'approve');
    const replayed = await submit(back.action.replace(sessionOf(a.href), sessionOf(b.href)), back.fields);
    expect(replayed.status).toBe(404);
    expect((await read(b.id)).status).toBe('pending');
    // A message that names B fails too: the gateway asks the provider, which has no answer for B.
    const cres = JSON.parse(Buffer.from(back.fields.cres ?? '', 'base64url').toString());
    const named = { ...cres, threeDSServerTransID: sessionOf(b.href) };
    const forged = { ...back.fields, cres: Buffer.from(JSON.stringify(named)).toString('base64url') };
    await submit(back.action.replace(sessionOf(a.href), sessionOf(b.href)), forged);
    expect((await read(b.id)).status).toBe('pending');
    expect(await ledgerOf(b.tx)).toEqual([]);
    await submit(back.action, back.fields);
    await submit(back.action, back.fields);
    expect(await ledgerOf(a.tx)).toHaveLength(1);
  });

  test('a session that does not exist, or that had no challenge, answers 404', async () => {
    const { body } = await pay(cards.frictionless);
    const { threeDs } = (await gateway.payments.findById(body.id)) ?? {};
    for (const id of [threeDs?.sessionId, '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90', '__proto__']) {
      expect((await visit(`${gateway.baseUrl}/threeds/challenge/${id}`)).status).toBe(404);
      expect((await visit(`${gateway.baseUrl}/threeds/return/${id}`)).status).toBe(404);
    }
  });

  test('a broken message answers 404 and changes nothing', async () => {
    const { id, href } = await challenged();
    const url = toReachableUrl(gateway, href.replace('/challenge/', '/return/'));
    for (const cres of ['%%%', 'bnVsbA', 'e30']) expect((await submit(url, { cres })).status).toBe(404);
    expect((await read(id)).status).toBe('pending');
  });
});

test('several returns at once, and a request repeated with its Idempotency-Key, charge once', async () => {
  const body = authenticatedBody(cards.challenge);
  const headers = { 'idempotency-key': `key-${body.referenceId}` };
  const first = await gateway.call('POST', '/v1/payments', body, { headers });
  const again = await gateway.call('POST', '/v1/payments', body, { headers });
  expect(again.body).toEqual(first.body);
  const back = await answerIssuer(gateway, first.body.actions[0].href, 'approve');
  await Promise.all([1, 2, 3].map(() => submit(back.action, back.fields)));
  const paid = await gateway.until(first.body.id, 'approved');
  expect(await ledgerOf(paid.transactions[0].id)).toHaveLength(1);
});

describe('payments without a challenge', () => {
  test('browser details are required only when 3DS applies', async () => {
    const without = await pay(cards.frictionless, { browserDetails: undefined });
    expect(without).toMatchObject({
      status: 400,
      body: { code: 'invalid-browser-details', params: { 'browserDetails.ipAddress': [expect.any(String)] } },
    });
    const verified = await gateway.call('POST', '/v1/payments/verify', {
      ...paymentBody({ amount: { currency: 'USD' } }, { number: cards.challenge }),
    });
    const recurring = { type: 'subsequent', initialPaymentId: verified.body.id };
    const paid = await pay(cards.challenge, { browserDetails: undefined, recurring });
    expect(paid.body).toMatchObject({ status: 'approved', threeDS: { required: false, reason: 'merchant-initiated' } });
  });

  test('a payment of a method without 3DS shows no `threeDS`', async () => {
    const { body } = await pay('5555555555554444', { browserDetails: undefined });
    expect([body.status, body.threeDS]).toEqual(['approved', undefined]);
  });

  test('an amount below the threshold of the channel is not authenticated', async () => {
    await switchOnThreeDs(gateway, 'mastercard', {
      enabled: true,
      basic: { amount: { api: { USD: 20 }, checkout: { USD: 1 } } },
    });
    const small = await pay('5555555555554444', { amount: { total: 19.99, currency: 'USD' } });
    expect(small.body.threeDS).toEqual({ required: false, reason: 'amount-below-threshold' });
    const large = await pay('5555555555554444', { amount: { total: 20, currency: 'USD' } });
    expect(large.body.threeDS).toMatchObject({ required: true, reason: 'amount-at-threshold', eci: '01' });
  });

  test('a proof of the merchant’s own needs all four fields, and its ECI is passed on', async () => {
    const cavv = 'AAABBEg0VhI0VniQEjRWAAAAAAA=';
    const metadata = { threeDSVersion: '2.2.0', eci: '05', cavv, dsTransactionId: 'ds-1', own: 'kept' };
    const { body } = await pay(cards.challenge, { browserDetails: undefined }, { metadata });
    expect(body).toMatchObject({
      status: 'approved',
      threeDS: {
        required: false,
        reason: 'external-authentication',
        status: 'authenticated',
        eci: '05',
        liabilityShift: true,
      },
    });
    expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ eci: '05' }]);
    const { cavv: _cavv, ...three } = metadata;
    expect(await pay(cards.challenge, {}, { metadata: three })).toMatchObject({
      status: 400,
      body: { params: { 'paymentMethod.card.metadata.cavv': [expect.any(String)] } },
    });
  });
});

test('the page that leads to the issuer runs only its own script, and may post to any issuer', async () => {
  const { href } = await challenged();
  const answer = await visit(toReachableUrl(gateway, href));
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(new URL(formOf(await answer.text()).action).origin).toBe(gateway.simulatorUrl);
  expect(policy).toContain('form-action http: https:;');
  expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
});

test.each([
  ['es-UY', 'es', 'Continuar a su banco'],
  ['pt-BR', 'pt', 'Continuar para o seu banco'],
  ['de', 'en', 'Continue to your bank'],
])('a payer who reads %s gets the page to the bank in %s, also without scripts', async (accepted, language, button) => {
  const { href } = await challenged();
  const answer = await fetch(toReachableUrl(gateway, href), { headers: { 'accept-language': accepted } });
  const page = await answer.text();
  expect(page).toContain(`<html lang="${language}">`);
  expect(page).toContain(`${button}</button>`);
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style/);
  const nothing = await fetch(`${gateway.baseUrl}/threeds/challenge/none`, {
    headers: { 'accept-language': accepted },
  });
  expect([nothing.status, await nothing.text()]).toEqual([404, expect.stringContaining(`<html lang="${language}">`)]);
});
