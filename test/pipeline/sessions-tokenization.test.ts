/** Saving cards through sessions, saved cards at a checkout, and repairs after a process that ended halfway. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { en } from '../../api/pages/texts/en.js';
import type { HostedTokenizationInput } from '../../api/sessions/hosted-inputs.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { Session } from '../../shared/domain/session/session.js';
import { settleSession } from '../../shared/flows/settle-session.js';
import type { Database } from '../../shared/store/database.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { waitFor } from '../support/patience.js';
import {
  caller,
  cardInput,
  checkoutBody,
  makeSession,
  openSession,
  tokenizationBody,
  typedCard,
  visa,
} from './session-support.js';

let gateway: TestGateway;
let receiver: Server;
// biome-ignore lint/suspicious/noExplicitAny: bodies of callbacks.
const received: any[] = [];
let callbacks: { tokenizationCallbackUrl: string; paymentCallbackUrl: string };

beforeAll(async () => {
  gateway = await startGateway({ name: 'sessions-tokenization' });
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  callbacks = { tokenizationCallbackUrl: `${url}/cards`, paymentCallbackUrl: `${url}/payments` };
});
afterAll(async () => {
  await gateway.close();
  receiver.close();
});

const hosted = () => gateway.flows.hostedSessions;
const declined = '4000000000000002';
const unreachable = '4000000000100075';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sessionsOf = (database: Database) => database.collection<Session>('sessions');

/** Returns the callbacks about a session as soon as there are at least `count`. */
async function heardOf(sessionId: string, count = 1) {
  for (;;) {
    const heard = received.filter((body) => body.sessionId === sessionId);
    if (heard.length >= count) return heard;
    await pause(50);
  }
}

const input = (attempt: number, number = visa): HostedTokenizationInput => ({
  attempt,
  card: typedCard(number),
  browserDetails: {},
});

async function makeCustomer(): Promise<string> {
  return (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
}

const store = (more: object = {}) => ({ callbacks, tokenization: { type: 'store', ...more } });

test('without verification a card is saved at once, only once, and announced by callback', async () => {
  const customerId = await makeCustomer();
  const body = tokenizationBody({ customerId, settings: store() });
  const made = await makeSession(gateway, body);
  const session = await openSession(gateway, made);
  const [one, other] = await Promise.all([
    hosted().tokenize(session, input(1), caller),
    hosted().tokenize(session, input(1, '5555555555554444'), caller),
  ]);
  expect(one).toMatchObject({ session: { status: 'completed' }, instrument: { tokenizationType: 'persistent' } });
  expect(other.instrument?._id).toBe(one.instrument?._id);
  const { body: cards } = await gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`);
  expect(cards).toMatchObject([{ token: one.instrument?._id }]);
  expect(await heardOf(made.id)).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'tokenization',
      sessionId: made.id,
      referenceId: body.referenceId,
      merchantId: 1001,
      customerId,
      status: 'completed',
      paymentInstrument: expect.objectContaining({ token: one.instrument?._id, source: 'card' }),
      verification: null,
      error: null,
      occurredAt: expect.any(String),
    },
  ]);
  const text = JSON.stringify(await sessionsOf(gateway.database).findOne({ _id: made.id }));
  expect([text.includes(body.referenceId), text.includes(visa)]).toEqual([true, false]);
});

describe('a card number in the name of the cardholder', () => {
  const spaced = { firstName: '4242 4242 4242', lastName: '4242' };
  test.each([
    ['at once', undefined, { firstName: visa }],
    ['at once, with spaces', undefined, spaced],
    ['at once, with words', undefined, { firstName: 'A', lastName: '4242-4242-4242-4242' }],
    ['at once, of another card', undefined, { firstName: 'A', lastName: '4111111111111111' }],
    ['with a verification', { amount: 2.5, currency: 'USD' }, spaced],
  ])('is refused %s', async (_name, verifyFunds, cardholder) => {
    const made = await makeSession(gateway, tokenizationBody({ settings: store({ verifyFunds }) }));
    const session = await openSession(gateway, made);
    const card = { ...typedCard(visa), cardholder };
    const field = `cardholder.${'lastName' in cardholder ? 'lastName' : 'firstName'}`;
    await expect(hosted().tokenize(session, { ...input(1), card }, caller)).rejects.toMatchObject({
      code: 'request-validation-errors',
      params: { [field]: [expect.stringContaining('must not contain')] },
    });
    expect(await openSession(gateway, made)).toMatchObject({ status: 'pending', nextAttempt: 1 });
  });

  test('is refused at a checkout', async () => {
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const { source, ...rest } = cardInput(1);
    const typed = { ...source, cardholder: spaced } as typeof source;
    await expect(hosted().pay(session, { ...rest, source: typed }, caller)).rejects.toMatchObject({
      params: { 'cardholder.lastName': ['must not contain the card number of the request'] },
    });
  });
});

test('with verification the token is created when the verification succeeds', async () => {
  const verifyFunds = { amount: 2.5, currency: 'USD' };
  const made = await makeSession(gateway, tokenizationBody({ settings: store({ verifyFunds }) }));
  const first = await openSession(gateway, made);
  await expect(hosted().tokenize(first, input(1, declined), caller)).rejects.toMatchObject({ status: 422 });
  const second = await openSession(gateway, made);
  expect(second).toMatchObject({ status: 'pending', triesLeft: 4, nextAttempt: 2 });
  const outcome = await hosted().tokenize(second, input(2), caller);
  expect(outcome.session.status).toBe('completed');
  expect(outcome.verification).toMatchObject({
    purpose: 'verification',
    amount: { totalMinor: 250 },
    sessionId: made.id,
  });
  const [callback] = await heardOf(made.id);
  expect(callback).toMatchObject({
    status: 'completed',
    paymentInstrument: { token: outcome.instrument?._id },
    verification: { paymentId: outcome.verification?._id },
  });
});

test('five refused verifications are announced once, as a failure', async () => {
  const verifyFunds = { amount: 1, currency: 'USD' };
  const made = await makeSession(gateway, tokenizationBody({ settings: store({ verifyFunds }) }));
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const session = await openSession(gateway, made);
    await expect(hosted().tokenize(session, input(attempt, declined), caller)).rejects.toMatchObject({ status: 422 });
  }
  const [callback] = await heardOf(made.id);
  expect(callback).toMatchObject({
    status: 'failed',
    paymentInstrument: null,
    error: { status: 422, type: 'processor-error' },
  });
  const sessions = createSessionRepository(gateway.database);
  const stored = await sessions.findById(made.id);
  expect(stored).toMatchObject({ status: 'pending', failedAt: expect.any(Date) });
  await sessionsOf(gateway.database).updateOne(
    { _id: made.id },
    { $set: { expiresAt: new Date(), checkAt: new Date() } },
  );
  await untilStored(made.id, 'expired');
  await pause(300);
  expect(await heardOf(made.id)).toHaveLength(1);
});

/** Opens the page of a session and returns what its payer reads. */
async function read(made: { actions: { href: string }[] }): Promise<string> {
  const { pathname, search } = new URL(made.actions[0]?.href ?? '');
  const { headers } = await fetch(`${gateway.baseUrl}${pathname}${search}`, { redirect: 'manual' });
  const cookie = headers.getSetCookie().map((one) => one.split(';')[0]);
  return (await fetch(`${gateway.baseUrl}${pathname}`, { headers: { cookie: cookie.join('; ') } })).text();
}

test('a card that the processor never takes is not reported as a bank that could not be reached', async () => {
  const settings = store({ verifyFunds: { amount: 1, currency: 'USD' } });
  const made = await makeSession(gateway, tokenizationBody({ settings }));
  const refused = hosted().tokenize(await openSession(gateway, made), input(1, unreachable), caller);
  await expect(refused).rejects.toMatchObject({ code: 'acquirer-offline' });
  expect(await read(made)).toContain(en.offline);
  // The answer of an adapter that cannot send what the payment needs.
  const never = { 'transactions.0.resultCode': responseCodes.notSupported };
  await gateway.payments.collection.updateOne({ sessionId: made.id } as never, { $set: never } as never);
  const page = await read(made);
  expect([page.includes(en.notTaken), page.includes(en.offline)]).toEqual([true, false]);
});

test('a card whose customer is deleted while it is verified is not saved, and not announced as saved', async () => {
  const slow = (ms: number) => fetch(`${gateway.simulatorUrl}/slow`, { method: 'POST', body: JSON.stringify({ ms }) });
  const customerId = await makeCustomer();
  const settings = store({ verifyFunds: { amount: 1, currency: 'USD' } });
  const made = await makeSession(gateway, tokenizationBody({ customerId, settings }));
  const session = await openSession(gateway, made);
  await slow(1_500);
  const going = hosted()
    .tokenize(session, input(1), caller)
    .catch(() => undefined);
  while (!(await gateway.payments.collection.findOne({ sessionId: made.id } as never))) await pause(20);
  expect((await gateway.call('DELETE', `/v1/customers/${customerId}`)).status).toBe(200);
  await going;
  await slow(0);
  expect(await read(made)).toContain('<h1>The card was not saved</h1>\n<p>This page cannot continue.');
  const past = new Date(Date.now() - 1_000);
  await sessionsOf(gateway.database).updateOne({ _id: made.id }, { $set: { expiresAt: past, checkAt: past } });
  await untilStored(made.id, 'expired');
  expect(await heardOf(made.id)).toMatchObject([{ status: 'expired', paymentInstrument: null }]);
});

/** Returns the stored session as soon as it has this status, which the sweep gives it. */
async function untilStored(sessionId: string, status: string) {
  for (;;) {
    const stored = await sessionsOf(gateway.database).findOne({ _id: sessionId });
    if (stored?.status === status) return stored;
    await pause(50);
  }
}

test('cancelled and expired tokenizations are announced', async () => {
  const cancelled = await makeSession(gateway, tokenizationBody({ settings: { callbacks } }));
  await hosted().cancel(await openSession(gateway, cancelled));
  expect(await heardOf(cancelled.id)).toMatchObject([{ status: 'cancelled', paymentInstrument: null }]);
  await expect(hosted().tokenize(await openSession(gateway, cancelled), input(1), caller)).rejects.toMatchObject({
    code: 'conflict',
  });

  const expired = await makeSession(gateway, tokenizationBody({ settings: { callbacks } }));
  const past = new Date(Date.now() - 1_000);
  await sessionsOf(gateway.database).updateOne({ _id: expired.id }, { $set: { expiresAt: past, checkAt: past } });
  expect(await openSession(gateway, expired)).toMatchObject({ status: 'expired' });
  await untilStored(expired.id, 'expired');
  expect(await heardOf(expired.id)).toMatchObject([{ status: 'expired' }]);
  await expect(hosted().tokenize(await openSession(gateway, expired), input(1), caller)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test.each([
  ['the cart', { defaultUrl: 'https://shop.example/saved', cancelUrl: 'https://shop.example/cart' }, '/cart'],
  ['the only address there is', { defaultUrl: 'https://shop.example/saved' }, '/saved'],
])('the page of an expired session leads back to %s', async (_where, redirects, path) => {
  const made = await makeSession(gateway, tokenizationBody({ settings: { redirects } }));
  const { pathname, search } = new URL(made.actions[0].href);
  const entered = await fetch(`${gateway.baseUrl}${pathname}${search}`, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  await sessionsOf(gateway.database).updateOne({ _id: made.id }, { $set: { expiresAt: new Date(Date.now() - 1_000) } });
  const page = await (await fetch(`${gateway.baseUrl}${pathname}`, { headers: { cookie }, redirect: 'manual' })).text();
  const [, way = ''] = /<a class="btn[^"]*" href="([^"]+)"/.exec(page) ?? [];
  const { origin, pathname: to, searchParams } = new URL(way.replaceAll('&amp;', '&'));
  expect([origin, to, searchParams.get('status')]).toEqual(['https://shop.example', path, 'expired']);
});

test('a session whose process ended before it was completed is completed by the sweep', async () => {
  const made = await makeSession(gateway, checkoutBody({ settings: { callbacks } }));
  await hosted().pay(await openSession(gateway, made), cardInput(1), caller);
  // The state before the settlement: the try is claimed, its payment is stored, and the time of the session is over.
  const past = new Date(Date.now() - 1_000);
  await sessionsOf(gateway.database).updateOne(
    { _id: made.id },
    { $set: { status: 'pending', checkAt: past, expiresAt: past }, $inc: { version: 1 } },
  );
  expect(await openSession(gateway, made)).toMatchObject({ status: 'completed' });
  expect(await untilStored(made.id, 'completed')).not.toHaveProperty('checkAt');
  // The payment itself was announced, although its payer had the answer.
  expect(await heardOf(made.id)).toMatchObject([{ status: 'approved', processingMethod: 'checkout', attempt: 1 }]);
});

test('a card that was saved before the process ended completes its session, which cannot be cancelled', async () => {
  const made = await makeSession(gateway, tokenizationBody({ settings: { callbacks } }));
  const { instrument } = await hosted().tokenize(await openSession(gateway, made), input(1), caller);
  await heardOf(made.id);
  await sessionsOf(gateway.database).updateOne(
    { _id: made.id },
    { $set: { status: 'pending', events: [], eventSeq: 0 }, $unset: { instrument: '' }, $inc: { version: 1 } },
  );
  await expect(hosted().cancel(await openSession(gateway, made))).rejects.toMatchObject({ code: 'conflict' });
  expect(await untilStored(made.id, 'completed')).toMatchObject({ instrument: instrument?._id });
  const sessions = createSessionRepository(gateway.database);
  const stored = (await sessions.findById(made.id)) as Session;
  const deps = {
    sessions,
    payments: gateway.payments,
    instruments: createPaymentInstrumentRepository(gateway.database),
  };
  // A second settlement changes nothing.
  expect(await settleSession(deps, stored, new Date())).toMatchObject({ version: stored.version });
});

test('a try that was claimed but never stored is repeated under its number, and first blocks a cancel', async () => {
  const made = await makeSession(gateway, checkoutBody());
  const claimed = { tries: 1, triedAt: new Date() };
  await sessionsOf(gateway.database).updateOne({ _id: made.id }, { $set: claimed, $inc: { version: 1 } });
  const session = await openSession(gateway, made);
  expect(session).toMatchObject({ status: 'pending', nextAttempt: 1, triesLeft: 5 });
  await expect(hosted().cancel(session)).rejects.toMatchObject({ code: 'conflict' });
  await expect(hosted().pay(session, cardInput(2), caller)).rejects.toMatchObject({ code: 'conflict' });
  expect(await hosted().pay(session, cardInput(1), caller)).toMatchObject({ status: 'approved', attempt: 1 });
});

test('a card cannot be deleted at a session that has ended', async () => {
  const customerId = await makeCustomer();
  const made = await makeSession(gateway, checkoutBody({ customerId }));
  await hosted().pay(await openSession(gateway, made), cardInput(1, visa, { save: true }), caller);
  const cards = () => gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`);
  const [{ token }] = (await cards()).body;
  const ended = await openSession(gateway, made);
  expect(ended.status).toBe('completed');
  await expect(hosted().deleteCard(ended, token)).rejects.toMatchObject({ code: 'payment-instrument-not-found' });
  expect((await cards()).body).toHaveLength(1);
});

test('a customer saves a card, pays with it and deletes it; no other customer can', async () => {
  const customerId = await makeCustomer();
  const first = await openSession(gateway, await makeSession(gateway, checkoutBody({ customerId })));
  await hosted().pay(first, cardInput(1, visa, { save: true }), caller);
  const session = await openSession(gateway, await makeSession(gateway, checkoutBody({ customerId })));
  let cards = await hosted().savedCards(session);
  while (cards.length === 0) {
    await pause(50);
    cards = await hosted().savedCards(session);
  }
  expect(cards).toEqual([
    { token: expect.any(String), name: 'Visa **** 4242', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 },
  ]);
  const token = cards[0]?.token ?? '';
  const by = { source: { kind: 'token' as const, token, cvc: '123' } };
  const stranger = await openSession(
    gateway,
    await makeSession(gateway, checkoutBody({ customerId: await makeCustomer() })),
  );
  expect(await hosted().savedCards(stranger)).toEqual([]);
  await expect(hosted().pay(stranger, cardInput(1, visa, by), caller)).rejects.toMatchObject({
    code: 'invalid-card-payment-method-token',
  });
  await expect(hosted().deleteCard(stranger, token)).rejects.toMatchObject({ code: 'payment-instrument-not-found' });

  const closed = { tokenization: { features: ['create'] } };
  const other = await openSession(gateway, await makeSession(gateway, checkoutBody({ customerId, settings: closed })));
  expect(await hosted().savedCards(other)).toEqual([]);
  await expect(hosted().pay(other, cardInput(1, visa, by), caller)).rejects.toMatchObject({ code: 'conflict' });
  await expect(hosted().deleteCard(other, token)).rejects.toMatchObject({ code: 'payment-instrument-not-found' });

  const transfers = { paymentMethodTypes: ['bank-transfer'] };
  const noCards = await openSession(
    gateway,
    await makeSession(gateway, checkoutBody({ customerId, settings: transfers })),
  );
  for (const input of [cardInput(1), cardInput(1, visa, by)]) {
    await expect(hosted().pay(noCards, input, caller)).rejects.toMatchObject({
      code: 'conflict',
      publicMessage: 'This session does not accept cards.',
    });
  }

  const named = await openSession(gateway, await makeSession(gateway, checkoutBody({ customerId, token })));
  await expect(hosted().pay(named, cardInput(1), caller)).rejects.toMatchObject({ code: 'conflict' });
  const noCvc = { source: { kind: 'token' as const, token } };
  await expect(hosted().pay(named, cardInput(1, visa, noCvc), caller)).rejects.toMatchObject({
    code: 'invalid-card-cvc',
  });
  expect(await hosted().pay(named, cardInput(1, visa, by), caller)).toMatchObject({ instrument: token });

  await hosted().deleteCard(session, token);
  expect(await hosted().savedCards(session)).toEqual([]);
  await expect(hosted().pay(session, cardInput(1, visa, by), caller)).rejects.toMatchObject({
    code: 'invalid-card-payment-method-token',
  });
  const gone = await gateway.call('POST', '/v1/sessions', checkoutBody({ customerId, token }));
  const refused = { code: 'invalid-card-payment-method-token', params: { token: [expect.any(String)] } };
  expect(gone).toMatchObject({ status: 400, body: refused });
});

describe('a saved card that the payer of a tokenization chooses', () => {
  const features = ['create', 'list', 'select', 'delete'];
  const settings = () => ({ settings: store({ features }) });

  /** Makes a customer with a saved card. */
  async function savedCard() {
    const customerId = await makeCustomer();
    const made = await makeSession(gateway, tokenizationBody({ customerId, settings: store() }));
    const { instrument } = await hosted().tokenize(await openSession(gateway, made), input(1), caller);
    return { customerId, token: instrument?._id ?? '' };
  }

  test('completes the session once, and is announced', async () => {
    const { customerId, token } = await savedCard();
    const made = await makeSession(gateway, tokenizationBody({ customerId, ...settings() }));
    const session = await openSession(gateway, made);
    expect(await hosted().choose(session, token)).toMatchObject({
      session: { status: 'completed' },
      instrument: { _id: token },
    });
    expect(await heardOf(made.id)).toMatchObject([{ status: 'completed', paymentInstrument: { token } }]);
    await expect(hosted().choose(session, token)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().choose(await openSession(gateway, made), token)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is refused when cards cannot be chosen, to another customer, and at a checkout', async () => {
    const { customerId, token } = await savedCard();
    const open = async (body: Record<string, unknown>) => openSession(gateway, await makeSession(gateway, body));
    const closed = await open(tokenizationBody({ customerId, settings: store({ features: ['create', 'list'] }) }));
    await expect(hosted().choose(closed, token)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().choose(await open(checkoutBody({ customerId })), token)).rejects.toMatchObject({
      code: 'conflict',
    });
    const stranger = await open(tokenizationBody({ customerId: await makeCustomer(), ...settings() }));
    await expect(hosted().choose(stranger, token)).rejects.toMatchObject({
      code: 'invalid-card-payment-method-token',
    });
    // An integrator that names both the customer and the token learns which of them is wrong.
    const both = checkoutBody({ customerId: stranger.session.customerId, token });
    expect(await gateway.call('POST', '/v1/sessions', both)).toMatchObject({
      status: 400,
      body: { code: 'request-validation-errors', params: { customerId: [expect.any(String)] } },
    });
  });

  test('is refused while a try is open that began after the page was loaded', async () => {
    const { customerId, token } = await savedCard();
    const made = await makeSession(gateway, tokenizationBody({ customerId, ...settings() }));
    const session = await openSession(gateway, made);
    // Long enough ago that the time of the claim alone blocks nothing.
    const claimed = { tries: 1, triedAt: new Date(Date.now() - 600_000) };
    await sessionsOf(gateway.database).updateOne({ _id: made.id }, { $set: claimed, $inc: { version: 1 } });
    await expect(hosted().choose(session, token)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().cancel(session)).rejects.toMatchObject({ code: 'conflict' });
    expect((await openSession(gateway, made)).session).toMatchObject({ status: 'pending' });
  });

  test('is refused, as is every change, when the session’s time is over but no sweep has ended it', async () => {
    const { customerId, token } = await savedCard();
    const made = await makeSession(gateway, tokenizationBody({ customerId, ...settings() }));
    const past = new Date(Date.now() - 1_000);
    await sessionsOf(gateway.database).updateOne({ _id: made.id }, { $set: { expiresAt: past } });
    const session = await openSession(gateway, made);
    expect(session.session.status).toBe('pending');
    await expect(hosted().choose(session, token)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().cancel(session)).rejects.toMatchObject({ code: 'conflict' });
    await expect(hosted().deleteCard(session, token)).rejects.toMatchObject({ code: 'payment-instrument-not-found' });
    expect((await openSession(gateway, made)).session.status).toBe('pending');
  });

  test('must be of a merchant that the key of the session may use', async () => {
    const { clientId, apiKey } = gateway.sandbox.secondary;
    const { customerId, token } = await savedCard();
    const made = await gateway.call('POST', '/v1/sessions', tokenizationBody({ customerId, ...settings() }), {
      auth: `${clientId}:${apiKey}`,
    });
    const session = await openSession(gateway, made.body);
    const instruments = gateway.database.collection<PaymentInstrument>('payment_instruments');
    expect(await hosted().savedCards(session)).toMatchObject([{ token }]);
    await instruments.updateOne({ _id: token }, { $set: { merchantId: 1002 } });
    expect(await hosted().savedCards(session)).toEqual([]);
    await expect(hosted().choose(session, token)).rejects.toMatchObject({
      code: 'invalid-card-payment-method-token',
    });
    await expect(hosted().deleteCard(session, token)).rejects.toMatchObject({ code: 'payment-instrument-not-found' });
  });

  test('a session for a saved card of a type that it does not accept is refused, and the text names the setting', async () => {
    const { customerId, token } = await savedCard();
    const settings = { tokenization: { allowedCardTypes: ['debit'] } };
    const made = await gateway.call('POST', '/v1/sessions', checkoutBody({ customerId, token, settings }));
    expect(made).toMatchObject({ status: 400, body: { code: 'invalid-card-payment-method-token' } });
    expect(made.body.params.token).toEqual([expect.stringContaining('allowedCardTypes')]);
  });
});

test('a session for one saved card takes only this card with its cvc, however its token is written', async () => {
  const customerId = await makeCustomer();
  const save = async (number: string) => {
    const made = await makeSession(gateway, checkoutBody({ customerId }));
    await hosted().pay(await openSession(gateway, made), cardInput(1, number, { save: true }), caller);
  };
  await save(visa);
  await save('5555555555554444');
  const cards = () => gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`);
  const [own, other] = (await waitFor(cards, ({ body }) => body.length === 2)).body as { token: string }[];
  const token = own?.token ?? '';
  const session = await openSession(gateway, await makeSession(gateway, checkoutBody({ customerId, token })));
  const payBy = (source: { token: string; cvc?: string }) =>
    hosted().pay(session, cardInput(1, visa, { source: { kind: 'token', ...source } }), caller);
  const refused = { code: 'conflict', publicMessage: 'This session must be paid with its saved card.' };
  await expect(payBy({ token: token.toUpperCase() })).rejects.toMatchObject(refused);
  await expect(payBy({ token: other?.token ?? '', cvc: '123' })).rejects.toMatchObject(refused);
  expect(await payBy({ token, cvc: '123' })).toMatchObject({ instrument: token, status: 'approved' });
  // The page sends the token as the card has it, even if the integrator wrote it in capitals.
  const inCapitals = await makeSession(gateway, checkoutBody({ customerId, token: token.toUpperCase() }));
  const input = cardInput(1, visa, { source: { kind: 'token', token, cvc: '123' } });
  expect(await hosted().pay(await openSession(gateway, inCapitals), input, caller)).toMatchObject({
    instrument: token,
    status: 'approved',
  });
});

test('a tokenization session cannot pay', async () => {
  const session = await openSession(gateway, await makeSession(gateway, tokenizationBody()));
  await expect(hosted().pay(session, cardInput(1), caller)).rejects.toMatchObject({ code: 'conflict' });
});

test('a card of a type that the session does not accept is refused', async () => {
  const settings = { tokenization: { allowedCardTypes: ['debit'] } };
  const session = await openSession(gateway, await makeSession(gateway, checkoutBody({ settings })));
  await expect(hosted().pay(session, cardInput(1), caller)).rejects.toMatchObject({
    code: 'invalid-card-payment-method',
    params: { number: expect.anything() },
  });
  expect(await hosted().pay(session, cardInput(1, '4000056655665556'), caller)).toMatchObject({ status: 'approved' });
});

test('a callback of a tokenization can be read and sent again, but not by another client', async () => {
  const made = await makeSession(gateway, tokenizationBody({ settings: { callbacks } }));
  const session = await openSession(gateway, made);
  await hosted().tokenize(session, input(1), caller);
  const [heard] = await heardOf(made.id);
  const path = `/v1/sessions/${made.id}/callbacks`;
  const delivered = async () => {
    const { status, body } = await gateway.call('GET', path);
    expect(status).toBe(200);
    return body.data;
  };
  while ((await delivered())[0]?.status !== 'delivered') await pause(20);
  const [event] = await delivered();
  expect(event).toMatchObject({ url: callbacks.tokenizationCallbackUrl, body: heard, attempts: [{ status: 200 }] });

  const again = await gateway.call('POST', `${path}/${event.id}/replay`);
  expect(again).toMatchObject({ status: 200, body: { id: event.id } });
  expect(await heardOf(made.id, 2)).toEqual([heard, heard]);

  expect((await gateway.call('POST', `${path}/evt_0/replay`)).body.code).toBe('not-found');
  const { other } = gateway.sandbox;
  const foreign = await gateway.call('GET', path, undefined, { auth: `${other.clientId}:${other.apiKey}` });
  expect(foreign).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect((await gateway.call('GET', '/v1/sessions/ses_0/callbacks')).status).toBe(404);
});

test('a session id that is longer than any valid id is refused with 400', async () => {
  const path = `/v1/sessions/${'x'.repeat(201)}/callbacks`;
  const answers = [await gateway.call('GET', path), await gateway.call('POST', `${path}/evt_unknown/replay`)];
  expect(answers.map(({ status }) => status)).toEqual([400, 400]);
});
