/** Requests of the port as what goes into a message. The one place that knows the port's fields. */

import type { IsoExchangeKind } from '../../../store/iso8583-exchange.model.js';
import type { AuthorizeRequest, FollowUpRequest, ProcessorCard, ProcessorMerchant } from '../../processor.js';
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
  readonly card?: ProcessorCard;
  readonly extras: Extras;
  /** Key of the authorization or purchase that it is about. */
  readonly original?: string;
}

const partyOf = (
  { merchantIdentificationNumber, terminalNumber }: ProcessorMerchant,
  { terminal, merchantId }: IsoIdentity,
) => ({
  terminal: terminalNumber ?? terminal,
  merchant: merchantIdentificationNumber ?? merchantId ?? '',
});

/** Only what is there; an empty text is nothing. */
const present = (extras: Readonly<Record<string, string | undefined>>): Extras =>
  Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined && value !== ''));

/** Printable ASCII, as messages have it: letters lose their accents, everything else becomes a space. */
export const plainText = (text: string, length: number): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .slice(0, length);

const DESCRIPTOR_LENGTH = 25;

function extrasOf(request: AuthorizeRequest): Extras {
  const { proof, credential, money, order } = request;
  const { card, stored } = credential;
  const { installments } = money;
  const { statementDescriptor } = order;
  return present({
    cvc: card?.cvc,
    cryptogram: card?.networkToken?.cryptogram,
    eci: proof?.eci ?? card?.networkToken?.eci,
    threeDsVersion: proof?.version,
    authenticationValue: proof?.authenticationValue,
    dsTransactionId: proof?.dsTransactionId,
    installments: installments !== undefined && installments > 1 ? String(installments).padStart(2, '0') : undefined,
    statementDescriptor: statementDescriptor && plainText(statementDescriptor, DESCRIPTOR_LENGTH),
    // First use and later use, as the networks call them.
    storedCredential: stored && (stored.use === 'first' ? 'F' : 'S'),
  });
}

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
  };
}

export function readFollowUp(
  kind: 'capture' | 'cancel' | 'refund',
  { key, amountMinor, currency, original }: FollowUpRequest,
  { terminal, merchant }: Pick<Outgoing, 'terminal' | 'merchant'>,
): Outgoing {
  return { key, kind, amountMinor, currency, original, extras: {}, terminal, merchant };
}
