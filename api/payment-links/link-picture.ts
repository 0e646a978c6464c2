/** The picture of a link: drawn by the `qr` pool when the link is made, and served as it is stored. */
import { limits } from '../../config/limits.js';
import { pause } from '../../shared/clock.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { drawLink } from '../../shared/flows/draw-link.js';
import { drawLinkPicture } from '../../shared/queue/draw-link.job.js';
import type { ApiDeps } from '../deps.js';
import { shareUrlOf } from './present-payment-link.js';

type PictureDeps = Pick<ApiDeps, 'links' | 'nudges' | 'clock' | 'config'>;

/** No caller waits for it: the sweep of the pool finds what the nudge does not reach. */
export function nudgeAtPicture({ nudges }: Pick<ApiDeps, 'nudges'>, { _id: linkId, traceId }: PaymentLink): void {
  void nudges.add(drawLinkPicture, { linkId, traceId });
}

/** As it is stored for this address: one that was drawn for another address is of no use. */
const storedFor = (link: PaymentLink | undefined, address: string): string | undefined =>
  link?.picture?.address === address ? link.picture.svg : undefined;

/**
 * A link that was made before there were stored pictures, or under another address, is handed to the pool now. When the pool has
 * not drawn it shortly, it is drawn here: a poster or a page that shows the picture never goes without (ARCHITECTURE.md, decision 38).
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
