/** A try of a session that was created at a payment link: the terms of the link apply, and a one-time link is claimed. */

import { limits } from '../../config/limits.js';
import { conflict, GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { detectBrand } from '../../shared/domain/card/brand.js';
import {
  linkAvailabilityAt,
  linkClaimKey,
  type PaymentLink,
  takesInstallments,
} from '../../shared/domain/payment-link/payment-link.js';
import { takesCardType, tryState } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { after } from '../../shared/domain/time.js';
import { isWalletSource } from '../../shared/domain/wallet/integration.js';
import { claimHolder } from '../../shared/flows/settle-link.js';
import type { ApiDeps } from '../deps.js';
import { divideAmount } from '../payment-links/divide-amount.js';
import { refuseSuspended } from '../payments/check-payment-request.js';
import type { PaymentDraft, PaymentOrigin } from '../payments/payment-draft.js';
import type { SealedSource } from '../payments/payment-source.js';
import { brandRefused, CardTypeRefusedError } from './hosted-card.js';

const closed = () => conflict('The payment link does not accept payments.');

/** Returns the link of the session, if it has one. @throws {GatewayError} `conflict` when the link takes no payments now. */
export async function openLinkOf(deps: ApiDeps, session: Session): Promise<PaymentLink | undefined> {
  if (!session.paymentLink) return undefined;
  const link = await deps.links.findById(session.paymentLink.id);
  if (link && linkAvailabilityAt(link, deps.clock.now()) === 'open') return link;
  throw closed();
}

const methodIdOf = ({ paymentMethod }: PaymentDraft): string | undefined =>
  paymentMethod.source === 'card' ? detectBrand(paymentMethod.card?.number ?? '') : paymentMethod.id;

/** @throws {GatewayError} `400` naming `number` or `installments`. */
function checkLinkMethod({ settings }: PaymentLink, methodId: string, installments: number): void {
  if (settings.paymentMethods && !settings.paymentMethods.includes(methodId)) throw brandRefused();
  if (!takesInstallments(settings, methodId, installments)) {
    throw invalidField('installments', 'is not available for this card');
  }
}

/**
 * Checks the card of a wallet, which is known only after its token was opened, against the session and its link.
 * @param source absent: a bank transfer
 * @throws {GatewayError} `invalid-card-payment-method`; `request-validation-errors` naming `installments`.
 */
export function checkWalletCard(
  session: Session,
  link: PaymentLink | undefined,
  source: SealedSource | undefined,
  installments = 1,
): void {
  if (!source || !isWalletSource(source.source)) return;
  if (!takesCardType(session, source.cardType)) throw new CardTypeRefusedError();
  if (link && source.brand !== undefined) checkLinkMethod(link, source.brand, installments);
}

/** Returns the amount of the payment: a fixed one with the parts that the integrator set, since a payer sends only a total. */
function amountBy({ amount, settings }: PaymentLink, draft: PaymentDraft): PaymentDraft['amount'] {
  return settings.amountMode === 'fixed' && amount ? amount : draft.amount;
}

/**
 * Returns the key that reserves a one-time link for its only payment: of two payers at once, one gets it. After a failed payment the
 * next one can claim the link.
 * @throws {GatewayError} `conflict` while another payment has the claim, when one succeeded, or when the link ended meanwhile.
 */
async function claimKeyFor(deps: ApiDeps, link: PaymentLink): Promise<string | undefined> {
  if (link.type !== 'one-time') return undefined;
  let current: PaymentLink | undefined = link;
  for (let tries = 0; tries < limits.linkClaimTriesMax && current; tries += 1) {
    const state = tryState(await claimHolder(deps, current));
    if (state === 'succeeded') throw conflict('The payment link was paid.');
    if (state === 'in-flight') throw conflict('Another payment of this payment link is in progress.');
    if (state === 'absent') {
      // If this process ends before it completes the link, the sweep completes it.
      if (!(await deps.links.lookAt(link._id, after(deps.clock.now(), limits.linkClaimCheckMs)))) throw closed();
      return linkClaimKey(current);
    }
    current = await deps.links.nextClaim(current._id, current.claim);
  }
  throw conflict('Others are paying by this link.');
}

/**
 * Applies the terms of the link to the draft and to the origin of the payment.
 * @throws {GatewayError} `400` naming what the link does not accept, or for an amount that cannot be divided as configured; `forbidden`
 * when a part is for a suspended merchant; `conflict` when another payment is the only payment of a one-time link.
 */
export async function applyLink(
  deps: ApiDeps,
  link: PaymentLink,
  draft: PaymentDraft,
  origin: PaymentOrigin,
): Promise<{ readonly draft: PaymentDraft; readonly origin: PaymentOrigin }> {
  const methodId = methodIdOf(draft);
  // The payment itself refuses a card without a known brand, with the specific error code. The card of a wallet is known only later.
  if (methodId !== undefined) checkLinkMethod(link, methodId, draft.installments ?? 1);
  const amount = amountBy(link, draft);
  const split = divideAmount(link, amount);
  for (const { merchantId } of split ?? []) await refuseSuspended(deps, merchantId);
  const claimKey = await claimKeyFor(deps, link);
  return {
    draft: { ...draft, amount },
    origin: {
      ...origin,
      processingMethod: 'link',
      paymentLink: { id: link._id, externalId: link.externalId },
      ...(claimKey !== undefined && { refKeys: [...origin.refKeys, claimKey] }),
      ...(split && { split }),
    },
  };
}

/** Refuses a payer who claimed the link at the same moment as another one, whom the unique index chose. @throws {GatewayError} `conflict` */
export function refuseClaimed(error: unknown): never {
  if (error instanceof GatewayError && error.code === 'duplicated-reference-id') {
    throw conflict('Another payment of this payment link is in progress.');
  }
  throw error;
}
