/**
 * Inputs of the payer's form. When they are refused, a `GatewayError` says how: a `400` names fields of the form, a `422` is a decline
 * (the payer may try again while `triesLeft`), a `409` says that the session or the try can no longer be used.
 */
import type { BrowserDetails } from '../../shared/domain/payment/payment.js';
import type { Log } from '../../shared/log.js';
import type { HostedCard } from './hosted-card.js';

/** Trace id and log of the request that submits the form. */
export interface HostedCaller {
  readonly traceId: string;
  readonly log: Log;
}

export interface HostedPaymentInput {
  /** Number of the try, as rendered in the form. */
  readonly attempt: number;
  readonly source:
    | ({ readonly kind: 'card' } & HostedCard)
    | { readonly kind: 'mock-wallet' }
    /** The token that the wallet gave to the page, in base64. */
    | { readonly kind: 'wallet'; readonly token: string }
    | { readonly kind: 'token'; readonly token: string; readonly cvc?: string | undefined };
  /** The amount that the payer chose, used only for a flexible amount. Decimal text. */
  readonly amount?: { readonly total: string; readonly currency: string } | undefined;
  readonly installments?: number | undefined;
  /** Saves the card for the session's customer, when the session offers that. */
  readonly save?: boolean | undefined;
  readonly browserDetails: BrowserDetails;
}

/** A payment by bank transfer: the answer contains the code. */
export type HostedTransferInput = Pick<HostedPaymentInput, 'attempt' | 'amount' | 'browserDetails'>;

export interface HostedTokenizationInput {
  readonly attempt: number;
  readonly card: HostedCard;
  readonly browserDetails: BrowserDetails;
}
