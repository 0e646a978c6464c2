import { prepareAuthentication } from '../../api/payments/prepare-authentication.js';

type Arguments = Parameters<typeof prepareAuthentication>;

function ownProof(brand: string, eci: string, recurring?: Arguments[0]['recurring']) {
  const amount = { totalMinor: 1_000, currency: 'USD' };
  const draft = { amount, purpose: 'payment', ...(recurring && { recurring }) } as Arguments[0];
  const external = { version: '2.2.0', eci, dsTransactionId: 'ds-1' };
  const source = { source: 'card', brand, view: undefined, external, sealed: {}, withSecret: false } as Arguments[2];
  return prepareAuthentication(draft, 'api', source, { threeDs: undefined } as unknown as Arguments[3]).threeDs;
}

test.each([
  ['visa', '05', undefined, true],
  ['visa', '07', { type: 'initial' }, false],
  ['mastercard', '02', undefined, true],
  ['mastercard', '07', { type: 'initial' }, true],
  // Nothing says that the payer took part.
  ['mastercard', '07', undefined, false],
  ['mastercard', '07', { type: 'subsequent' }, false],
] as const)('a proof of the merchant’s own for %s with ECI %s, recurring %j, shifts liability: %s', (...of) => {
  const [brand, eci, recurring, shifts] = of;
  expect(ownProof(brand, eci, recurring)).toMatchObject({
    reason: 'external-authentication',
    status: 'authenticated',
    eci,
    liabilityShift: shifts,
  });
});

test.each([
  ['the same card', {}, true],
  ['a card with another expiry', { expirationYear: 2035 }, false],
  ['another card', { last4: '0002' }, false],
])('a payer who tries again with %s is authenticated by request of the issuer: %s', (_which, other, asked) => {
  const view = { last4: '1111', bin: '41111111', expirationMonth: 12, expirationYear: 2034 };
  const draft = {
    amount: { totalMinor: 1_000, currency: 'USD' },
    purpose: 'payment',
    browserDetails: { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0' },
    cardToAuthenticate: { brand: 'visa', ...view },
  } as Arguments[0];
  const source = { source: 'card', brand: 'visa', view: { ...view, ...other }, sealed: {}, withSecret: true };
  const rules = { enabled: true, tier: 'basic', thresholds: { api: {}, checkout: { USD: 5_000 } } };
  const method = { threeDs: { provider: 'sandbox', metadata: [], enabled: true, rules } };
  const { threeDsFacts } = prepareAuthentication(draft, 'hosted', source as Arguments[2], method as never);
  expect(threeDsFacts?.issuerRequired ?? false).toBe(asked);
});
