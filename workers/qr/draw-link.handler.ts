/** Draws the pictures of payment links that were made, or whose address is another one now. */
import { limits } from '../../config/limits.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { drawLink } from '../../shared/flows/draw-link.js';
import type { PoolDeps } from '../pool.js';

export type DrawDeps = Pick<PoolDeps, 'links' | 'clock' | 'log'>;

async function draw(deps: DrawDeps, link: PaymentLink | undefined): Promise<void> {
  if (!link?.picture?.drawAt) return;
  try {
    await drawLink(deps, link, link.picture.address);
  } catch (error) {
    // The sweep tries it again; a request for the picture meanwhile makes the API draw it.
    deps.log.error('payment-link.not-drawn', { linkId: link._id, error });
  }
}

/** A nudge: this link has no picture yet. Drawing moves nothing, so there is no claim: it is idempotent. */
export async function handleDraw(deps: DrawDeps, linkId: string): Promise<void> {
  await draw(deps, await deps.links.findById(linkId));
}

/** What no nudge reached; returns how many links were looked at. */
export async function drawForgotten(deps: DrawDeps): Promise<number> {
  const due = await deps.links.findToDraw(deps.clock.now(), limits.sweepPageMax);
  await Promise.all(due.map((link) => draw(deps, link)));
  return due.length;
}
