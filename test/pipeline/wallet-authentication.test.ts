/** Wallet tokens and 3D Secure: a cryptogram is its own proof, a PAN-only credential follows the rules of the merchant. */

import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { forgeWalletB } from '../../api/testing/forge/forge-wallet-b.js';
import type { WalletOrder } from '../../api/testing/forge/order.js';
import { approvalUrlOf } from '../../shared/contract/present-payment.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { enableWallets, walletOrder } from '../support/enable-wallets.js';
import { cards } from '../support/forms.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { authenticatedBody, completeChallenge, switchOnThreeDs } from '../support/payer.js';
import { caller, cardInput, checkoutBody, makeSession, openSession } from './session-support.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'wallet3ds' });
  await enableWallets(gateway.call);
  // 3DS applies from 100 USD on.
  const basic = { amount: { api: { USD: 100 }, checkout: { USD: 100 } } };
  await switchOnThreeDs(gateway, 'visa', { enabled: true, tier: 'basic', basic });
});
afterAll(() => gateway?.close());

const tokenA = (card: string, auth: WalletOrder['auth']) =>
  forgeWalletA(walletOrder({ card, auth }), gateway.config.walletAGatewayName, new Date());
const amounts = { asked: { total: 100, currency: 'USD' }, below: { total: 99.99, currency: 'USD' } };

const pay = (paymentMethod: object, amount: object, more: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', { ...authenticatedBody(cards.challenge, more), amount, paymentMethod });
const payA = (token: string, amount: object, more: object = {}) =>
  pay({ source: 'wallet-a-pay-token', walletAPayToken: { token, ...more } }, amount);
const ledgerOf = async (key: string) => (await gateway.ledger()).filter((entry) => entry.key === key);
/** Returns the number of stored payments, without the reservations of sessions. */
const stored = () => gateway.database.collection<{ _id: string }>('payments').countDocuments({ _id: /^pay_/ });

test('a cryptogram of wallet-a needs no authentication, and its ECI reaches the processor', async () => {
  const { status, body } = await payA(tokenA(cards.challenge, 'CRYPTOGRAM_3DS'), amounts.asked);
  expect([status, body.status]).toEqual([200, 'approved']);
  expect(body.threeDS).toMatchObject({ required: false, reason: 'token-cryptogram' });
  expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ result: 'approved', eci: '05' }]);
});

test('a cryptogram of wallet-b needs no authentication, and its ECI reaches the processor', async () => {
  const integration = await createWalletIntegrationRepository(gateway.database).find(1001, 'wallet-b-pay');
  const { publicKey = '', merchantIdentifier = '' } = integration?.certificates?.[0] ?? {};
  const recipient = { publicKey, merchantIdentifier, totalMinor: 10_000, currencyNumber: '840' };
  const token = await forgeWalletB(walletOrder({ card: cards.challenge }), recipient, new Date());
  const cardholder = { firstName: 'Ana', lastName: 'Núñez', email: 'ana@example.com' };
  const { body } = await pay({ source: 'wallet-b-pay-token', walletBPayToken: { token, cardholder } }, amounts.asked);
  expect(body).toMatchObject({ status: 'approved', threeDS: { required: false, reason: 'token-cryptogram' } });
  expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ result: 'approved', eci: expect.any(String) }]);
});

test('a cryptogram that is saved for a day needs no challenge either, and its ECI reaches the processor', async () => {
  const walletAPayToken = { token: tokenA(cards.challenge, 'CRYPTOGRAM_3DS') };
  const made = await gateway.call('POST', '/v1/tokenizations', {
    merchantId: 1001,
    type: 'temporal',
    paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken },
  });
  const paymentInstrument = { token: made.body.token };
  const { total: amount, currency } = amounts.asked;
  const isRequired = async () => {
    const sent = { token: made.body.token, amount, currency };
    return (await gateway.call('POST', '/v1/merchants/1001/threeds/check', sent)).body.isRequired;
  };
  expect(await isRequired()).toBe(false);
  const { body } = await pay({ source: 'token', paymentInstrument }, amounts.asked);
  expect(body).toMatchObject({ status: 'approved', threeDS: { required: false, reason: 'token-cryptogram' } });
  expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ eci: '05' }]);
  // The next payment is not proven by it.
  expect(await isRequired()).toBe(true);
  const next = await pay({ source: 'token', paymentInstrument }, amounts.asked);
  expect(next.body).toMatchObject({ status: 'pending', threeDS: { required: true, reason: 'amount-at-threshold' } });
});

describe('a PAN-only credential', () => {
  test('is authenticated from the threshold on, and needs no cvc', async () => {
    const { status, body } = await payA(tokenA(cards.frictionless, 'PAN_ONLY'), amounts.asked);
    expect([status, body.status]).toEqual([200, 'approved']);
    expect(body.threeDS).toMatchObject({ required: true, status: 'frictionless', liabilityShift: true });
    expect(await ledgerOf(body.transactions[0].id)).toMatchObject([{ result: 'approved', eci: '05' }]);
  });

  test('with a challenge waits, and is charged only after the payer has confirmed it', async () => {
    const { status, body } = await payA(tokenA(cards.challenge, 'PAN_ONLY'), amounts.asked);
    expect([status, body.status]).toEqual([200, 'pending']);
    const key = body.transactions[0].id as string;
    expect(await ledgerOf(key)).toEqual([]);
    const end = await completeChallenge(gateway, body.actions[0].href, 'approve');
    expect(end.searchParams.get('status')).toBe('approved');
    expect(await ledgerOf(key)).toMatchObject([{ result: 'approved', eci: '05' }]);
  });

  test('whose payer fails the challenge is not charged', async () => {
    const { body } = await payA(tokenA(cards.challenge, 'PAN_ONLY'), amounts.asked);
    await completeChallenge(gateway, body.actions[0].href, 'fail');
    expect((await gateway.call('GET', `/v1/payments/${body.id}`)).body).toMatchObject({
      status: 'denied',
      threeDS: { error: 'authentication-failed' },
    });
    expect(await ledgerOf(body.transactions[0].id)).toEqual([]);
  });

  describe('on the hosted checkout', () => {
    const payHosted = async (total: number, card: string) => {
      const { referenceId, invoiceNumber } = authenticatedBody(card);
      const made = await makeSession(gateway, {
        ...checkoutBody(),
        paymentRequest: { referenceId, invoiceNumber, amount: { total, currency: 'USD' } },
      });
      const session = await openSession(gateway, made);
      const input = {
        ...cardInput(1),
        source: { kind: 'wallet', token: tokenA(card, 'PAN_ONLY') } as const,
      };
      return gateway.flows.hostedSessions.pay(session, input, caller);
    };

    test('is challenged from the threshold on, and needs no cvc', async () => {
      const payment = await payHosted(100, cards.challenge);
      expect(payment).toMatchObject({ status: 'pending', threeDs: { required: true } });
      await completeChallenge(gateway, approvalUrlOf(payment) ?? '', 'approve');
      await gateway.until(payment._id, 'approved');
    });

    test('is refused without a cvc below the threshold, and nothing is stored', async () => {
      const before = await stored();
      await expect(payHosted(99.99, cards.challenge)).rejects.toMatchObject({
        code: 'wallet-a-pay-pan-only-cvc-required',
      });
      expect(await stored()).toBe(before);
    });
  });

  test('needs its cvc below the threshold, and the same token may be sent again with it', async () => {
    const token = tokenA(cards.challenge, 'PAN_ONLY');
    const before = await stored();
    const refused = await payA(token, amounts.below);
    expect([refused.status, refused.body.code]).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    expect(await stored()).toBe(before);
    const { body } = await payA(token, amounts.below, { cvc: '123' });
    expect(body).toMatchObject({ status: 'approved', threeDS: { required: false } });
  });

  test('may be sent with its cvc under the same Idempotency-Key: bodies are compared without the cvc', async () => {
    const token = tokenA(cards.challenge, 'PAN_ONLY');
    const request = { ...authenticatedBody(cards.challenge), amount: amounts.below };
    const headers = { 'idempotency-key': request.referenceId };
    const send = (more: object) => {
      const paymentMethod = { source: 'wallet-a-pay-token', walletAPayToken: { token, ...more } };
      return gateway.call('POST', '/v1/payments', { ...request, paymentMethod }, { headers });
    };
    expect(await send({})).toMatchObject({ status: 422, body: { code: 'wallet-a-pay-pan-only-cvc-required' } });
    expect(await send({ cvc: '123' })).toMatchObject({ status: 200, body: { status: 'approved' } });
  });

  test('is refused without browser details, and its token stays valid', async () => {
    const token = tokenA(cards.frictionless, 'PAN_ONLY');
    const method = { source: 'wallet-a-pay-token', walletAPayToken: { token } };
    const refused = await pay(method, amounts.asked, { browserDetails: undefined });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid-browser-details']);
    expect((await pay(method, amounts.asked)).body.status).toBe('approved');
  });

  test('that is saved follows the rules each time it is charged', async () => {
    const walletAPayToken = { token: tokenA(cards.frictionless, 'PAN_ONLY') };
    const made = await gateway.call('POST', '/v1/tokenizations', {
      merchantId: 1001,
      type: 'store',
      paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken },
    });
    const charge = (amount: object, more: object = {}) =>
      pay({ source: 'token', paymentInstrument: { token: made.body.token, ...more } }, amount);
    expect((await charge(amounts.asked)).body).toMatchObject({ status: 'approved', threeDS: { required: true } });
    const refused = await charge(amounts.below);
    expect([refused.status, refused.body.code]).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    const saved = { source: 'token', paymentInstrument: { token: made.body.token } };
    const charged = { ...authenticatedBody(cards.frictionless), amount: amounts.below, paymentMethod: saved };
    const tried = await gateway.call('POST', '/v1/payments/dry-run', charged);
    expect([tried.status, tried.body.code]).toEqual([422, 'wallet-a-pay-pan-only-cvc-required']);
    expect((await charge(amounts.below, { cvc: '123' })).body.status).toBe('approved');
  });
});
