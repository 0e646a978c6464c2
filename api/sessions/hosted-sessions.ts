/**
 * Sessions as the hosted pages use them: everything between the payer's form and the flows of payments. Refusals are
 * `GatewayError`s: a `400` names fields of the form, a `422` is a decline (the payer may try again while `triesLeft`),
 * a `409` says that the session or the try is not to be used any more.
 */
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { PageContact } from '../../shared/domain/merchant.js';
import type { BrowserDetails, Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentItem } from '../../shared/domain/payment/payment-amount.js';
import type { LinkDoor } from '../../shared/domain/payment-link/payment-link.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { SessionStatus } from '../../shared/domain/session/statuses.js';
import type { Log } from '../../shared/log.js';
import type { HostedCard } from './hosted-card.js';
import type { WalletButton } from './hosted-wallet.js';
import type { SavedCard } from './session-cards.js';

export interface HostedSession {
  readonly session: Session;
  readonly merchant: {
    readonly id: number;
    readonly name: string;
    /** On receipts. */
    readonly legalName?: string;
    readonly taxId?: string;
    readonly logoUrl?: string;
    /** Six hexadecimal digits. */
    readonly color?: string;
    readonly contact?: PageContact;
    /** Origins of the merchant's own pages that may frame the embedded tokenization. */
    readonly embedOrigins: readonly string[];
  };
  /** By the clock: `expired` also before the sweep came by. */
  readonly status: SessionStatus;
  /** Submits that the payer has left. */
  readonly triesLeft: number;
  /** Of a session that was made at a link: what the link says now. */
  readonly link?: {
    readonly externalId: string;
    readonly door: LinkDoor | 'paying';
    readonly items?: readonly PaymentItem[] | undefined;
    /** The items are what is paid; false where the payer says how much. */
    readonly fixed: boolean;
  };
  /** The session takes cards, and its merchant has a method that charges them now. */
  readonly takesCards: boolean;
  /** The page offers wallet-a. */
  readonly walletA: boolean;
  /** Goes into the form: the same attempt twice is one payment. */
  readonly nextAttempt: number;
  /** Bank transfer, where the payer may choose it; `currencies` are those of the session that it takes. */
  readonly transfer?: { readonly name: string; readonly currencies: readonly string[] } | undefined;
}

/** Who submits, and what is written down with it. */
export interface HostedCaller {
  readonly traceId: string;
  readonly log: Log;
  onFlushed(callback: (flushed: boolean) => void): void;
}

export interface HostedPaymentInput {
  /** As rendered in the form. */
  readonly attempt: number;
  readonly source:
    | ({ readonly kind: 'card' } & HostedCard)
    | { readonly kind: 'pretend-wallet' }
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

export interface TokenizationOutcome {
  readonly session: HostedSession;
  /** The saved card; absent while its verification is under way. */
  readonly instrument?: PaymentInstrument;
  /** The payment that verified it. */
  readonly verification?: Payment;
}

export interface HostedSessions {
  /** `undefined`: unknown, or the token is not its own. A session of any status is found. */
  find(sessionId: string, token: string): Promise<HostedSession | undefined>;
  /** The button for wallet-a, on a page that offers it. */
  walletButton(session: HostedSession): Promise<WalletButton | undefined>;
  /** Those the page offers; of a session that is for one saved card that one alone, or none when it is not usable. */
  savedCards(session: HostedSession): Promise<readonly SavedCard[]>;
  /** @throws {GatewayError} `payment-instrument-not-found` */
  deleteCard(session: HostedSession, token: string): Promise<void>;
  /** The payment, approved or still `pending`. @throws {GatewayError} also `422` for a decline, as `POST /v1/payments`. */
  pay(session: HostedSession, input: HostedPaymentInput, caller: HostedCaller): Promise<Payment>;
  /** The payment, `pending` with its code. @throws {GatewayError} as {@link pay}. */
  payByTransfer(session: HostedSession, input: HostedTransferInput, caller: HostedCaller): Promise<Payment>;
  /** The payer gives up the code that is shown. @throws {GatewayError} `conflict` when there is none (any more). */
  cancelTransfer(session: HostedSession, caller: HostedCaller): Promise<void>;
  /** @throws {GatewayError} also `422` when the verification is refused. */
  tokenize(session: HostedSession, input: HostedTokenizationInput, caller: HostedCaller): Promise<TokenizationOutcome>;
  /** Takes a card that was saved before. @throws {GatewayError} `conflict`, `invalid-card-payment-method-token` */
  choose(session: HostedSession, token: string): Promise<TokenizationOutcome>;
  /** By the payer. @throws {GatewayError} `conflict` when it has ended, or a try is under way. */
  cancel(session: HostedSession): Promise<HostedSession>;
  /** Of the newest try. */
  lastPayment(session: HostedSession): Promise<Payment | undefined>;
}

declare module '../deps.js' {
  interface UseCases {
    hostedSessions: HostedSessions;
  }
}
