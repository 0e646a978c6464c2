/**
 * The payment as it is stored: the one document that holds its state, its next piece of work and the events to announce
 * (docs/reliability.md). All amounts are integers in minor units of `amount.currency`; all times are `Date` in UTC.
 */
import type { PaymentCode } from '../code/payment-code.js';
import type { SplitPart } from '../payment-link/split.js';
import type { Authentication } from '../threeds/authentication.js';
import type { ThreeDsSettings } from '../threeds/settings.js';
import type { Metadata, PaymentAmount, PaymentItem } from './payment-amount.js';
import type { PaymentStatus, TransactionStatus } from './statuses.js';

export type { AmountDetails, Metadata, NamedAmount, PaymentAmount, PaymentItem, TaxDetail } from './payment-amount.js';

/** A sealed value of the vault: opaque here. Only `shared/vault` makes and opens it. */
export interface Envelope {
  /** 2: bound to merchant and customer too. */
  readonly v: 1 | 2;
  readonly alg: 'A256GCM';
  /** Id of the data key, for example `card:484012`. */
  readonly kid: string;
  readonly iv: Uint8Array;
  /** Ciphertext followed by the 16-byte tag. */
  readonly ct: Uint8Array;
}

export type TransactionKind = 'purchase' | 'authorization' | 'capture' | 'cancellation' | 'refund' | 'reversal';

export interface Transaction {
  /** `txn_…`; also the idempotency key at the processor. */
  readonly id: string;
  readonly kind: TransactionKind;
  readonly referenceId: string;
  readonly amountMinor: number;
  readonly status: TransactionStatus;
  readonly createdAt: Date;
  readonly processedAt?: Date | undefined;
  /** ISO 8583 response code, for example `00`, `51`. */
  readonly resultCode?: string;
  readonly resultMessage?: string;
  /** Processor decline code, for example `insufficient_funds`. */
  readonly declineCode?: string;
  /** Authorization code of the issuer. */
  readonly authorization?: string;
  /** The processor's own number of the operation. */
  readonly ticket?: string;
  readonly reason?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  /** API key that asked for it, or that made the session it was paid by; absent where the gateway itself did. */
  readonly actorKeyId?: string;
  /** HMAC of the request that made it, to tell a repeated request from another one with the same reference. */
  readonly requestDigest?: string;
  /** The error code the caller is answered with, when it did not succeed. */
  readonly errorCode?: string;
  /** A person has to look at it: it disagrees with the payment (late news, unconfirmed reversal). */
  readonly flagged?: string;
}

export type OperationKind = 'authorize' | 'capture' | 'cancel' | 'refund';
/** What the processor pool must do: send an operation, ask what became of it, or take it back. */
export type ProcessorWorkKind = OperationKind | 'inquire' | 'reverse';
/**
 * What the threeds pool must do: begin an authentication, look now and then whether the payer has answered the issuer, or fetch
 * the result because the payer is back or the time is up.
 */
export type ThreeDsWorkKind = 'authenticate' | 'await-challenge' | 'conclude';
/** What the qr pool must do: have a code issued, or ask whether it was paid. */
export type QrWorkKind = 'issue-code' | 'await-transfer';
/** What a worker must do now. */
export type WorkKind = ProcessorWorkKind | ThreeDsWorkKind | QrWorkKind;
/** Queue, pool and folder are one. */
export type WorkQueue = 'processor' | 'threeds' | 'qr';

export interface Attempt {
  readonly token: string;
  readonly startedAt: Date;
  /** Stored with the payment itself (docs/reliability.md, "Two writes"): who has not claimed it may still have sent it. */
  readonly atInsert?: true | undefined;
}

export interface Work {
  readonly queue: WorkQueue;
  readonly kind: WorkKind;
  readonly txId: string;
  readonly dueAt: Date;
  /** Grows when a sweep enqueues it again after a lease ran out: a job id is never used twice. */
  readonly gen: number;
  readonly leaseToken?: string | undefined;
  /** Epoch when free; compared with the database's clock. */
  readonly leaseUntil: Date;
  /** Tries of this kind of work so far (inquiries, reversals, sends that never left). */
  readonly tries: number;
  /** Written before a byte leaves for the processor. Inherited from another claim, it means: inquire, do not send. */
  readonly attempt?: Attempt | undefined;
}

/** An approved refund that is asked about again at `at`; `tries` counts how often it was. */
export interface RefundCheck {
  readonly txId: string;
  readonly tries: number;
  readonly at: Date;
}

export interface Deadline {
  /** `challenge`: until then the payer may answer the issuer. */
  readonly kind: 'expire' | 'capture' | 'challenge';
  readonly at: Date;
}

/** A change to announce. `body` is the callback body as it was then; absent where nobody subscribed. */
export interface PaymentEvent {
  readonly seq: number;
  readonly status: PaymentStatus;
  readonly at: Date;
  /** Not announced before this: the caller may still get it as its own answer. */
  readonly notBefore: Date;
  readonly body?: string | undefined;
  /** True for a state that was passed in the same write and was never visible: it is not announced. */
  readonly passed?: boolean;
}

export interface CardView {
  readonly brand: string;
  readonly last4: string;
  readonly bin: string;
  readonly expirationMonth: number;
  readonly expirationYear: number;
}

export const cardSources = [
  'card',
  'token',
  'network-token',
  'wallet-a-pay-token',
  'wallet-b-pay-token',
  'click-to-pay-token',
] as const;
/** Where the card of a payment comes from (docs/api.md#payment-sources). */
export type CardSource = (typeof cardSources)[number];

/** Where the money of a payment comes from. */
export type PaymentSource = CardSource | 'bank-transfer';

export interface PaymentMethodView {
  /** Payment method of the merchant, for example `visa`. */
  readonly id: string;
  readonly name: string;
  readonly type: 'card' | 'bank-transfer';
  readonly source: PaymentSource;
  /** Absent for click-to-pay (only the processor learns the card) and where there is none. */
  readonly card?: CardView;
}

/** A card that is to be saved when the payment succeeds; the token is chosen when the payment is accepted. */
export interface Tokenization {
  readonly token: string;
  readonly type: 'persistent' | 'temporal';
  readonly expiresAt?: Date;
}

export interface BrowserDetails {
  readonly ipAddress?: string;
  readonly userAgent?: string;
  readonly deviceFingerprint?: string;
  readonly device?: string;
  readonly operativeSystem?: string;
}

export interface Recurring {
  readonly type: 'initial' | 'subsequent';
  readonly initialPaymentId?: string;
  readonly frequency?: 'daily' | 'weekly' | 'monthly' | 'yearly' | 'unscheduled';
  readonly expiresAt?: Date | undefined;
}

export interface Payment {
  readonly _id: string;
  readonly clientId: string;
  readonly merchantId: number;
  readonly traceId: string;
  /** `verification`: authorized for a token amount and cancelled by the gateway itself. */
  readonly purpose: 'payment' | 'verification';
  /** `<operation>:<referenceId>` of everything that used up a reference; unique per client. */
  readonly refKeys: readonly string[];
  readonly requestDigest: string;
  readonly status: PaymentStatus;
  readonly version: number;
  /** Tokens of the newest writes, newest last: they prove a win when an acknowledgement is lost. */
  readonly writes: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly processedAt?: Date | undefined;
  readonly expiresAt?: Date | undefined;

  readonly referenceId: string;
  readonly invoiceNumber: string;
  /** `pos`: paid by a code that the payer's bank reads. */
  readonly flow: 'direct' | 'pos';
  readonly processingMethod: 'api' | 'checkout' | 'link';
  /** Session that it is a try of. */
  readonly sessionId?: string;
  /** Payment link that it was made through. */
  readonly paymentLink?: { readonly id: string; readonly externalId: string };
  /** What each merchant gets of it; together the total. */
  readonly split?: readonly SplitPart[];
  /** Number of the try, from 1. */
  readonly attempt?: number;
  readonly amount: PaymentAmount;
  readonly captureMethod: 'automatic' | 'manual';
  readonly captureDelaySeconds?: number;
  readonly paymentMethod: PaymentMethodView;
  /** Extras for the processor, never echoed. */
  readonly processorFields?: Metadata;
  /** Code of the processor adapter and the acquirer this payment goes to, chosen when it was accepted. */
  readonly processor: string;
  readonly acquirer: string;
  /** The merchant's numbers at the acquirer. */
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  readonly items?: readonly PaymentItem[];
  readonly installments?: number;
  readonly browserDetails?: BrowserDetails;
  readonly statementDescriptor?: string;
  readonly customerId?: string;
  readonly redirectUrl?: string;
  readonly callbackUrl?: string;
  readonly recurring?: Recurring;
  readonly metadata?: Metadata;

  /** 0 ≤ captured + held ≤ authorized and 0 ≤ refunded + held ≤ captured (held belongs to the operation in flight). */
  readonly authorizedMinor: number;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  readonly heldMinor: number;
  readonly transactions: readonly Transaction[];
  /** At most one operation at the processor at a time. `endsAs` is the state that time asked for, not the caller. */
  readonly activeOp?: { readonly txId: string; readonly kind: OperationKind; readonly endsAs?: 'expired' } | undefined;
  readonly work?: Work | undefined;
  readonly deadline?: Deadline | undefined;
  readonly refundChecks?: readonly RefundCheck[] | undefined;
  /** The earliest of them. */
  readonly refundCheckAt?: Date | undefined;
  /** Of a bank transfer, once its code was issued. */
  readonly code?: PaymentCode | undefined;
  /** When the bank is asked again for money that came late or twice, in order of time. */
  readonly transferChecks?: readonly Date[] | undefined;
  /** The earliest of them. */
  readonly transferCheckAt?: Date | undefined;
  /** Nothing is sent to the processor for the authorization after this. */
  readonly authorizeBy: Date;
  /** The caller of the newest operation waits until then (plus a second): its events are held back that long. */
  readonly awaitedUntil: Date;

  readonly events: readonly PaymentEvent[];
  readonly eventSeq: number;
  readonly fannedOutSeq: number;
  /** Set while events wait to be announced: when the first of them is due. */
  readonly announceAt?: Date | undefined;
  /** Sequence numbers that the caller got as its own HTTP answer. Written by the API only, outside `version`. */
  readonly answered?: readonly number[] | undefined;

  readonly card?: Envelope | undefined;
  /** Token of the saved card that is charged: its own envelope holds the card, this payment has none. */
  readonly instrument?: string;
  readonly tokenization?: Tokenization | undefined;
  /** Set with success while the card is still to be saved. */
  readonly tokenizeAt?: Date | undefined;
  readonly cardDestroyAt?: Date | undefined;
  /** A secret of the payer's went with it: a cvc, or a cryptogram. What it was is destroyed; that it was there stays. */
  readonly payerSecret?: true;
  /** The cvc, or the cryptogram of a network token: destroyed with the outcome. */
  readonly cvc?: Envelope | undefined;
  readonly cvcDestroyAt?: Date | undefined;
  /** What was decided about 3D Secure, and what came of it. Absent: there was nothing to decide. */
  readonly threeDs?: Authentication;
  /** The settings that it is authenticated by, as they were when it was accepted. */
  readonly threeDsSettings?: ThreeDsSettings;
  /** The authentication value (CAVV) for the processor: destroyed with the outcome, as the cvc is. */
  readonly authenticationValue?: Envelope | undefined;
  /** What a person has to look at, newest last. */
  readonly alerts?: readonly { readonly at: Date; readonly text: string }[];
}
