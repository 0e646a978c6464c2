/** The requests that arrive at Adyen, as they are on the wire. */
import { defined } from '../../../shared/domain/defined.js';
import type { AuthorizeRequest } from '../../../shared/processors/processor.js';
import { account } from '../../support/adyen/server.js';
import { cardOf } from '../sandbox/sandbox-harness.js';
import { CARD, inquireAgain, onto, openAdyenHarness, pay, takeBack } from './adyen-harness.js';

let harness: Awaited<ReturnType<typeof openAdyenHarness>>;
beforeAll(async () => {
  harness = await openAdyenHarness();
});
afterAll(() => harness?.close());

async function sent(request: AuthorizeRequest) {
  await harness.processor.authorize(request);
  return harness.server.last('/payments');
}

describe('payments', () => {
  test('a payment carries our key as reference and idempotency key, the credentials, the card and the amount', async () => {
    const request = pay();
    const { headers, body } = await sent(request);
    expect(headers).toMatchObject({ 'x-api-key': account.apiKey, 'idempotency-key': request.key });
    expect(body).toEqual({
      amount: { currency: 'USD', value: 1_000 },
      merchantAccount: account.merchantAccount,
      reference: request.key,
      returnUrl: 'https://redirect.invalid/',
      paymentMethod: { type: 'scheme', number: CARD, expiryMonth: '12', expiryYear: '2040', cvc: '7391' },
      authenticationData: { attemptAuthentication: 'never' },
      captureDelayHours: 0,
      shopperInteraction: 'Ecommerce',
      merchantOrderReference: 'order-1',
    });
  });

  test('a payment without capture asks for manual capture', async () => {
    const { body } = await sent(pay({ capture: false }));
    expect(body.additionalData).toEqual({ manualCapture: 'true' });
    expect(body.captureDelayHours).toBeUndefined();
  });

  test.each([
    ['CLP', 1_000, 100_000],
    ['ISK', 1_000, 100_000],
    ['CVE', 123_400, 1_234],
    ['IDR', 123_400, 1_234],
    ['USD', 1_234, 1_234],
    ['JPY', 1_234, 1_234],
    ['KWD', 1_234, 1_234],
    ['UYU', 1_234, 1_234],
  ])('an amount in %s of %i is sent as %i', async (currency, amountMinor, value) => {
    const request = pay({ currency, amountMinor });
    const answer = await harness.processor.authorize(request);
    expect(harness.server.last('/payments').body.amount).toEqual({ currency, value });
    expect(answer).toMatchObject({ kind: 'approved', about: { amountMinor, currency } });
  });

  test('a network token is sent with its cryptogram', async () => {
    const networkToken = { cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=', eci: '07' };
    const { number, expMonth, expYear } = cardOf(CARD);
    const card = { number, expMonth, expYear, networkToken };
    const { body } = await sent(pay({ credential: { source: 'network-token', card } }));
    expect(body.paymentMethod).toEqual({ type: 'networkToken', number, expiryMonth: '12', expiryYear: '2040' });
    expect(body.mpiData).toEqual({ tokenAuthenticationVerificationValue: networkToken.cryptogram, eci: '07' });
  });

  test.each([
    [
      'wallet-a-pay',
      '05',
      'googlepay',
      '05',
      { 'paymentdatasource.type': 'googlepay', 'paymentdatasource.tokenized': 'true' },
    ],
    ['wallet-b-pay', undefined, 'applepay', '07', { 'paymentdatasource.type': 'applepay' }],
  ] as const)(
    'a cryptogram of %s is sent as the proof of the device, with the name of the wallet',
    async (wallet, given, brand, eci, source) => {
      const cryptogram = 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=';
      const { number, expMonth, expYear } = cardOf(CARD);
      const networkToken = { cryptogram, ...defined({ eci: given }) };
      const card = { number, expMonth, expYear, wallet, networkToken };
      const { body } = await sent(pay({ credential: { source: `${wallet}-token`, card } }));
      expect(body.paymentMethod).toEqual({ type: 'scheme', brand, number, expiryMonth: '12', expiryYear: '2040' });
      expect(body.mpiData).toEqual({ cavv: cryptogram, eci, directoryResponse: 'Y', authenticationResponse: 'Y' });
      expect(body.additionalData).toEqual(source);
    },
  );

  test('a PAN-only credential names its wallet and is proven like a card', async () => {
    const card = { ...cardOf(CARD), wallet: 'wallet-a-pay' } as const;
    const proof = { version: '2.2.0', transStatus: 'Y', dsTransactionId: 'ds-1', flow: 'frictionless' } as const;
    const { body } = await sent(pay({ credential: { source: 'wallet-a-pay-token', card }, proof }));
    expect(body.paymentMethod).toMatchObject({ type: 'scheme', brand: 'googlepay', number: CARD });
    expect(body.additionalData).toEqual({
      'paymentdatasource.type': 'googlepay',
      'paymentdatasource.tokenized': 'false',
    });
    expect(body.mpiData).toEqual({ threeDSVersion: '2.2.0', dsTransID: 'ds-1', directoryResponse: 'Y' });
  });

  test('a stored PAN-only credential is sent like a card, without its wallet', async () => {
    const card = { ...cardOf(CARD), wallet: 'wallet-a-pay' } as const;
    const stored = { initiator: 'merchant', use: 'subsequent', reason: 'recurring' } as const;
    const { body } = await sent(pay({ credential: { source: 'token', card, stored } }));
    expect(body.paymentMethod).not.toHaveProperty('brand');
    expect(body.additionalData).toBeUndefined();
  });

  test('a 3D Secure proof is sent with all its values and the exemption', async () => {
    const proof = {
      version: '2.2.0',
      transStatus: 'Y',
      eci: '05',
      dsTransactionId: 'c4e59ceb-a382-4d6a-bc87-385d591fa09d',
      authenticationValue: 'AAABAQAAAAAAAAAAAAAAAAAAAAA=',
      exemption: 'transaction-risk-analysis',
    } as const;
    const { body } = await sent(pay({ proof }));
    expect(body.mpiData).toEqual({
      cavv: proof.authenticationValue,
      eci: '05',
      dsTransID: proof.dsTransactionId,
      threeDSVersion: '2.2.0',
      directoryResponse: 'Y',
      authenticationResponse: 'Y',
    });
    expect(body.additionalData).toEqual({ scaExemption: 'transactionRiskAnalysis' });
  });

  test.each([
    ['frictionless', 'Y', { directoryResponse: 'Y' }],
    ['frictionless', 'A', { directoryResponse: 'A' }],
    ['challenge', 'Y', { directoryResponse: 'C', authenticationResponse: 'Y' }],
    ['challenge', undefined, { directoryResponse: 'C' }],
    [undefined, 'A', { directoryResponse: 'A', authenticationResponse: 'A' }],
    [undefined, 'R', { directoryResponse: 'R' }],
  ] as const)(
    'the flow %s with the status %s becomes the statuses of the directory server and the ACS',
    async (flow, transStatus, statuses) => {
      const proof = { version: '2.2.0', dsTransactionId: 'ds-1', ...defined({ flow, transStatus }) };
      const { body } = await sent(pay({ proof }));
      expect(body.mpiData).toEqual({ threeDSVersion: '2.2.0', dsTransID: 'ds-1', ...statuses });
    },
  );

  test.each([
    ['visa', '05', { directoryResponse: 'Y', authenticationResponse: 'Y' }],
    ['visa', '06', { directoryResponse: 'A', authenticationResponse: 'A' }],
    ['visa', '07', {}],
    ['mastercard', '02', { directoryResponse: 'Y', authenticationResponse: 'Y' }],
    ['mastercard', '01', { directoryResponse: 'A', authenticationResponse: 'A' }],
    ['mastercard', '07', { directoryResponse: 'Y', authenticationResponse: 'Y' }],
    ['mastercard', '06', {}],
  ] as const)('a merchant’s own proof for %s with ECI %s has the status for which the ECI stands', async (...of) => {
    const [brand, eci, statuses] = of;
    const card = { ...cardOf(CARD), brand };
    const proof = {
      version: '2.2.0',
      dsTransactionId: 'ds-1',
      authenticationValue: 'AAABAQAAAAAAAAAAAAAAAAAAAAA=',
      eci,
    };
    const { body } = await sent(pay({ credential: { source: 'card', card }, proof }));
    const { version: threeDSVersion, dsTransactionId: dsTransID, authenticationValue: cavv } = proof;
    expect(body.mpiData).toEqual({ threeDSVersion, dsTransID, cavv, eci, ...statuses });
  });

  test.each([
    ['payer', 'first', 'unscheduled', 'Ecommerce', 'CardOnFile'],
    ['payer', 'subsequent', 'unscheduled', 'ContAuth', 'CardOnFile'],
    ['payer', 'first', 'recurring', 'Ecommerce', 'Subscription'],
    ['merchant', 'subsequent', 'recurring', 'ContAuth', 'Subscription'],
    ['merchant', 'subsequent', 'installment', 'ContAuth', 'Subscription'],
    ['merchant', 'subsequent', 'unscheduled', 'ContAuth', 'UnscheduledCardOnFile'],
  ] as const)(
    'the use of a stored card is declared: by the %s, %s, %s',
    async (initiator, use, reason, interaction, model) => {
      const stored = { initiator, use, reason, networkTransactionId: '016153570198200', networkLinkId: 'TLID0001' };
      const credential = { source: 'token', card: cardOf(CARD), stored } as const;
      const { body } = await sent(pay({ credential, payer: { customerId: 'cus_1' } }));
      expect(body).toMatchObject({
        shopperInteraction: interaction,
        recurringProcessingModel: model,
        shopperReference: 'cus_1',
      });
      const chain = { networkTxReference: '016153570198200', transactionLinkId: 'TLID0001' };
      expect(body.additionalData).toEqual(use === 'first' ? undefined : chain);
    },
  );

  test('a name is cut to the length that Adyen accepts', async () => {
    const { body } = await sent(pay({ payer: { firstName: 'A'.repeat(81), lastName: 'B'.repeat(100) } }));
    expect(body.shopperName).toEqual({ firstName: 'A'.repeat(80), lastName: 'B'.repeat(80) });
  });

  test('the details of the payer are sent, as far as Adyen uses them', async () => {
    const address = { line1: 'Rambla 1234', city: 'Montevideo', postalCode: '11300', country: 'UY', state: 'MO' };
    const { body } = await sent(
      pay({
        payer: {
          firstName: 'Ana',
          lastName: 'Paz',
          email: 'ana@example.com',
          phone: '+598 (99) 123-456',
          birthdate: new Date('1990-02-28T00:00:00Z'),
          address,
          shipping: { address: { line1: '1 Main St', postalCode: '10001' } },
          browser: { ipAddress: '192.0.2.7', deviceFingerprint: 'dfp-1', userAgent: 'Mozilla' },
        },
      }),
    );
    // The published schema has one format for the date, and its description another one.
    expect(body).not.toHaveProperty('dateOfBirth');
    expect(body).toMatchObject({
      shopperName: { firstName: 'Ana', lastName: 'Paz' },
      shopperEmail: 'ana@example.com',
      shopperIP: '192.0.2.7',
      telephoneNumber: '+59899123456',
      deviceFingerprint: 'dfp-1',
      billingAddress: {
        street: 'Rambla',
        houseNumberOrName: '1234',
        city: 'Montevideo',
        postalCode: '11300',
        country: 'UY',
        stateOrProvince: 'MO',
      },
      deliveryAddress: { street: 'Main St', houseNumberOrName: '1', city: 'N/A', postalCode: '10001', country: 'ZZ' },
    });
  });

  test('incomplete details of the payer are left out', async () => {
    const payer = { firstName: 'Ana', phone: '099 123 456', address: { line1: 'Rambla 1234', city: 'Montevideo' } };
    const { body } = await sent(pay({ payer }));
    for (const name of ['shopperName', 'telephoneNumber', 'billingAddress'] as const)
      expect(body[name]).toBeUndefined();
  });

  test.each([
    [
      'a ZIP+4',
      { country: 'US', state: 'ca', postalCode: '94103-1234' },
      { stateOrProvince: 'CA', postalCode: '94103' },
    ],
    ['a state without its code', { country: 'US', state: 'California', postalCode: '94103' }, undefined],
    ['no province', { country: 'CA', postalCode: 'M5V 2T6' }, undefined],
    ['no state where none is asked for', { country: 'UY', postalCode: '11300' }, { postalCode: '11300' }],
    ['a postal code that is too long', { country: 'UY', postalCode: '11300 and more' }, undefined],
  ])('an address is sent only in a form that Adyen accepts: %s', async (_what, address, arrives) => {
    const { body } = await sent(pay({ payer: { address: { line1: 'Main St 1', ...address } } }));
    if (arrives) expect(body.billingAddress).toMatchObject(arrives);
    else expect(body).not.toHaveProperty('billingAddress');
  });

  test('the order is sent with its items, fields and descriptor', async () => {
    const items = [
      { referenceId: 'SKU-1', name: 'Lamp', quantity: 2, price: '10.50', tax: { amount: '1.89', currency: 'USD' } },
      { name: 'Bulb', quantity: 1, price: '3' },
    ];
    const order = {
      referenceId: 'order-7',
      invoiceNumber: 'INV-7',
      statementDescriptor: 'CASA LUMBRE* Montevideo Uruguay',
      items,
      fields: { loyalty: 'gold' },
    };
    const { body } = await sent(pay({ order }));
    expect(body).toMatchObject({
      shopperStatement: 'CASA LUMBRE* Montevide',
      merchantOrderReference: 'order-7',
      metadata: { loyalty: 'gold' },
      lineItems: [
        { id: 'SKU-1', description: 'Lamp', quantity: 2, amountIncludingTax: 1_050, taxAmount: 189 },
        { description: 'Bulb', quantity: 1, amountIncludingTax: 300 },
      ],
    });
  });

  test('a descriptor loses the characters that Adyen does not take', async () => {
    const order = { referenceId: 'o', invoiceNumber: 'i', statementDescriptor: 'Café «Ana»#1' };
    expect((await sent(pay({ order }))).body.shopperStatement).toBe('Cafe  Ana  1');
  });

  test('the sub-merchant, the installments and the surcharge are sent', async () => {
    const facilitator = {
      id: 'PF1',
      subMerchant: { id: 'SUB1', name: 'A name of more than 22 characters', merchantCategoryCode: '5812' },
    };
    const { body } = await sent(
      pay({
        merchant: { ...pay().merchant, merchantCategoryCode: '5999', facilitator },
        money: { installments: 3, installmentPlan: 'regular', surcharge: { amountMinor: 25 } },
      }),
    );
    expect(body).toMatchObject({
      mcc: '5999',
      subMerchants: [
        { id: 'SUB1', name: 'A name of more than 22', mcc: '5812', amount: { value: 1_000, currency: 'USD' } },
      ],
      installments: { value: 3, plan: 'regular' },
      surcharge: { value: 25 },
    });
  });

  test('a surcharge is sent in the same unit as the amount', async () => {
    const { body } = await sent(
      pay({ currency: 'CLP', amountMinor: 1_000, money: { surcharge: { amountMinor: 25 } } }),
    );
    expect(body).toMatchObject({ amount: { currency: 'CLP', value: 100_000 }, surcharge: { value: 2_500 } });
  });
});

describe('payments that are refused before they are sent', () => {
  const fields = (count: number, value = 'x') =>
    Object.fromEntries(Array.from({ length: count }, (_none, index) => [`field${index}`, value]));
  const order = { referenceId: 'o', invoiceNumber: 'i' };
  const under = (id: string) => ({
    ...pay().merchant,
    facilitator: { id: 'PF1', subMerchant: { id, name: 'Shop' } },
  });
  const clickToPay = { correlationId: 'c', merchantTransactionId: 'm', scheme: 'visa' };

  test.each<[string, Partial<AuthorizeRequest>]>([
    ['click to pay', { credential: { source: 'click-to-pay-token', clickToPay } }],
    ['a sub-merchant id that is too long', { merchant: under('1234567890123456') }],
    ['the benefit of a law', { money: { taxes: [{ law: '19210' }] } }],
    ['a plan that Adyen does not have', { money: { installments: 3, installmentPlan: 'AB12' } }],
    ['an exemption without a word at Adyen', { proof: { exemption: 'delegated-authentication' } }],
    ['a status of 3D Secure that is none', { proof: { transStatus: 'X' } }],
    ['decimals of a currency that has none there', { currency: 'IDR', amountMinor: 123_450 }],
    ['too many fields', { order: { ...order, fields: fields(21) } }],
    ['a field that is too long', { order: { ...order, fields: fields(1, 'x'.repeat(81)) } }],
  ])('%s', async (_what, more) => {
    const before = harness.server.requests.length;
    expect(await harness.processor.authorize(pay(more))).toMatchObject({
      kind: 'failed',
      resultCode: '40',
      resultMessage: expect.stringMatching(/^Not sent: Adyen does not take /),
    });
    expect(harness.server.requests).toHaveLength(before);
  });

  test('nothing is sent for a merchant without credentials', async () => {
    const before = harness.server.requests.length;
    const request = pay({ merchant: { id: 1, name: 'Shop' } });
    const expected = { kind: 'not-sent', internal: 'the merchant has no credentials at Adyen' };
    expect(await harness.processor.authorize(request)).toEqual(expected);
    expect(await harness.processor.capture(onto(request, 'X', { merchant: request.merchant }))).toEqual(expected);
    expect(await harness.processor.reverse({ ...takeBack(request), merchant: request.merchant })).toMatchObject({
      kind: 'no-answer',
    });
    expect(harness.server.requests).toHaveLength(before);
  });
});

describe('modifications', () => {
  test.each([
    ['capture', 'captures', { amount: { value: 400, currency: 'USD' } }],
    ['refund', 'refunds', { amount: { value: 400, currency: 'USD' }, merchantRefundReason: 'DUPLICATE' }],
    ['cancel', 'cancels', {}],
  ] as const)(
    'a %s is sent with its own key and reference, for the PSP reference of the payment',
    async (operation, path, more) => {
      const { request, reference } = await harness.approved(pay({ capture: operation === 'refund' }));
      const follow = onto(request, reference, { amountMinor: 400, reason: 'duplicate-transaction' });
      const answer = await harness.processor[operation](follow);
      expect(answer).toMatchObject({ kind: 'pending', processorReference: expect.stringMatching(/^\w{16}$/) });
      const { headers, body } = harness.server.last(`/payments/${reference}/${path}`);
      expect(headers).toMatchObject({ 'x-api-key': account.apiKey, 'idempotency-key': follow.key });
      expect(body).toEqual({
        merchantAccount: account.merchantAccount,
        reference: `${follow.key}-${operation}`,
        ...more,
      });
    },
  );

  test('the amount of a capture is sent in the unit of Adyen', async () => {
    const { request, reference } = await harness.approved(pay({ capture: false, currency: 'CLP' }));
    const follow = onto(request, reference, { currency: 'CLP', amountMinor: 400 });
    expect(await harness.processor.capture(follow)).toMatchObject({ kind: 'pending', about: { amountMinor: 400 } });
    expect(harness.server.last('/captures').body.amount).toEqual({ currency: 'CLP', value: 40_000 });
  });

  test('a reversal names the PSP reference or our own, each under its own idempotency key', async () => {
    const { request, reference } = await harness.approved();
    await harness.processor.reverse(takeBack(request));
    const first = harness.server.last('/cancels');
    expect(first.body).toEqual({
      merchantAccount: account.merchantAccount,
      paymentReference: request.key,
      reference: `${request.key}-reverse`,
    });
    await harness.processor.reverse(takeBack(request, reference));
    const second = harness.server.last(`/payments/${reference}/reversals`);
    expect(second.body).toEqual({ merchantAccount: account.merchantAccount, reference: `${request.key}-reverse` });
    expect(first.headers['idempotency-key']).not.toBe(second.headers['idempotency-key']);
    for (const { headers } of [first, second]) expect(headers['idempotency-key']?.length).toBeLessThanOrEqual(64);
  });
});

test('an inquiry repeats the payment under the same idempotency key', async () => {
  const request = pay();
  const first = await harness.processor.authorize(request);
  const before = harness.server.last('/payments');
  expect(await harness.processor.inquire(inquireAgain(request))).toEqual({ kind: 'found', outcome: first });
  const { headers, body } = harness.server.last('/payments');
  expect(body).toEqual(before.body);
  expect(headers['idempotency-key']).toBe(request.key);
  expect(harness.server.bank.payments.filter((known) => known.request.reference === request.key)).toHaveLength(1);
});
