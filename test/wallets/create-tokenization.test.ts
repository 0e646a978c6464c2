import { createTokenizationEndpoint } from '../../api/customers/create-tokenization.js';

const NUMBER = '4111111111111111';

async function tokenize({ cardholder = 'Ana', kept = true } = {}) {
  const credential = { kind: 'pan-only', number: NUMBER, expMonth: 12, expYear: 2034, uniqueId: 'u' };
  const deps = {
    config: { fingerprintKey: Buffer.alloc(32, 1) },
    clock: { now: () => new Date('2026-03-04T05:06:07.000Z') },
    nudges: { add: async () => true },
    merchants: { findMerchant: async () => ({ status: 'active' }) },
    methods: { findPaymentMethod: async () => ({ enabled: true }) },
    walletIntegrations: { find: async () => ({ enabled: true, mode: 'both', status: 'active' }) },
    vault: { seal: async () => ({}), open: async () => Buffer.from(JSON.stringify(credential)) },
    walletOpenings: {
      insert: async () => undefined,
      find: async () => ({ status: 'opened', credential: {} }),
      remove: async () => undefined,
    },
    bins: { find: async () => undefined },
    walletUses: { claim: async () => true },
    customers: { find: async () => ({}) },
    // The repository returns `false` if the customer no longer exists.
    instruments: { insert: async () => kept },
  };
  const body = {
    merchantId: 1001,
    customerId: 'cus_1',
    type: 'store',
    paymentMethod: { source: 'wallet-a-pay-token', walletAPayToken: { token: 'x', cardholder: { name: cardholder } } },
  };
  const principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' };
  return createTokenizationEndpoint.handle({ body, principal, traceId: 'trace' } as never, deps as never);
}

test('a token is answered with the bin, the last digits and the name of its card', async () => {
  expect(await tokenize()).toMatchObject({ bin: '41111111', last4: '1111', cardholderName: 'Ana' });
});

test("a cardholder name that contains the number of the wallet's card is refused", async () => {
  await expect(tokenize({ cardholder: '4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1' })).rejects.toMatchObject({
    params: { 'paymentMethod.walletAPayToken.cardholder.name': ['must not contain the card number of the request'] },
  });
});

test('no token is answered if its customer was deleted meanwhile', async () => {
  await expect(tokenize({ kept: false })).rejects.toMatchObject({
    code: 'request-validation-errors',
    params: { customerId: ['is not a known customer'] },
  });
});
