/** Settles payment links that have expired, or whose only payment has to be checked, as the API does. */
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { type SettleLinkDeps, settleLink } from '../../shared/flows/settle-link.js';
import type { PoolDeps } from '../pool.js';
import { workPage } from '../sweep-parts.js';

export type LinkSweepDeps = SettleLinkDeps & Pick<PoolDeps, 'links' | 'clock' | 'log'>;

async function settle(deps: LinkSweepDeps, link: PaymentLink): Promise<boolean> {
  try {
    const after = await settleLink(deps, link, deps.clock.now());
    if (after.status !== link.status) {
      deps.log.info('payment-link.settled', { linkId: link._id, kind: after.status, traceId: link.traceId });
    }
    return true;
  } catch (error) {
    // A link that cannot be settled must not hold up the others: the next sweep tries it again.
    deps.log.error('payment-link.not-settled', { linkId: link._id, error });
    return false;
  }
}

/** Settles one page of due links; returns how many were checked. */
export async function settleLinks(deps: LinkSweepDeps): Promise<number> {
  const now = deps.clock.now();
  return workPage(
    (limit, skip) => deps.links.findToCheck(now, limit, skip),
    (link) => settle(deps, link),
  );
}
