/** A try of a session that a payer came to by a payment link: what the link says goes, and a one-time link is claimed. */

import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
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
import { CardTypeRefusedError } from './hosted-card.js';

const conflict = (message: string) => new GatewayError('conflict', { message });
const closed = () => conflict('The payment link does not accept payments.');

/** @throws {GatewayError} `conflict` when the link of the session takes no payments (any more). */
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
  if (settings.paymentMethods && !settings.paymentMethods.includes(methodId)) {
    throw new GatewayError('invalid-card-payment-method', {
      params: { number: ['is of a card brand that is not accepted'] },
    });
  }
  if (!takesInstallments(settings, methodId, installments)) {
    throw invalidField('installments', 'is not available for this card');
  }
}

/**
 * What a wallet holds is known when its token was opened, and has to be a card that the session and its link take.
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
  if (!takesCardType(session, source.cardType)) {
    throw new CardTypeRefusedError();
  }
  if (link && source.brand !== undefined) checkLinkMethod(link, source.brand, installments);
}

/** Parts of the amount that the integrator said stay with it; a payer says a total only. */
function amountBy({ amount, settings }: PaymentLink, draft: PaymentDraft): PaymentDraft['amount'] {
  return settings.amountMode === 'fixed' && amount ? amount : draft.amount;
}

/**
 * The key that the only payment of a one-time link takes: of two payers at once one gets it. A payment that failed
 * hands the claim on to the next.
 * @throws {GatewayError} `conflict` while another payment has it, when one succeeded, or when the link ended meanwhile.
 */
async function claimKeyFor(deps: ApiDeps, link: PaymentLink): Promise<string | undefined> {
  if (link.type !== 'one-time') return undefined;
  let current: PaymentLink | undefined = link;
  for (let tries = 0; tries < limits.linkClaimTriesMax && current; tries += 1) {
    const state = tryState(await claimHolder(deps, current));
    if (state === 'succeeded') throw conflict('The payment link was paid.');
    if (state === 'in-flight') throw conflict('Another payment of this payment link is in progress.');
    if (state === 'absent') {
      // The sweep completes the link should this process end before it does.
      if (!(await deps.links.lookAt(link._id, after(deps.clock.now(), limits.linkClaimCheckMs)))) throw closed();
      return linkClaimKey(current);
    }
    current = await deps.links.nextClaim(current._id, current.claim);
  }
  throw conflict('Others are paying by this link.');
}

/**
 * The draft as the link wants it, and where it comes from then.
 * @throws {GatewayError} `400` naming what the link does not take; an amount that cannot be divided as it is to be; `forbidden`
 * where a part is for a suspended merchant; `conflict` where the only payment of a one-time link is another one.
 */
export async function applyLink(
  deps: ApiDeps,
  link: PaymentLink,
  draft: PaymentDraft,
  origin: PaymentOrigin,
): Promise<{ readonly draft: PaymentDraft; readonly origin: PaymentOrigin }> {
  const methodId = methodIdOf(draft);
  // A card without a known brand is refused by the payment itself, with the code that says so; what a wallet holds is known later.
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

/** Of payers at the same moment the unique index chose another one. */
export function refuseClaimed(error: unknown): never {
  if (error instanceof GatewayError && error.code === 'duplicated-reference-id') {
    throw conflict('Another payment of this payment link is in progress.');
  }
  throw error;
}
