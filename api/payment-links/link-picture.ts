/** The picture of a link: the `qr` pool draws it when the link is created, and it is served from the database. */
import { limits } from '../../config/limits.js';
import { pause } from '../../shared/clock.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { drawLink } from '../../shared/flows/draw-link.js';
import { drawLinkPicture } from '../../shared/queue/draw-link.job.js';
import type { ApiDeps } from '../deps.js';
import { shareUrlOf } from './present-payment-link.js';

type PictureDeps = Pick<ApiDeps, 'links' | 'nudges' | 'clock' | 'config'>;

/** Nudges the pool to draw the picture. No caller waits: if the nudge is lost, the sweep of the pool finds the work. */
export function nudgeAtPicture({ nudges }: Pick<ApiDeps, 'nudges'>, { _id: linkId, traceId }: PaymentLink): void {
  void nudges.add(drawLinkPicture, { linkId, traceId });
}

/** Returns the picture that is stored for this address. A picture for another address cannot be used. */
const storedFor = (link: PaymentLink | undefined, address: string): string | undefined =>
  link?.picture?.address === address ? link.picture.svg : undefined;

/**
 * Returns the picture of a link. When the link is older than stored pictures, or its picture is for another address, the pool gets
 * the work now. When the pool has not drawn it after a short wait, it is drawn here, so that a poster or a page never lacks its
 * picture (ARCHITECTURE.md, decision 38).
 */
export async function linkPicture(deps: PictureDeps, link: PaymentLink): Promise<string> {
  const address = shareUrlOf(deps.config, link.externalId);
  const stored = storedFor(link, address);
  if (stored !== undefined) return stored;
  if (link.picture?.address !== address) await deps.links.wantPicture(link._id, address, deps.clock.now());
  nudgeAtPicture(deps, link);
  for (let waitedMs = 0; waitedMs < limits.linkPictureWaitMs; waitedMs += limits.linkPicturePollMs) {
    await pause(limits.linkPicturePollMs);
    const drawn = storedFor(await deps.links.findById(link._id), address);
    if (drawn !== undefined) return drawn;
  }
  return drawLink(deps, link, address);
}
