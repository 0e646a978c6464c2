/**
 * Inbound updates: messages that a processor sends by itself (a webhook, a notification). A reader verifies the signature and returns
 * what the update is about. It makes no network call and holds no keys except those for checking signatures, because the API runs it
 * (`api/processor-updates`). Its result is stored and acknowledged, and the `processor` pool applies it.
 *
 * `update-readers.ts` lists the readers. A processor with a reader has the capability `updates`.
 */
import type { DisputeStatus } from '../domain/payment/dispute.js';
import type { ExternalOperation } from '../domain/payment/external-operation.js';
import type { ReviewState } from '../domain/payment/plan-review.js';
import type { AnswerSubject, Definitive, Pending } from './answers.js';

export type { DisputeStatus } from '../domain/payment/dispute.js';
export type { ExternalOperation } from '../domain/payment/external-operation.js';

export interface RawUpdate {
  /** The bytes as received: the signature covers these, not the parsed body. */
  readonly body: Buffer;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The merchant's credentials at the processor, when the address names a merchant, whose account signs with its own secret. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly now: Date;
}

export type UpdateAnswer =
  /** The signature is missing, wrong or too old: answered 401. `internal` is for the log and contains nothing of the body. */
  | { readonly kind: 'unverified'; readonly internal: string }
  /** Signed, but not in the form that the processor documents: answered 400 and counted, so that the processor sends it again. */
  | { readonly kind: 'unreadable'; readonly internal: string }
  /** `updates` is empty when the message concerns nothing of the gateway, or nothing that matters. It is acknowledged anyway. */
  | { readonly kind: 'verified'; readonly updates: readonly ProcessorUpdate[] };

interface About {
  /** The processor's own id of this update: an id is processed only once. */
  readonly eventId: string;
  /** When it happened there. */
  readonly at?: Date;
  /** Our transaction id (the key of the operation), if the processor repeats it. `key` or `processorReference` must be present. */
  readonly key?: string;
  /** The processor's id of the operation, the same as `processorReference` of an answer. */
  readonly processorReference?: string;
  /** What it says where no operation of the gateway fits it. An earlier release, which does not know it, moves nothing by it. */
  readonly done?: ExternalOperation;
  /**
   * The operation may come from a person at the dashboard or from another program with the same account. If neither its key nor its
   * reference is ever found, the operation is not one of the gateway's, and nothing is flagged.
   */
  readonly mayBeForeign?: true;
}

/** The outcome of an operation. An operation that is already final gets only the details that it lacks. */
export interface OutcomeUpdate extends About {
  readonly kind: 'outcome';
  /** The outcome as `inquire` would return it; its `about` is compared with what was sent. */
  readonly outcome: Definitive | Pending;
  /**
   * For an approval: the amount in `about` is the approved one, which may be less than the amount sent. It is not in `approvedMinor`,
   * because an earlier release may apply the update and always takes `approvedMinor` for a partial approval.
   */
  readonly mayBePart?: true;
  /**
   * For a reversal: the key of the operation that was reversed. An adapter may have closed an operation at the processor that the core
   * has as refused; if the core is not reversing it, the update changes nothing.
   */
  readonly original?: string;
  /** For a reversal: the processor's reference by which the request named the original; absent when it named the original by our key. */
  readonly originalReference?: string;
  /** For a decline: the operation was approved before. That approval may arrive later, and does not contradict the decline. */
  readonly afterApproval?: true;
  /** For a capture that the processor made by itself, without an operation of ours: the key of its purchase. */
  readonly purchase?: string;
}

/** Something happened to an operation, or to the code of a transfer: the gateway inquires at once instead of later. */
export interface ChangedUpdate extends About {
  readonly kind: 'changed';
  /**
   * The processor has approved the operation. If the gateway has given it up, it inquires, and reverses what is in effect. An earlier
   * release, which does not know this, does nothing then.
   */
  readonly isApproved?: true;
}

/** An approved refund failed later. `key` or `processorReference` is that of the refund. */
export interface RefundFailedUpdate extends About {
  readonly kind: 'refund-failed';
  readonly about?: AnswerSubject;
  readonly resultCode: string;
  readonly resultMessage: string;
}

/** The payer disputes the payment. `key` or `processorReference` is that of the purchase, the authorization or the capture. */
export interface DisputeUpdate extends About {
  readonly kind: 'dispute';
  /** The processor's id of the dispute: updates of one dispute share it. */
  readonly disputeId: string;
  readonly status: DisputeStatus;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  /** In the processor's words, for example `fraudulent`. */
  readonly reason?: string;
  /** The network's reason code, for example `10.4`. */
  readonly networkReasonCode?: string;
  /** Deadline for evidence to reach the processor. */
  readonly respondBy?: Date;
}

/**
 * The issuer reports the payment as fraud (Visa TC40, Mastercard SAFE). No money moves, but a chargeback may follow. `key` or
 * `processorReference` is that of the purchase, the authorization or the capture.
 */
export interface FraudReportUpdate extends About {
  readonly kind: 'fraud-report';
  /** In the processor's words, for example `made_with_stolen_card`. */
  readonly reason?: string;
}

/**
 * A person at the processor has to review an approved payment, or has done so. What follows (a capture, a refund) has an update of its
 * own. `key` or `processorReference` is that of the purchase, the authorization or the capture.
 */
export interface ReviewUpdate extends About {
  readonly kind: 'review';
  readonly state: ReviewState;
}

export type ProcessorUpdate =
  | OutcomeUpdate
  | ChangedUpdate
  | RefundFailedUpdate
  | DisputeUpdate
  | FraudReportUpdate
  | ReviewUpdate;

const kinds: Readonly<Record<ProcessorUpdate['kind'], true>> = {
  outcome: true,
  changed: true,
  'refund-failed': true,
  dispute: true,
  'fraud-report': true,
  review: true,
};
/** The kinds of update that this release can apply. */
export const updateKinds = Object.keys(kinds);

export interface UpdateReader {
  read(raw: RawUpdate): UpdateAnswer | Promise<UpdateAnswer>;
  /** Body of the HTTP answer that the processor expects, as plain text; absent when it expects none. */
  readonly acknowledgement?: string;
}
