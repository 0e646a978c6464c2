/** Converts requests of the port to the values of a message. The only place that knows the port's fields. */

import type { IsoExchangeKind } from '../../../store/iso8583-exchange.model.js';
import type { AuthorizeRequest, FollowUpRequest, ProcessorCard, ProcessorMerchant } from '../../processor.js';
import { extrasOf } from './read-extras.js';
import type { IsoIdentity } from './settings.js';
import type { Extras } from './tagged-fields.js';

export interface Outgoing {
  readonly key: string;
  readonly kind: IsoExchangeKind;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  readonly terminal: string;
  readonly merchant: string;
  /** Field 18. */
  readonly category?: string | undefined;
  /** The merchant accepts less than the amount. */
  readonly takesPart?: true | undefined;
  readonly card?: ProcessorCard;
  readonly extras: Extras;
  /** Key of the authorization or purchase that the operation acts on. */
  readonly original?: string;
}

const partyOf = (
  { merchantIdentificationNumber, terminalNumber, merchantCategoryCode, facilitator }: ProcessorMerchant,
  { terminal, merchantId, merchantCategory }: IsoIdentity,
) => ({
  terminal: terminalNumber ?? terminal,
  merchant: merchantIdentificationNumber ?? merchantId ?? '',
  category: facilitator?.subMerchant.merchantCategoryCode ?? merchantCategoryCode ?? merchantCategory,
});

export function readAuthorization(request: AuthorizeRequest, identity: IsoIdentity): Outgoing {
  const { key, amountMinor, currency, capture, verification, merchant } = request;
  const { card } = request.credential;
  return {
    key,
    kind: verification ? 'verification' : capture ? 'purchase' : 'authorization',
    amountMinor,
    currency,
    ...partyOf(merchant, identity),
    ...(card && { card }),
    extras: extrasOf(request),
    takesPart: request.money.partialApprovalAllowed,
  };
}

export function readFollowUp(
  kind: 'capture' | 'cancel' | 'refund',
  { key, amountMinor, currency, original }: FollowUpRequest,
  { terminal, merchant, category }: Pick<Outgoing, 'terminal' | 'merchant' | 'category'>,
): Outgoing {
  return { key, kind, amountMinor, currency, original, extras: {}, terminal, merchant, category };
}
