/** Wallet tokens as sources of payments and tokenizations, minted under the published test keys. */

import mongoose from 'mongoose';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { forgeWalletB } from '../../api/testing/forge/forge-wallet-b.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import {
  enableWallets,
  integrationsPath,
  untilOpened,
  uploadCertificate,
  walletOrder,
} from '../support/enable-wallets.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { flipped, flipsTimeout, jsonRegions } from '../wallets/bit-flips.js';
import { walletB } from '../wallets/fixtures.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'walletpay' });
  await enableWallets(gateway.call);
  await untilOpened(() => payA(tokenA({ merchantId: 1002 })));
});
afterAll(() => gateway?.close());

const CARD = '4111111111111111';
const tokenA = (more: Partial<WalletOrder> = {}) =>
  forgeWalletA(walletOrder(more), gateway.config.walletAGatewayName, new Date());

async function tokenB(more: Partial<WalletOrder> = {}, paid: object = {}, at = new Date()) {
  const integration = await createWalletIntegrationRepository(gateway.database).find(1001, 'wallet-b-pay');
  const certificate = integration?.certificates?.[0];
  if (!certificate) throw new Error('a certificate was uploaded');
  const { publicKey, merchantIdentifier } = certificate;
  const recipient = { publicKey, merchantIdentifier, totalMinor: 1050, currencyNumber: '840', ...paid };
  return forgeWalletB(walletOrder(more), recipient, at);
}

const cardholder = { firstName: 'Ana', lastName: 'Núñez', email: 'ana@example.com' };
const pay = (paymentMethod: object, more: object = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody({ paymentMethod, ...more }));
const payA = (token: string, more: object = {}) =>
  pay({ source: 'wallet-a-pay-token', walletAPayToken: { token, ...more } });
const payB = (token: string, more: object = { cardholder }) =>
  pay({ source: 'wallet-b-pay-token', walletBPayToken: { token, ...more } });
const codeOf = ({ status, body }: Awaited<ReturnType<typeof pay>>) => [status, body.code];
const stored = () => gateway.database.collection('payments').countDocuments();

describe('payments', () => {
  test.each([
    ['a', () => payA(tokenA()), 'wallet-a-pay-token'],
    ['b', async () => payB(await tokenB()), 'wallet-b-pay-token'],
  ] as const)('a cryptogram of wallet %s is charged without a cvc', async (_wallet, run, source) => {
    const { status, body } = await run();
    expect([status, body.status, body.paymentMethod]).toEqual([
      200,
      'approved',
      {
        id: 'visa',
        name: 'Visa',
        type: 'card',
        source,
        card: { brand: 'visa', last4: '1111', expirationMonth: 12, expirationYear: 2034 },
      },
    ]);
    const payment = await gateway.payments.findForClient(body.id, gateway.sandbox.clientId);
    expect(payment?.cvc).toBeUndefined();
  });

  test('a token of wallet b whose frame names the card in any alphabet is accepted', async () => {
    const paymentMethod = {
      displayName: '銀聯卡 •••• 1111',
      billingContact: { givenName: 'José', familyName: 'Núñez' },
    };
    const framed = async () => JSON.stringify({ paymentData: JSON.parse(await tokenB()), paymentMethod });
    expect((await payB(await framed())).body.status).toBe('approved');
    const walletBPayToken = { token: await framed(), cardholder: { name: 'José Núñez' } };
    const saved = await gateway.call('POST', '/v1/tokenizations', {
      ...{ merchantId: 1001, type: 'temporal' },
      paymentMethod: { source: 'wallet-b-pay-token', walletBPayToken },
    });
    expect(saved.status).toBe(200);
    expect(codeOf(await payB(`${await framed()}ñ`))).toEqual([400, 'INVALID_WALLET_B_PAY_TOKEN']);
  });

  test('a declined card is declined through a wallet too', async () => {
    expect(codeOf(await payA(tokenA({ card: '4000000000000002' })))).toEqual([422, 'declined-by-acquirer']);
  });

  test('POST /v1/payments 400: a text contains the card number of the token, with letters between its digits', async () => {
    const before = await stored();
    const paymentMethod = { source: 'wallet-a-pay-token', walletAPayToken: { token: tokenA() } };
    const { status, body } = await pay(paymentMethod, { metadata: { note: '4111x1111x1111x1111' } });
    expect([status, body.code, Object.keys(body.params)]).toEqual([
      400,
      'request-validation-errors',
      ['metadata.note'],
    ]);
    expect(await stored()).toBe(before);
  });

  test('a PAN-only credential needs its cvc without 3DS, and the same token may be sent again with it', async () => {
    const token = tokenA({ auth: 'PAN_ONLY' });
    const before = await stored();
    expect(codeOf(await payA(token))).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    expect(await stored()).toBe(before);
    expect((await payA(token, { cvc: '123' })).body.status).toBe('approved');
    expect(codeOf(await payA(tokenA({ auth: 'PAN_ONLY' }), { cvc: '1234' }))).toEqual([400, 'invalid-card-cvc']);
  });

  test.each([
    ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
    ['PAN_ONLY', 'CRYPTOGRAM_3DS'],
  ] as const)(
    'a merchant that allows %s only is not paid by a %s credential, which is not saved either',
    async (one, other) => {
      const profile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
      const allow = (more: object) =>
        gateway.call('PUT', `${integrationsPath}/wallet-a-pay`, {
          tosAccepted: true,
          walletAPayProfile: { ...profile, ...more },
        });
      const cvc = (auth: string) => (auth === 'PAN_ONLY' ? { cvc: '123' } : {});
      await allow({ allowedAuthMethods: [one] });
      try {
        const before = await stored();
        const token = tokenA({ auth: other });
        const walletAPayToken = { token, ...cvc(other) };
        const paymentMethod = { source: 'wallet-a-pay-token', walletAPayToken };
        const saved = { merchantId: 1001, type: 'temporal', paymentMethod };
        for (const answer of [await pay(paymentMethod), await gateway.call('POST', '/v1/tokenizations', saved)]) {
          expect(codeOf(answer)).toEqual([400, 'invalid-card-payment-method-token']);
          expect(answer.body.message).toContain(`a ${other} credential, which allowedAuthMethods`);
        }
        expect(await stored()).toBe(before);
        expect((await payA(tokenA({ auth: one }), cvc(one))).body.status).toBe('approved');
        // The refusals used up nothing.
        await allow({});
        expect((await pay(paymentMethod)).body.status).toBe('approved');
      } finally {
        await allow({});
      }
    },
  );

  test.each(['expired', 'wrong-recipient', 'bad-signature', 'tampered'] as const)(
    'a token of wallet a that is %s is refused with the same message, and nothing is stored',
    async (broken) => {
      const before = await stored();
      const { status, body } = await payA(tokenA({ broken }));
      expect([status, body.code, body.message, body.params]).toEqual([
        400,
        'invalid-card-payment-method-token',
        errorCatalogue['invalid-card-payment-method-token'].message,
        undefined,
      ]);
      expect(await stored()).toBe(before);
    },
  );

  test.each([
    ['expired', 'INVALID_WALLET_B_PAY_TOKEN'],
    ['wrong-recipient', 'WALLET_B_PAY_SIGNATURE_INVALID'],
    ['bad-signature', 'WALLET_B_PAY_SIGNATURE_INVALID'],
    ['tampered', 'WALLET_B_PAY_SIGNATURE_INVALID'],
  ] as const)('a token of wallet b that is %s is refused with %s', async (broken, code) => {
    expect(codeOf(await payB(await tokenB({ broken })))).toEqual([400, code]);
  });

  test('a token of wallet b is accepted once, even if bytes move from its id to the application data', async () => {
    const token = await tokenB();
    const divided = JSON.parse(token);
    const id: string = divided.header.transactionId;
    Object.assign(divided.header, { transactionId: id.slice(0, -2), applicationData: id.slice(-2) });
    expect((await payB(token)).body.status).toBe('approved');
    expect(codeOf(await payB(JSON.stringify(divided)))).toEqual([409, 'WALLET_B_PAY_TOKEN_REPLAY']);
  });

  test('chip data of wallet b is refused with a clear message, and nothing is stored', async () => {
    const before = await stored();
    const token = await tokenB({ paymentDataType: 'EMV' });
    const paymentMethod = { source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder: { name: 'Ana' } } };
    const tokenized = gateway.call('POST', '/v1/tokenizations', { merchantId: 1001, type: 'temporal', paymentMethod });
    for (const { status, body } of [await payB(token), await tokenized]) {
      expect([status, body.code]).toEqual([400, 'INVALID_WALLET_B_PAY_TOKEN']);
      expect(body.message).toMatch(/paymentDataType EMV.*not supported.*3DSecure/);
    }
    expect(await stored()).toBe(before);
  });

  test(
    'a token with a flipped bit is refused with one message per code, and never with a 5xx',
    async () => {
      const answers = new Map<string, Set<string>>();
      const recordAnswer = ({ status, body }: Awaited<ReturnType<typeof pay>>) => {
        // The case of a hexadecimal digit has no meaning: such a token is valid, but only once.
        if (status === 200) return;
        expect([400, 409]).toContain(status);
        // A token that is not a JSON object is reported by its field, before its content is checked.
        const params = Object.keys(body.params ?? {}).filter((field) => !field.endsWith('PayToken.token'));
        answers.set(body.code, (answers.get(body.code) ?? new Set()).add(JSON.stringify([body.message, params])));
      };
      const a = Buffer.from(tokenA(), 'base64');
      for (const { changed } of flipped(a, jsonRegions(a.toString('utf8')))) {
        recordAnswer(await payA(changed.toString('base64')));
      }
      expect([...answers.keys()]).toEqual(['invalid-card-payment-method-token']);
      const b = Buffer.from(await tokenB(), 'utf8');
      for (const { changed } of flipped(b, jsonRegions(b.toString('utf8'))))
        recordAnswer(await payB(changed.toString('utf8')));
      expect(answers.has('WALLET_B_PAY_SIGNATURE_INVALID')).toBe(true);
      for (const [code, texts] of answers) expect([code, [...texts]]).toEqual([code, [expect.any(String)]]);
    },
    flipsTimeout,
  );

  test('a token for another merchant, amount, currency or key is refused', async () => {
    expect(codeOf(await payA(tokenA({ merchantId: 1002 })))).toEqual([400, 'invalid-card-payment-method-token']);
    expect(codeOf(await payB(await tokenB({}, { totalMinor: 1051 })))).toEqual([400, 'INVALID_WALLET_B_PAY_TOKEN']);
    expect(codeOf(await payB(await tokenB({}, { currencyNumber: '858' })))).toEqual([
      400,
      'INVALID_WALLET_B_PAY_TOKEN',
    ]);
    const other = walletB.keys[1]?.publicKeyHash;
    const token = JSON.parse(await tokenB());
    token.header.publicKeyHash = other;
    expect(codeOf(await payB(JSON.stringify(token)))).toEqual([400, 'WALLET_B_PAY_CERTIFICATE_NOT_FOUND']);
  });

  test('while a certificate is replaced, tokens made for the old key and for the new one are both opened', async () => {
    const [before, later] = [await tokenB(), await tokenB()];
    const uploaded = await uploadCertificate(gateway.call, 'merchant-alpha-previous');
    expect(uploaded.status).toBe(200);
    expect((await payB(before)).body.status).toBe('approved');
    expect((await payB(await tokenB())).body.status).toBe('approved');
    expect((await payB(later)).body.status).toBe('approved');
  });

  test('wallet b names the missing fields of the cardholder', async () => {
    const { status, body } = await payB(await tokenB(), { cardholder: { firstName: 'Ana' } });
    expect([status, body.code, Object.keys(body.params)]).toEqual([
      400,
      'MISSING_CARDHOLDER_INFO',
      ['paymentMethod.walletBPayToken.cardholder.lastName', 'paymentMethod.walletBPayToken.cardholder.email'],
    ]);
  });

  test('POST /v1/payments 400: the merchant does not have the wallet', async () => {
    const elsewhere = { merchantId: 1002 };
    const a = await pay({ source: 'wallet-a-pay-token', walletAPayToken: { token: tokenA(elsewhere) } }, elsewhere);
    expect(codeOf(a)).toEqual([400, 'invalid-card-payment-method']);
    expect(a.body.message).toBe('wallet-a is not enabled for the API of this merchant.');
    const method = { source: 'wallet-b-pay-token', walletBPayToken: { token: await tokenB(), cardholder } };
    expect(codeOf(await pay(method, elsewhere))).toEqual([400, 'WALLET_B_PAY_NOT_ENABLED']);
    await gateway.call('PUT', '/v1/merchants/1002/wallet-integrations/wallet-b-pay', {});
    expect(codeOf(await pay(method, elsewhere))).toEqual([400, 'WALLET_B_PAY_CERTIFICATE_NOT_FOUND']);
  });

  test('of ten payments at once with one token, one is accepted', async () => {
    const token = await tokenB();
    const answers = await Promise.all(Array.from({ length: 10 }, () => payB(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'WALLET_B_PAY_TOKEN_REPLAY').map(({ status }) => status)).toEqual(
      Array(9).fill(409),
    );
    const again = tokenA();
    expect((await payA(again)).status).toBe(200);
    expect(codeOf(await payA(again))).toEqual([400, 'invalid-card-payment-method-token']);
  });

  test('a token is not used up by a payment whose reference is already used', async () => {
    const taken = paymentBody();
    await gateway.call('POST', '/v1/payments', taken);
    const token = await tokenB();
    const paymentMethod = { source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder } };
    const refused = await gateway.call('POST', '/v1/payments', { ...taken, paymentMethod });
    expect(codeOf(refused)).toEqual([409, 'duplicated-reference-id']);
    expect((await payB(token)).body.status).toBe('approved');
  });

  test.each([
    [
      'a',
      () => Promise.resolve(tokenA()),
      (token: string) => ({ source: 'wallet-a-pay-token', walletAPayToken: { token } }),
      [400, 'invalid-card-payment-method-token'],
    ],
    [
      'b',
      () => tokenB(),
      (token: string) => ({ source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder } }),
      [409, 'WALLET_B_PAY_TOKEN_REPLAY'],
    ],
  ] as const)(
    'a payment with wallet %s that is sent again does not make its token valid again',
    async (_, mint, method, used) => {
      const token = await mint();
      const paid = paymentBody({ paymentMethod: method(token) });
      const [first, twin] = await Promise.all([
        gateway.call('POST', '/v1/payments', paid),
        gateway.call('POST', '/v1/payments', paid),
      ]);
      expect([first.status, twin.status].sort()).toEqual([200, 409]);
      const again = await gateway.call('POST', '/v1/payments', paid);
      expect(codeOf(again)).toEqual([409, 'duplicated-reference-id']);
      const other = await gateway.call('POST', '/v1/payments', { ...paid, referenceId: `${paid.referenceId}-other` });
      expect(codeOf(other)).toEqual(used);
    },
  );
});

describe('tokenizations', () => {
  const tokenize = (paymentMethod: object, more: object = {}) =>
    gateway.call('POST', '/v1/tokenizations', { merchantId: 1001, type: 'temporal', paymentMethod, ...more });
  const tokenizeA = (token: string, more: object = {}) =>
    tokenize({ source: 'wallet-a-pay-token', walletAPayToken: { token, cardholder: { name: 'Ana Núñez' } } }, more);
  const charge = (token: string, more: object = {}) => pay({ source: 'token', paymentInstrument: { token, ...more } });

  test('a wallet-a token is saved as a token that is valid for a day and can be charged', async () => {
    const { status, body } = await tokenizeA(tokenA());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      paymentMethodId: 'visa',
      paymentMethodType: 'card',
      tokenizationType: 'temporal',
      status: 'active',
      source: 'wallet-a-pay-token',
      bin: '41111111',
      last4: '1111',
      cardName: 'Visa **** 1111',
      cardholderName: 'Ana Núñez',
      cardType: 'credit',
    });
    const lifetimeMs = Date.parse(body.expiresAt) - Date.parse(body.createdAt);
    expect(lifetimeMs).toBe(24 * 3_600_000);
    const charged = await charge(body.token);
    expect(charged.body.status).toBe('approved');
    // No second route may try the saved cryptogram again.
    const payment = await gateway.payments.findForClient(charged.body.id, gateway.sandbox.clientId);
    expect(payment?.savedCryptogram).toBe(true);
  });

  test('a saved cryptogram proves the payer of one payment, and is not sent with a charge without the payer', async () => {
    const { body: saved } = await tokenizeA(tokenA());
    const paymentMethod = { source: 'token', paymentInstrument: { token: saved.token } };
    const order = paymentBody({ paymentMethod, recurring: { type: 'initial' } });
    const first = await gateway.call('POST', '/v1/payments', order);
    expect(first.body.status).toBe('approved');
    const isProven = async ({ body }: { body: { id: string } }) =>
      (await gateway.payments.findForClient(body.id, gateway.sandbox.clientId))?.savedCryptogram === true;
    expect(await isProven(first)).toBe(true);
    expect(codeOf(await gateway.call('POST', '/v1/payments', order))).toEqual([409, 'duplicated-reference-id']);
    const again = await charge(saved.token);
    expect([again.body.status, await isProven(again)]).toEqual(['approved', false]);
    const later = await pay(paymentMethod, { recurring: { type: 'subsequent' } });
    expect([later.body.status, later.body.recurring.initialPaymentId]).toEqual(['approved', first.body.id]);
    expect(await isProven(later)).toBe(false);
  });

  test('of payments with one saved cryptogram at once, one sends it', async () => {
    const { body: saved } = await tokenizeA(tokenA());
    const answers = await Promise.all(Array.from({ length: 4 }, () => charge(saved.token)));
    const proven = await Promise.all(
      answers.map(async ({ body }) => {
        const payment = body.id && (await gateway.payments.findForClient(body.id, gateway.sandbox.clientId));
        return payment?.savedCryptogram === true;
      }),
    );
    expect(proven.filter(Boolean)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const one of refused) {
      expect(codeOf(one)).toEqual([400, 'invalid-card-payment-method-token']);
      expect(one.body.message).toMatch(/at the same moment\. Send this payment again/);
    }
  });

  test('a saved cryptogram of wallet b is used up by a payment that is declined', async () => {
    const walletBPayToken = { token: await tokenB({ card: '4000000000000002' }), cardholder: { name: 'Ana' } };
    const { body: saved } = await tokenize({ source: 'wallet-b-pay-token', walletBPayToken });
    for (const savedCryptogram of [true, undefined]) {
      const declined = await charge(saved.token);
      expect(codeOf(declined)).toEqual([422, 'declined-by-acquirer']);
      const payment = await gateway.payments.findForClient(declined.body.params.paymentId[0], gateway.sandbox.clientId);
      expect(payment?.savedCryptogram).toBe(savedCryptogram);
    }
  });

  test('a stored wallet-b token is in the list of its customer', async () => {
    const customerId = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
    const method = {
      source: 'wallet-b-pay-token',
      walletBPayToken: { token: await tokenB(), cardholder: { name: 'Ana' } },
    };
    const { body } = await tokenize(method, { type: 'store', customerId });
    expect(body).toMatchObject({ tokenizationType: 'persistent', expiresAt: null });
    const listed = await gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`);
    expect(listed.body.map(({ token }: { token: string }) => token)).toEqual([body.token]);
    expect((await charge(body.token)).body.status).toBe('approved');
    expect(codeOf(await tokenize(method))).toEqual([409, 'WALLET_B_PAY_TOKEN_REPLAY']);
    const nameless = { source: 'wallet-b-pay-token', walletBPayToken: { token: await tokenB() } };
    expect(codeOf(await tokenize(nameless))).toEqual([400, 'MISSING_CARDHOLDER_INFO']);
  });

  test('a stored PAN-only credential is charged without the payer once its payer has paid with the cvc', async () => {
    const { body: saved } = await tokenizeA(tokenA({ auth: 'PAN_ONLY' }), { type: 'store' });
    const chargeFor = (type: string, more: object = {}) =>
      pay({ source: 'token', paymentInstrument: { token: saved.token, ...more } }, { recurring: { type } });
    const tooSoon = await chargeFor('subsequent');
    expect([tooSoon.status, Object.keys(tooSoon.body.params)]).toEqual([400, ['recurring.initialPaymentId']]);
    expect(codeOf(await chargeFor('initial'))).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    const first = await chargeFor('initial', { cvc: '123' });
    const later = await chargeFor('subsequent');
    expect([later.body.status, later.body.recurring.initialPaymentId]).toEqual(['approved', first.body.id]);
    // Its payer is there: a new token of the wallet comes from the payer's device.
    const walletAPayToken = { token: tokenA({ auth: 'PAN_ONLY' }) };
    const recurring = { type: 'subsequent', initialPaymentId: first.body.id };
    const fresh = await pay({ source: 'wallet-a-pay-token', walletAPayToken }, { recurring });
    expect(codeOf(fresh)).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
  });

  test('the token of a PAN-only credential needs the cvc when it is charged', async () => {
    const { body } = await tokenizeA(tokenA({ auth: 'PAN_ONLY' }));
    expect(codeOf(await charge(body.token))).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    expect((await charge(body.token, { cvc: '123' })).body.status).toBe('approved');
  });

  test('a card is refused, and named in the answer', async () => {
    const { status, body } = await tokenize({ source: 'card', card: { number: CARD, expMonth: 1, expYear: 2034 } });
    expect([status, Object.keys(body.params)]).toEqual([400, ['paymentMethod.source', 'paymentMethod.card']]);
  });
});

/** Returns the texts in a value, at every depth, those in JSON of it included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...(value.startsWith('{') ? textsIn(JSON.parse(value)) : [])];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the collections in which one of the texts is stored, as text or as bytes. */
async function collectionsWith(texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const forms = texts.map((text) => Buffer.from(text));
  for (const { name } of await gateway.database.connection.listCollections()) {
    for (const row of await gateway.database.collection(name).find().toArray()) {
      const bytes = mongoose.mongo.BSON.serialize(row);
      if (forms.some((form) => Buffer.from(bytes).includes(form))) found.add(name);
    }
  }
  return [...found];
}

test('no card number or wallet token is unencrypted in MongoDB', async () => {
  const [a, b] = [tokenA(), await tokenB()];
  const paid = (await payA(a)).body;
  expect([paid.status, (await payB(b)).body.status]).toEqual(['approved', 'approved']);
  const { intermediateSigningKey: _certificate, ...ownA } = JSON.parse(Buffer.from(a, 'base64').toString('utf8'));
  // Also a part of a token is too much: that the payload alone is kept, or its signature.
  const ownB = JSON.parse(b);
  // The merchant's own key is known by its digest.
  delete ownB.header.publicKeyHash;
  const parts = [a, b, ...textsIn(ownA), ...textsIn(ownB)].filter((text) => text.length > 20);
  expect(parts.length).toBeGreaterThan(5);
  expect(await collectionsWith([paid.id])).toContain('payments');
  const scratch = gateway.database.collection<{ _id: string }>('scratch');
  await scratch.insertMany([{ _id: b }, { _id: 'bytes', bytes: Buffer.from(a) } as { _id: string }]);
  for (const token of [a, b]) expect(await collectionsWith([token])).toEqual(['scratch']);
  await scratch.drop();
  expect(await collectionsWith([CARD, ...parts])).toEqual([]);
  expect(await gateway.database.collection('wallet_openings').countDocuments()).toBe(0);
});
