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
