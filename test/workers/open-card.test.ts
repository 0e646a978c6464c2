/** Which sealed data of a payment is opened for one call, and by which binding. The vault itself has its own suites. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  bindingOf,
  type CardSources,
  openCredential,
  openSealedCard,
  openThreeDsProof,
  TokenGoneError,
} from '../../workers/open-card.js';
import { createdPayment } from '../domain/payment/a-payment.js';

const NUMBER = '4242424242424242';
const card = { number: NUMBER, expMonth: 12, expYear: 2034 };
const cardholder = { firstName: 'Ana', lastName: 'Paz' };

/** Builds a vault that holds one text for each field, and records the bindings that it is opened by. */
function sources(texts: Readonly<Record<string, unknown>>, saved?: object) {
  const bindings: object[] = [];
  const given = {
    vault: {
      open: async (_envelope: unknown, binding: { field: string }) => {
        bindings.push(binding);
        const text = texts[binding.field];
        return Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
      },
    },
    instruments: { find: async (clientId: string, token: string) => saved && { ...saved, clientId, token } },
  };
  return { sources: given as unknown as CardSources, bindings };
}
const bound = (payment: Payment, field: string) => ({
  recordId: payment._id,
  field,
  clientId: 'cli_a',
  owner: { merchantId: 1001, customerId: payment.customerId },
});

test('the card and its cvc are each opened by the binding of the payment', async () => {
  const payment = createdPayment({ customerId: 'cus_1' });
  const { sources: given, bindings } = sources({ card: { ...card, cardholder }, cvc: { cvc: '123' } });
  expect(await openCredential(given, payment)).toEqual({
    card: { ...card, brand: 'visa', cvc: '123', holderName: 'Ana Paz' },
    cardholder,
  });
  expect(bindings).toEqual([bound(payment, 'card'), bound(payment, 'cvc')]);
  expect(bindingOf(payment, 'card')).toEqual(bound(payment, 'card'));
});

test('a credential without cvc, holder and brand has no replacement for them', async () => {
  const { paymentMethod, ...other } = createdPayment({ cvc: undefined });
  const { card: _, ...method } = paymentMethod;
  const { sources: given, bindings } = sources({ card });
  expect(await openCredential(given, { ...other, paymentMethod: method })).toEqual({ card });
  expect(bindings).toHaveLength(1);
});

test('a saved cryptogram is sent with the payment that it proves only', async () => {
  const networkToken = { cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=', eci: '05' };
  const saved = { merchantId: 1001, card: {}, expMonth: 12, expYear: 2034, source: 'wallet-a-pay-token' };
  const open = async (more: object) => {
    const { sources: given } = sources({ card: { ...card, networkToken } }, saved);
    const opened = await openCredential(given, createdPayment({ cvc: undefined, instrument: 'tok', ...more }));
    return 'card' in opened ? opened.card.networkToken : 'no card';
  };
  expect(await open({ savedCryptogram: true })).toEqual(networkToken);
  expect(await open({})).toBeUndefined();
});

test('the credential has the metadata of the card', async () => {
  const { sources: given } = sources({ card: { ...card, metadata: { vault: 'v1' } }, cvc: {} });
  expect(await openCredential(given, createdPayment())).toMatchObject({ card: { metadata: { vault: 'v1' } } });
  const { sources: without } = sources({ card: { ...card, metadata: {} }, cvc: {} });
  expect((await openCredential(without, createdPayment())) as object).not.toHaveProperty('card.metadata');
});

test('a network token has the cryptogram of this payment, and its ECI if there is one', async () => {
  const ofCard = { ...card, networkToken: { cryptogram: 'first' } };
  const opened = async (secret: object) =>
    ((await openCredential(sources({ card: ofCard, cvc: secret }).sources, createdPayment())) as { card: object }).card;
  expect(await opened({})).toMatchObject({ networkToken: { cryptogram: 'first' } });
  expect(await opened({ cryptogram: 'own', eci: '05' })).toMatchObject({
    networkToken: { cryptogram: 'own', eci: '05' },
  });
  expect(await opened({ cryptogram: 'own' })).toMatchObject({ networkToken: { cryptogram: 'own' } });
  expect(await opened({ cryptogram: 'own' })).not.toHaveProperty('networkToken.eci');
});

test('the credential names the wallet of a wallet token, and of a card that was saved from a wallet', async () => {
  const secret = { cryptogram: 'own' };
  const { paymentMethod, ...other } = createdPayment();
  const byToken = { ...other, paymentMethod: { ...paymentMethod, source: 'wallet-b-pay-token' as const } };
  expect(await openCredential(sources({ card, cvc: secret }).sources, byToken)).toMatchObject({
    card: { wallet: 'wallet-b-pay', networkToken: secret },
  });
  const saved = { merchantId: 1001, card: {}, source: 'wallet-a-pay-token', expMonth: 12, expYear: 2034 };
  const bySaved = { ...other, instrument: 'tok', paymentMethod: { ...paymentMethod, source: 'token' as const } };
  expect(await openCredential(sources({ card, cvc: {} }, saved).sources, bySaved)).toMatchObject({
    card: { wallet: 'wallet-a-pay' },
  });
});

test('a click-to-pay checkout is opened when there is no card', async () => {
  const clickToPay = { merchantTransactionId: 'm' };
  const { sources: given, bindings } = sources({ card: { clickToPay } });
  expect(await openCredential(given, createdPayment())).toEqual({ clickToPay });
  expect(bindings).toHaveLength(1);
});

test('a saved card is opened by its own binding, with the expiry that is stored now', async () => {
  const payment = createdPayment({ instrument: 'tok_1', customerId: 'cus_1', card: undefined, cvc: undefined });
  const saved = { card: { v: 1 }, merchantId: 7, customerId: 'cus_9', expMonth: 1, expYear: 2039 };
  const { sources: given, bindings } = sources({ card }, saved);
  const opened = await openCredential(given, payment);
  expect(opened).toEqual({
    card: { number: NUMBER, expMonth: 1, expYear: 2039, brand: 'visa' },
    saved: { ...saved, clientId: 'cli_a', token: 'tok_1' },
  });
  expect(bindings).toEqual([
    { recordId: 'tok_1', field: 'card', clientId: 'cli_a', owner: { merchantId: 7, customerId: 'cus_9' } },
  ]);
  expect(await openSealedCard(given, payment)).toMatchObject({ expMonth: 1, expYear: 2039 });
});

test.each([
  ['was deleted', undefined],
  ['has run out', { merchantId: 7, expMonth: 1, expYear: 2020 }],
])('a saved card that %s is not opened', async (_what, saved) => {
  const payment = createdPayment({ instrument: 'tok_1' });
  const { sources: given, bindings } = sources({ card }, saved);
  await expect(openCredential(given, payment)).rejects.toThrow(TokenGoneError);
  await expect(openCredential(given, payment)).rejects.toMatchObject({
    name: 'TokenGoneError',
    paymentId: payment._id,
    message: `the saved card of ${payment._id} is gone`,
  });
  expect(bindings).toEqual([]);
});

test('opening a card that was destroyed fails and says so', async () => {
  const payment = createdPayment({ card: undefined });
  const opened = openCredential(sources({}).sources, payment);
  // Not `envelope-invalid`, which raises the alarm that an envelope was changed.
  const message = `The card of ${payment._id} was destroyed`;
  await expect(opened).rejects.toMatchObject({ name: 'VaultError', code: 'key-unknown', message });
});

describe('the 3D Secure proof of an authorization', () => {
  const proven = {
    required: true,
    reason: 'forced',
    version: '2.2.0',
    transStatus: 'Y',
    eci: '05',
    dsTransactionId: 'ds',
    liabilityShift: true,
  } as const;
  const open = (more: object) =>
    openThreeDsProof(sources({ authenticationValue: 'AAAB' }).sources, createdPayment(more));
  const facts = { version: '2.2.0', transStatus: 'Y', eci: '05', dsTransactionId: 'ds', liabilityShift: true };
  const sealed = { v: 1 };

  test.each(['frictionless', 'authenticated'])('an authentication that is %s gives its proof', async (status) => {
    const threeDs = { ...proven, status };
    expect(await open({ threeDs })).toEqual(facts);
    expect(await open({ threeDs: { ...threeDs, flow: 'challenge' } })).toEqual({ ...facts, flow: 'challenge' });
    expect(await open({ threeDs, authenticationValue: sealed, exemption: 'low-value' })).toEqual({
      ...facts,
      exemption: 'low-value',
      authenticationValue: 'AAAB',
    });
  });

  test.each(['created', 'failed', 'error', undefined])(
    'an authentication that is %s gives no proof, only the claimed exemption',
    async (status) => {
      const threeDs = status && { ...proven, status };
      const sources3ds = { threeDs, authenticationValue: sealed };
      expect(await open(sources3ds)).toBeUndefined();
      expect(await open({ ...sources3ds, exemption: 'low-value' })).toEqual({ exemption: 'low-value' });
    },
  );

  test('the authentication value is opened by its own binding', async () => {
    const payment = createdPayment({
      threeDs: { ...proven, status: 'authenticated' } as never,
      authenticationValue: sealed as never,
    });
    const { sources: given, bindings } = sources({ authenticationValue: 'AAAB' });
    await openThreeDsProof(given, payment);
    expect(bindings).toEqual([bound(payment, 'authenticationValue')]);
  });
});
