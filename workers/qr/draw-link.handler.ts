/** Draws the pictures of payment links that are new, or whose address has changed. */
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { drawLink } from '../../shared/flows/draw-link.js';
import type { PoolDeps } from '../pool.js';
import { workPage } from '../sweep-parts.js';

export type DrawDeps = Pick<PoolDeps, 'links' | 'clock' | 'log'>;

async function draw(deps: DrawDeps, link: PaymentLink | undefined): Promise<boolean> {
  if (!link?.picture?.drawAt) return true;
  try {
    await drawLink(deps, link, link.picture.address);
    return true;
  } catch (error) {
    // The sweep tries again; until then a request for the picture makes the API draw it.
    deps.log.error('payment-link.not-drawn', { linkId: link._id, error });
    return false;
  }
}

/** Handles a nudge for a link that has no picture yet. There is no claim: drawing is idempotent. */
export async function handleDraw(deps: DrawDeps, linkId: string): Promise<void> {
  await draw(deps, await deps.links.findById(linkId));
}

/** Draws one page of the pictures that no nudge started; returns how many links were checked. */
export async function drawForgotten(deps: DrawDeps): Promise<number> {
  const now = deps.clock.now();
  return workPage(
    (limit, skip) => deps.links.findToDraw(now, limit, skip),
    (link) => draw(deps, link),
  );
}
