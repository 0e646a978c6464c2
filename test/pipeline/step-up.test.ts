/** Soft declines at the hosted checkout: the issuer wants an authentication that the merchant's thresholds do not ask for. */
import { paymentIdOfTry } from '../../shared/ids.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { switchOnThreeDs } from '../support/payer.js';
import { caller, cardInput, checkoutBody, makeSession, newReference, openSession } from './session-support.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'step_up' });
  const basic = { amount: { api: { USD: 10_000 }, checkout: { USD: 10_000 } } };
  await switchOnThreeDs(gateway, 'visa', { enabled: true, tier: 'basic', basic });
});
afterAll(() => gateway?.close());

const CARD = '4242424242424242';
const OTHER_CARD = '4111111111111111';

/** Makes a checkout whose amount the test issuer declines softly, whatever the card. */
async function softDeclinedCheckout(checkout: object = {}) {
  const amount = { total: 9000.65, currency: 'USD' };
  const paymentRequest = { referenceId: newReference('order'), invoiceNumber: 'INV-1', amount };
  const made = await makeSession(gateway, { ...checkoutBody({ paymentRequest }), settings: { checkout } });
  const tryWith = async (attempt: number, number: string) => {
    const opened = await openSession(gateway, made);
    const tried = gateway.flows.hostedSessions.pay(opened, cardInput(attempt, number), caller);
    await expect(tried).rejects.toMatchObject({ code: 'authentication-required', status: 422 });
    return gateway.payments.findById(paymentIdOfTry(made.id, attempt));
  };
  return { tryWith };
}

test('a card that its issuer declines for lack of an authentication is authenticated in the next try', async () => {
  const { tryWith } = await softDeclinedCheckout();
  expect((await tryWith(1, CARD))?.threeDs).toEqual({ required: false, reason: 'amount-below-threshold' });
  const second = await tryWith(2, CARD);
  expect(second?.threeDs).toMatchObject({
    required: true,
    reason: 'issuer-required',
    status: 'frictionless',
    eci: '06',
  });
  const key = second?.transactions[0]?.id;
  expect((await gateway.ledger()).filter((entry) => entry.key === key)).toMatchObject([{ eci: '06' }]);
  expect((await tryWith(3, OTHER_CARD))?.threeDs).toEqual({ required: false, reason: 'amount-below-threshold' });
});

test('a session without 3D Secure stays without it', async () => {
  const { tryWith } = await softDeclinedCheckout({ disableThreeds: true });
  for (const attempt of [1, 2]) {
    expect((await tryWith(attempt, CARD))?.threeDs).toEqual({ required: false, reason: 'disabled-for-session' });
  }
});
