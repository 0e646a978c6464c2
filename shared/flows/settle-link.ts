/**
 * Brings a link to where time and its payments left it. A one-time link is claimed by its payment: the payment takes the key
 * of the claim in the unique index of references, so that two payers at once have one winner, and the claim is let go by the
 * end of that payment only, never by time (docs/reliability.md).
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import {
  type LinkAvailability,
  linkAvailabilityAt,
  linkClaimKey,
  type PaymentLink,
} from '../domain/payment-link/payment-link.js';
import { tryState } from '../domain/session/rules.js';
import { after } from '../domain/time.js';
import type { PaymentRepository } from '../store/payment.repository.js';
import type { PaymentLinkRepository } from '../store/payment-link.repository.js';

export interface SettleLinkDeps {
  readonly links: Pick<PaymentLinkRepository, 'move' | 'expire' | 'lookAgain'>;
  readonly payments: Pick<PaymentRepository, 'findByRefKey'>;
}

/** The payment that has the claim of a one-time link. */
export async function claimHolder(
  { payments }: Pick<SettleLinkDeps, 'payments'>,
  link: PaymentLink,
): Promise<Payment | undefined> {
  return link.type === 'one-time' ? payments.findByRefKey(link.clientId, linkClaimKey(link)) : undefined;
}

/** @returns the link as it is then. */
export async function settleLink(deps: SettleLinkDeps, link: PaymentLink, now: Date): Promise<PaymentLink> {
  const state = tryState(await claimHolder(deps, link));
  if (state === 'succeeded') return (await deps.links.move(link._id, ['active', 'expired'], 'completed', now)) ?? link;
  if (state === 'in-flight') {
    await deps.links.lookAgain(link, after(now, limits.linkCheckMs));
    return link;
  }
  // A payer may be about to pay: the look that was planned then stays.
  if (state === 'absent' && link.checkAt !== undefined && link.checkAt > now) return link;
  if (link.status === 'active' && link.validUntil !== undefined && link.validUntil <= now) {
    return (await deps.links.expire(link, now)) ?? link;
  }
  await deps.links.lookAgain(link, link.status === 'active' ? link.validUntil : undefined);
  return link;
}

/**
 * What a payer finds at the link: `paying` while another payer's payment may be the only one, `ending` where that one is all that can
 * still come of a link that was closed or ran out.
 */
export type AvailabilityToPayer = LinkAvailability | 'paying' | 'ending';

/** By the link and by the payment that has its claim. One that was paid before it was closed or ran out is paid. */
export async function availabilityOf(
  deps: Pick<SettleLinkDeps, 'payments'>,
  link: PaymentLink,
  now: Date,
): Promise<AvailabilityToPayer> {
  const availability = linkAvailabilityAt(link, now);
  if (availability === 'early' || availability === 'completed') return availability;
  const state = tryState(await claimHolder(deps, link));
  if (state === 'succeeded') return 'completed';
  if (state !== 'in-flight') return availability;
  return availability === 'open' ? 'paying' : 'ending';
}
