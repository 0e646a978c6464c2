/**
 * What the payer's form says. Refusals of what is done with it are `GatewayError`s: a `400` names fields of the form, a `422` is a
 * decline (the payer may try again while `triesLeft`), a `409` says that the session or the try is not to be used any more.
 */
import type { BrowserDetails } from '../../shared/domain/payment/payment.js';
import type { Log } from '../../shared/log.js';
import type { HostedCard } from './hosted-card.js';

/** Who submits, and what is written down with it. */
export interface HostedCaller {
  readonly traceId: string;
  readonly log: Log;
}

export interface HostedPaymentInput {
  /** As rendered in the form. */
  readonly attempt: number;
  readonly source:
    | ({ readonly kind: 'card' } & HostedCard)
    | { readonly kind: 'mock-wallet' }
    /** What the wallet handed to the page, in base64. */
    | { readonly kind: 'wallet'; readonly token: string }
    | { readonly kind: 'token'; readonly token: string; readonly cvc?: string | undefined };
  /** What the payer chose; taken for a flexible amount only. Decimal text. */
  readonly amount?: { readonly total: string; readonly currency: string } | undefined;
  readonly installments?: number | undefined;
  /** Saves the card with the session's customer, where the session offers it. */
  readonly save?: boolean | undefined;
  readonly browserDetails: BrowserDetails;
}

/** Pays by bank transfer: the answer has the code. */
export type HostedTransferInput = Pick<HostedPaymentInput, 'attempt' | 'amount' | 'browserDetails'>;

export interface HostedTokenizationInput {
  readonly attempt: number;
  readonly card: HostedCard;
  readonly browserDetails: BrowserDetails;
}
