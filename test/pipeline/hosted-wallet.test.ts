/** Wallet tokens minted over the API, and wallet-a on the hosted checkout. */

import { createSessionTokens } from '../../api/sessions/session-token.js';
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { integrationsPath, untilOpened, uploadCertificate } from '../support/enable-wallets.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { walletScript } from '../support/wallet-keys.js';
import { caller, cardInput, checkoutBody, makeSession, openSession } from './session-support.js';

let gateway: TestGateway;
const profile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
const enable = (more: object = {}) =>
  gateway.call('PUT', `${integrationsPath}/wallet-a-pay`, { tosAccepted: true, walletAPayProfile: profile, ...more });

beforeAll(async () => {
  gateway = await startGateway({ name: 'hostedwallet', settings: walletScript });
  await gateway.call('PUT', `${integrationsPath}/wallet-b-pay`, {});
  await uploadCertificate(gateway.call);
  await enable();
  await untilOpened(async () => payWith('wallet-a-pay', await mint({ type: 'wallet-a-pay', broken: 'expired' })));
});
beforeEach(() => enable());
afterAll(() => gateway?.close());

const mint = async (more: object) => {
  const { status, body } = await gateway.call('POST', '/v1/testing/wallet-tokens', { merchantId: 1001, ...more });
  expect([status, body.params]).toEqual([200, undefined]);
  return body.token as string;
};
const cardholder = { firstName: 'Ana', lastName: 'Núñez', email: 'ana@example.com' };
const payWith = (type: string, token: string) =>
  gateway.call(
    'POST',
    '/v1/payments',
    paymentBody({
      paymentMethod:
        type === 'wallet-a-pay'
          ? { source: 'wallet-a-pay-token', walletAPayToken: { token } }
          : { source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder } },
    }),
  );

const invalid = [400, 'invalid-card-payment-method-token'] as const;
const unverified = [400, 'WALLET_B_PAY_SIGNATURE_INVALID'] as const;
/** wallet-a has one code for all reasons. */
const refusals: Record<string, Record<string, readonly [number, string]>> = {
  'wallet-a-pay': {
    expired: invalid,
    'wrong-recipient': invalid,
    'bad-signature': invalid,
    tampered: invalid,
    replayed: invalid,
  },
  'wallet-b-pay': {
    expired: [400, 'INVALID_WALLET_B_PAY_TOKEN'],
    'wrong-recipient': unverified,
    'bad-signature': unverified,
    tampered: unverified,
    replayed: [409, 'WALLET_B_PAY_TOKEN_REPLAY'],
  },
};

describe('wallet tokens minted over the API', () => {
  test.each(['wallet-a-pay', 'wallet-b-pay'])('a valid token of %s pays once', async (type) => {
    const token = await mint({ type });
    expect((await payWith(type, token)).body.status).toBe('approved');
    const again = await payWith(type, token);
    expect([again.status, again.body.code]).toEqual(refusals[type]?.replayed);
  });

  const kinds = ['expired', 'wrong-recipient', 'bad-signature', 'tampered', 'replayed'] as const;
  test.each(kinds.flatMap((broken) => ['wallet-a-pay', 'wallet-b-pay'].map((type) => [broken, type] as const)))(
    'a token broken as "%s" is refused by %s',
    async (broken, type) => {
      const { status, body } = await payWith(type, await mint({ type, broken }));
      const [expected, code] = refusals[type]?.[broken] ?? [];
      // The message says no more than the code.
      expect([status, body.code, body.message]).toEqual([expected, code, errorCatalogue[code as never]?.['message']]);
    },
  );

  test('a card that is declined is declined through the wallet too', async () => {
    const { status, body } = await payWith(
      'wallet-a-pay',
      await mint({ type: 'wallet-a-pay', card: '4000000000000002' }),
    );
    expect([status, body.code]).toEqual([422, 'declined-by-acquirer']);
  });

  test.each<[string, object, string]>([
    ['a card that is none', { type: 'wallet-a-pay', card: '4' }, 'invalid-card-number'],
    [
      'an amount with too many decimals',
      { type: 'wallet-b-pay', amount: { total: '1.234', currency: 'USD' } },
      'payment-invalid-amount',
    ],
    [
      'a currency that is none',
      { type: 'wallet-b-pay', amount: { total: '1', currency: 'XXX' } },
      'currency-not-found',
    ],
    ['a wallet that is none', { type: 'wallet-c' }, 'request-validation-errors'],
  ])('minting a token is refused: %s', async (_name, body, code) => {
    const answer = await gateway.call('POST', '/v1/testing/wallet-tokens', { merchantId: 1001, ...body });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  test('a merchant without a certificate gets no token of wallet-b', async () => {
    const answer = await gateway.call('POST', '/v1/testing/wallet-tokens', { merchantId: 1002, type: 'wallet-b-pay' });
    expect(answer.body.code).toBe('WALLET_B_PAY_CERTIFICATE_NOT_FOUND');
  });
});

describe('on the hosted checkout', () => {
  const walletOf = ({ settings }: { settings: { checkout: { walletIntegrations?: { walletAPay: object } } } }) =>
    settings.checkout.walletIntegrations?.walletAPay;
  const wallet = (walletAPay: object) =>
    checkoutBody({ settings: { checkout: { walletIntegrations: { walletAPay } } } });

  test('the session shows in which mode the merchant accepts the wallet', async () => {
    await enable({ mode: 'both' });
    expect(walletOf(await makeSession(gateway, checkoutBody()))).toEqual({
      enabled: true,
      mode: 'both',
      dynamicShipping: false,
    });
    expect(walletOf(await makeSession(gateway, wallet({ enabled: false, dynamicShipping: true })))).toEqual({
      enabled: false,
      mode: 'both',
      dynamicShipping: true,
    });
    const elsewhere = { ...wallet({ enabled: true }), merchantId: 1002 };
    expect(walletOf(await makeSession(gateway, elsewhere))).toMatchObject({ mode: null });
    expect(walletOf(await makeSession(gateway, { ...checkoutBody(), merchantId: 1002 }))).toBeUndefined();
  });

  test.each<[string, object, Record<string, unknown>, boolean]>([
    ['mode hosted', { mode: 'hosted' }, {}, true],
    ['mode both', { mode: 'both' }, {}, true],
    ['mode api', { mode: 'api' }, {}, false],
    ['switched off for the session', { mode: 'both' }, { enabled: false }, false],
  ])('%s decides whether the wallet is offered and accepted', async (_name, integration, said, offered) => {
    await enable(integration);
    const session = await openSession(gateway, await makeSession(gateway, wallet(said)));
    expect(session.walletA).toBe(offered);
    const input = { ...cardInput(1), source: { kind: 'mock-wallet' } as const };
    const paying = gateway.flows.hostedSessions.pay(session, input, caller);
    if (!offered) return expect(paying).rejects.toMatchObject({ code: 'conflict' });
    expect(await paying).toMatchObject({ status: 'approved', paymentMethod: { source: 'wallet-a-pay-token' } });
  });

  const byToken = (token: string) => ({ ...cardInput(1), source: { kind: 'wallet', token } as const });

  test('a real token of the wallet is verified in testing too: a broken token is refused', async () => {
    await enable({ mode: 'hosted' });
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const { pay } = gateway.flows.hostedSessions;
    const refused = { code: 'invalid-card-payment-method-token' };
    const broken = await mint({ type: 'wallet-a-pay', broken: 'bad-signature' });
    for (const token of [broken, 'not base64!', 'e30', 'eyJ9'.repeat(8_000)]) {
      await expect(pay(session, byToken(token), caller)).rejects.toMatchObject(refused);
    }
    const paid = await pay(session, byToken(await mint({ type: 'wallet-a-pay' })), caller);
    expect(paid).toMatchObject({ status: 'approved', paymentMethod: { source: 'wallet-a-pay-token' } });
  });

  test('a declined token is used up: the next attempt of the session needs a new token', async () => {
    await enable({ mode: 'both' });
    const made = await makeSession(gateway, checkoutBody());
    const pay = async (attempt: number, token: string) =>
      gateway.flows.hostedSessions.pay(await openSession(gateway, made), { ...byToken(token), attempt }, caller);
    const token = await mint({ type: 'wallet-a-pay', card: '4000000000000002' });
    await expect(pay(1, token)).rejects.toMatchObject({ code: 'declined-by-acquirer' });
    await expect(pay(2, token)).rejects.toMatchObject({ code: 'invalid-card-payment-method-token' });
    expect(await pay(2, await mint({ type: 'wallet-a-pay' }))).toMatchObject({ status: 'approved' });
  });

  test('ten submissions of one token at once, from two sessions, make one payment', async () => {
    await enable({ mode: 'both' });
    const token = await mint({ type: 'wallet-a-pay' });
    const one = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const other = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    const tries = [one, other, one, other, one, other, one, other, one, other].map((session) =>
      gateway.flows.hostedSessions.pay(session, byToken(token), caller),
    );
    const settled = await Promise.allSettled(tries);
    const made = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value._id] : []));
    expect(new Set(made).size).toBe(1);
  });

  test('a session that is limited to some card types refuses other types from a wallet', async () => {
    await enable({ mode: 'hosted' });
    const body = checkoutBody({ settings: { tokenization: { allowedCardTypes: ['debit'] } } });
    const session = await openSession(gateway, await makeSession(gateway, body));
    expect(session.walletA).toBe(true);
    const pay = async (card: string) =>
      gateway.flows.hostedSessions.pay(session, byToken(await mint({ type: 'wallet-a-pay', card })), caller);
    await expect(pay('4242424242424242')).rejects.toMatchObject({ code: 'invalid-card-payment-method' });
    expect(await pay('4000056655665556')).toMatchObject({ status: 'approved' });
  });

  test('a wallet at a link pays only with the methods and the installments that the link allows', async () => {
    await enable({ mode: 'both' });
    const settings = { amountMode: 'fixed', paymentMethods: ['mastercard'], installments: { mastercard: [1, 3] } };
    const link = (
      await gateway.call('POST', '/v1/payment-links', {
        merchantId: 1001,
        type: 'regular',
        amount: { total: 10, currency: 'USD' },
        settings,
      })
    ).body;
    const { hostedLinks, hostedSessions } = gateway.flows;
    const hosted = await hostedLinks.find(link.externalId);
    if (!hosted) throw new Error('there is no such link');
    const { session } = await hostedLinks.enter(hosted, undefined, caller.traceId);
    const opened = await hostedSessions.find(
      session._id,
      createSessionTokens(gateway.config.digestKey).tokenOf(session),
    );
    if (!opened) throw new Error('the session does not open');
    expect(opened.walletA).toBe(true);
    const pay = async (card: string, more: object = {}) =>
      hostedSessions.pay(opened, { ...byToken(await mint({ type: 'wallet-a-pay', card })), ...more }, caller);
    await expect(pay('4242424242424242')).rejects.toMatchObject({ code: 'invalid-card-payment-method' });
    await expect(pay('5555555555554444', { installments: 2 })).rejects.toMatchObject({
      params: { installments: ['is not available for this card'] },
    });
    expect(await pay('5555555555554444', { installments: 3 })).toMatchObject({ status: 'approved', installments: 3 });
  });

  test('an amount that the payer chooses is charged within the bounds of the session', async () => {
    await enable({ mode: 'hosted' });
    const flexible = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD'], maxAmount: '50' } };
    const made = await makeSession(gateway, checkoutBody({ settings: { checkout: flexible } }));
    const session = await openSession(gateway, made);
    expect(session.walletA).toBe(true);
    const pay = (total: string) =>
      gateway.flows.hostedSessions.pay(
        session,
        { ...cardInput(1), source: { kind: 'mock-wallet' }, amount: { total, currency: 'USD' } },
        caller,
      );
    await expect(pay('50.01')).rejects.toMatchObject({ code: 'payment-invalid-amount' });
    expect(await pay('49.99')).toMatchObject({ status: 'approved', amount: { totalMinor: 4_999, currency: 'USD' } });
  });

  test('a token over the API is refused when the wallet is for hosted pages only', async () => {
    await enable({ mode: 'hosted' });
    const { status } = await payWith('wallet-a-pay', await mint({ type: 'wallet-a-pay' }));
    expect(status).toBe(400);
  });

  test('a disabled wallet is not offered', async () => {
    await gateway.call('DELETE', `${integrationsPath}/wallet-a-pay`);
    const session = await openSession(gateway, await makeSession(gateway, checkoutBody()));
    expect(session.walletA).toBe(false);
  });
});
