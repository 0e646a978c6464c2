import { disablePaymentLinkEndpoint } from '../../api/payment-links/disable-payment-link.js';
import type { LinkStatus, PaymentLink } from '../../shared/domain/payment-link/payment-link.js';

const LINK_ID = '6f1d0c52-7c1e-4a53-9d38-3a1f6a1f0b11';

type Handle = typeof disablePaymentLinkEndpoint.handle;
type Deps = Parameters<Handle>[1];

/** Builds deps with a link that another call moves to `then` between the read of this call and its write. */
function movedBy(then: LinkStatus) {
  const seen = { _id: LINK_ID, clientId: 'cli_1', merchantId: 1001, type: 'regular', status: 'active' };
  const looks = [seen, { ...seen, status: then }] as PaymentLink[];
  const links = { findById: async () => looks.shift(), lookAgain: async () => undefined, move: async () => undefined };
  return { links, clock: { now: () => new Date() } } as unknown as Deps;
}

const disable = (deps: Deps) => {
  const principal = { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' } as const;
  const context = { params: { linkId: LINK_ID }, principal };
  return disablePaymentLinkEndpoint.handle(context as Parameters<Handle>[0], deps);
};

test.each([
  ['disabled', 'payment-link-not-found'],
  ['completed', 'conflict'],
] as const)('DELETE of a link that another call makes %s at the same moment fails with %s', async (status, code) => {
  await expect(disable(movedBy(status))).rejects.toMatchObject({ code });
});
