/**
 * Updates the status of a link from the clock and from its payments. A one-time link is claimed by its payment: the payment takes the
 * key of the claim in the unique index of references, so that of two payers at once only one wins. Only the end of that payment
 * releases the claim, never the clock (docs/reliability.md).
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

/** Finds the payment that holds the claim of a one-time link. */
export async function claimHolder(
  { payments }: Pick<SettleLinkDeps, 'payments'>,
  link: PaymentLink,
): Promise<Payment | undefined> {
  return link.type === 'one-time' ? payments.findByRefKey(link.clientId, linkClaimKey(link)) : undefined;
}

/** Stores the current status of a link, or when the sweep looks again. @returns the link as stored now. */
export async function settleLink(deps: SettleLinkDeps, link: PaymentLink, now: Date): Promise<PaymentLink> {
  const state = tryState(await claimHolder(deps, link));
  if (state === 'succeeded') return (await deps.links.move(link._id, ['active', 'expired'], 'completed', now)) ?? link;
  if (state === 'in-flight') {
    await deps.links.lookAgain(link, after(now, limits.linkCheckMs));
    return link;
  }
  // A payer may be about to pay, so the planned look stays.
  if (state === 'absent' && link.checkAt !== undefined && link.checkAt > now) return link;
  if (link.status === 'active' && link.validUntil !== undefined && link.validUntil <= now) {
    return (await deps.links.expire(link, now)) ?? link;
  }
  await deps.links.lookAgain(link, link.status === 'active' ? link.validUntil : undefined);
  return link;
}

/**
 * What a payer finds at the link: `paying` while another payer's payment holds the claim of an open link, `ending` when the link was
 * closed or expired and only that payment may still succeed.
 */
export type AvailabilityToPayer = LinkAvailability | 'paying' | 'ending';

/** Decides by the link and by the payment that holds its claim. A link that was paid before it was closed or expired is completed. */
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
