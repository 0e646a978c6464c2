/**
 * Inbound updates: what a processor sends by itself (a webhook, a notification). A reader verifies the signature and says what
 * the update is about; it calls no network and holds no key but those that signatures are checked with, because the API runs it
 * (`api/processor-updates`). What it says is stored, acknowledged, and applied by the `processor` pool.
 *
 * `update-readers.ts` is the list. That a processor has a reader is its capability `updates`.
 */
import type { DisputeStatus } from '../domain/payment/dispute.js';
import type { DoneThere } from '../domain/payment/done-there.js';
import type { AnswerSubject, Definitive, Pending } from './answers.js';

export type { DisputeStatus } from '../domain/payment/dispute.js';
export type { DoneThere } from '../domain/payment/done-there.js';

export interface RawUpdate {
  /** The bytes as they came: signatures cover them, not what a parser makes of them. */
  readonly body: Buffer;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The merchant's credentials at the processor, where the address names a merchant. Its account signs with its own secret. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly now: Date;
}

export type UpdateAnswer =
  /** No signature, a wrong one, or one that is too old: answered 401. `internal` is for the log; nothing of the body in it. */
  | { readonly kind: 'unverified'; readonly internal: string }
  /** Signed, and not what the maker documents: answered 400 and counted, so that the maker sends it again. */
  | { readonly kind: 'unreadable'; readonly internal: string }
  /** Empty: it is about nothing of ours, or nothing that matters here. Acknowledged all the same. */
  | { readonly kind: 'verified'; readonly updates: readonly ProcessorUpdate[] };

interface About {
  /** The processor's own id of this update: the same id is worked on once. */
  readonly eventId: string;
  /** When it happened there. */
  readonly at?: Date;
  /** Our transaction id (the key of the operation), where the processor repeats it. One of the two must be there. */
  readonly key?: string;
  /** What the processor calls the operation, as `processorReference` of an answer says it. */
  readonly processorReference?: string;
  /** What it says where no operation of the gateway fits it. An earlier release, which does not know it, moves nothing by it. */
  readonly done?: DoneThere;
  /**
   * A person at the dashboard, or another program with the same account, may have asked for it: where nothing is known by its names in
   * the end, it is none of the gateway's, and no person is asked.
   */
  readonly mayBeForeign?: true;
}

/** What became of an operation. One that is final already is left as it is. */
export interface OutcomeUpdate extends About {
  readonly kind: 'outcome';
  /** As `inquire` would answer it; its `about` is compared with what was sent. */
  readonly outcome: Definitive | Pending;
  /**
   * Of an approval: the amount in `about` is what was approved, which may be a part of what was sent. It is no `approvedMinor`: an
   * earlier release may apply the update, and takes that for a part in any case.
   */
  readonly mayBePart?: true;
  /**
   * Of a reversal: the key of what was taken back. An adapter may have closed an operation there that the core calls refused; where
   * the core reverses nothing of it, there is nothing to say.
   */
  readonly original?: string;
  /** Of a reversal: by what name of the processor's its request named what was taken back; absent where it named it by our key. */
  readonly originalReference?: string;
  /** Of a decline: it had been approved before, which may not have been heard of yet, and contradicts nothing then. */
  readonly afterApproval?: true;
  /** Of a capture: the key of the purchase that it is of where no operation of ours asked for it, since the processor captures by itself. */
  readonly purchase?: string;
}

/** Something happened to an operation, or to the code of a transfer: the processor is asked at once instead of later. */
export interface ChangedUpdate extends About {
  readonly kind: 'changed';
}

/** An approved refund failed later. `key` or `processorReference` is the refund's. */
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
  /** Evidence has to be with the processor by then. */
  readonly respondBy?: Date;
}

export type ProcessorUpdate = OutcomeUpdate | ChangedUpdate | RefundFailedUpdate | DisputeUpdate;

const kinds: Readonly<Record<ProcessorUpdate['kind'], true>> = {
  outcome: true,
  changed: true,
  'refund-failed': true,
  dispute: true,
};
/** Those that this release can apply. */
export const updateKinds = Object.keys(kinds);

export interface UpdateReader {
  read(raw: RawUpdate): UpdateAnswer | Promise<UpdateAnswer>;
  /** Body of the answer as its maker wants it, plain text; absent: none. */
  readonly acknowledgement?: string;
}
