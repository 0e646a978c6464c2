/**
 * The payment as it is stored, described once: the one document that holds its state, its next piece of work and the events to
 * announce (docs/reliability.md). Its type and the check of every write in tests (decision 37) are made of this. All amounts are
 * integers in minor units of `amount.currency`; all times are `Date` in UTC.
 */
import { paymentCode } from '../code/payment-code.js';
import {
  bytes,
  clearable,
  count,
  flag,
  list,
  oneOf,
  optional,
  record,
  type Stored,
  text,
  time,
  whole,
} from '../described.js';
import { splitPart } from '../payment-link/split-part.js';
import { routing } from '../routing/payment-routing.js';
import { authentication } from '../threeds/authentication.js';
import { authenticationFacts } from '../threeds/decide-authentication.js';
import { threeDsSettings } from '../threeds/settings.js';
import { browserDetails } from './browser-details.js';
import { exemptions, recurringReasons } from './charge-reasons.js';
import { dispute } from './dispute.js';
import { firstPayment } from './network-answer.js';
import { metadata, paymentAmount, paymentItem } from './payment-amount.js';
import { paymentStatuses } from './statuses.js';
import { operationKinds, work } from './stored-work.js';
import { transaction } from './transaction.js';

export type { BrowserDetails } from './browser-details.js';
export type { Dispute } from './dispute.js';
export type { AmountDetails, Metadata, NamedAmount, PaymentAmount, PaymentItem, TaxDetail } from './payment-amount.js';
export type {
  OperationKind,
  ProcessorWorkKind,
  QrWorkKind,
  ThreeDsWorkKind,
  Work,
  WorkKind,
  WorkQueue,
} from './stored-work.js';
export { type Transaction, type TransactionKind, transactionKinds } from './transaction.js';

/** A sealed value of the vault: opaque here. Only `shared/vault` makes and opens it. */
export const envelope = record({
  /** 2: bound to merchant and customer too. */
  v: oneOf(1, 2),
  alg: oneOf('A256GCM'),
  /** Id of the data key, for example `card:484012`. */
  kid: text,
  iv: bytes,
  /** Ciphertext followed by the 16-byte tag. */
  ct: bytes,
});
export interface Envelope extends Stored<typeof envelope> {}

/** An approved refund that is asked about again at `at`; `tries` counts how often it was. */
const refundCheck = record({
  txId: text,
  tries: count,
  at: time,
});
export interface RefundCheck extends Stored<typeof refundCheck> {}

export const deadlineKinds = ['expire', 'capture', 'challenge'] as const;

const deadline = record({
  /** `challenge`: until then the payer may answer the issuer. */
  kind: oneOf(...deadlineKinds),
  at: time,
});

/** A change to announce. `body` is the callback body as it was then; absent without a subscriber. */
const paymentEvent = record({
  seq: count,
  status: oneOf(...paymentStatuses),
  at: time,
  /** Not announced before this: the caller may still get it as its own answer. */
  notBefore: time,
  body: clearable(text),
  /** True for a state that was passed in the same write and was never visible: it is not announced. */
  passed: optional(flag),
});
export interface PaymentEvent extends Stored<typeof paymentEvent> {}

const cardView = record({
  brand: text,
  last4: text,
  bin: text,
  expirationMonth: count,
  expirationYear: count,
});
export interface CardView extends Stored<typeof cardView> {}

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

const paymentMethodView = record({
  /** Payment method of the merchant, for example `visa`. */
  id: text,
  name: text,
  type: oneOf('card', 'bank-transfer'),
  source: oneOf(...cardSources, 'bank-transfer'),
  /** Absent for click-to-pay (only the processor learns the card) and where there is none. */
  card: optional(cardView),
});

/** A card that is to be saved when the payment succeeds; the token is chosen when the payment is accepted. */
const tokenization = record({
  token: text,
  type: oneOf('persistent', 'temporal'),
  expiresAt: optional(time),
  /** The card was deleted: what still saves it takes it back. */
  deleted: optional(oneOf(true)),
});
export interface Tokenization extends Stored<typeof tokenization> {}

const recurring = record({
  type: oneOf('initial', 'subsequent'),
  initialPaymentId: optional(text),
  frequency: optional(oneOf('daily', 'weekly', 'monthly', 'yearly', 'unscheduled')),
  expiresAt: clearable(time),
  reason: optional(oneOf(...recurringReasons)),
});
export interface Recurring extends Stored<typeof recurring> {}

/** Who is paid, for the acquirer. */
const payee = record({
  name: text,
  /** ISO 3166-1 alpha-2. */
  country: optional(text),
  /** ISO 18245. */
  merchantCategoryCode: optional(text),
  taxId: optional(text),
  facilitator: optional(record({ id: text, subMerchantId: text })),
});

/** Kept as the request says it and shown as it is kept: such a field is one line here, and no other code names it. */
const kept = {
  installments: optional(count),
  installmentPlan: optional(text),
  /** Less than the total may be approved. */
  allowPartialApproval: optional(flag),
  exemption: optional(oneOf(...exemptions)),
  browserDetails: optional(browserDetails),
  statementDescriptor: optional(text),
  customerId: optional(text),
  redirectUrl: optional(text),
  callbackUrl: optional(text),
};
export const keptFields = Object.keys(kept) as readonly (keyof typeof kept)[];

export const storedPayment = record({
  _id: text,
  clientId: text,
  merchantId: whole,
  traceId: text,
  /** `verification`: authorized for a token amount and cancelled by the gateway itself. */
  purpose: oneOf('payment', 'verification'),
  /** `<operation>:<referenceId>` of everything that used up a reference; unique per client. */
  refKeys: list(text),
  requestDigest: text,
  status: oneOf(...paymentStatuses),
  /** By which schema it was written (shared/store/schema-version.ts). Absent: the first. */
  schemaVersion: optional(count),
  version: count,
  /** Tokens of the newest writes, newest last: they prove a win when an acknowledgement is lost. */
  writes: list(text),
  createdAt: time,
  updatedAt: time,
  processedAt: clearable(time),
  expiresAt: clearable(time),

  referenceId: text,
  invoiceNumber: text,
  /** `pos`: paid by a code that the payer's bank reads. */
  flow: oneOf('direct', 'pos'),
  processingMethod: oneOf('api', 'checkout', 'link'),
  /** Session that it is a try of. */
  sessionId: optional(text),
  /** Payment link that it was made through. */
  paymentLink: optional(record({ id: text, externalId: text })),
  /** What each merchant gets of it; together the total. */
  split: optional(list(splitPart)),
  /** Number of the try, from 1. */
  attempt: optional(count),
  amount: paymentAmount,
  captureMethod: oneOf('automatic', 'manual'),
  captureDelaySeconds: optional(count),
  paymentMethod: paymentMethodView,
  /** Extras for the processor, never echoed. */
  processorFields: optional(metadata),
  /** Code of the processor adapter and the acquirer this payment goes to, chosen when it was accepted; of the newest attempt. */
  processor: text,
  acquirer: text,
  /** The merchant's numbers at the acquirer. */
  merchantIdentificationNumber: clearable(text),
  terminalNumber: clearable(text),
  /** Why it goes there, and where it may go next. Absent: the method has one route. */
  routing: clearable(routing),
  /** As it was when the payment was accepted. */
  payee: optional(payee),
  items: optional(list(paymentItem)),
  ...kept,
  recurring: optional(recurring),
  /** Of a charge without the payer: the payment in which the payer agreed. */
  firstPayment: optional(firstPayment),
  metadata: optional(metadata),

  /** 0 ≤ captured + held ≤ authorized and 0 ≤ refunded + held ≤ captured (held belongs to the operation in flight). */
  authorizedMinor: count,
  capturedMinor: count,
  refundedMinor: count,
  heldMinor: count,
  transactions: list(transaction),
  /** Its processor sends updates, which are found by the ids of transactions: payments without it are in no index of those. */
  takesUpdates: optional(oneOf(true)),
  /** As the processor reported them, newest last. */
  disputes: optional(list(dispute)),
  /** At most one operation at the processor at a time. `endsAs` is the state that time asked for, not the caller. */
  activeOp: clearable(record({ txId: text, kind: oneOf(...operationKinds), endsAs: optional(oneOf('expired')) })),
  work: clearable(work),
  deadline: clearable(deadline),
  refundChecks: clearable(list(refundCheck)),
  /** The earliest of them. */
  refundCheckAt: clearable(time),
  /** Of a bank transfer, once its code was issued. */
  code: clearable(paymentCode),
  /** When the bank is asked again for money that came late or twice, in order of time. */
  transferChecks: clearable(list(time)),
  /** The earliest of them. */
  transferCheckAt: clearable(time),
  /** Nothing is sent to the processor for the authorization after this. */
  authorizeBy: time,
  /**
   * What happens before this is announced then, not at once: the caller of the newest operation may get it as its own answer. It is the
   * end of that caller's wait and a pause (`callerWaits`); the time of the change where no caller waits (`noCallerWaits`).
   */
  awaitedUntil: time,

  events: list(paymentEvent),
  eventSeq: count,
  fannedOutSeq: count,
  /** Set while events wait to be announced: when the first of them is due. */
  announceAt: clearable(time),
  /** Sequence numbers that the caller got as its own HTTP answer. Written by the API only, outside `version`. */
  answered: clearable(list(count)),

  card: clearable(envelope),
  /** Token of the saved card that is charged: its own envelope holds the card, this payment has none. */
  instrument: optional(text),
  /** The saved card brings the cryptogram of a wallet, which no second route may send again. */
  savedCryptogram: optional(oneOf(true)),
  tokenization: clearable(tokenization),
  /** Set with success while the card is still to be saved. */
  tokenizeAt: clearable(time),
  cardDestroyAt: clearable(time),
  /** A secret of the payer's went with it: a cvc, or a cryptogram. What it was is destroyed; that it was there stays. */
  payerSecret: optional(oneOf(true)),
  /** The cvc, or the cryptogram of a network token: destroyed with the outcome. */
  cvc: clearable(envelope),
  cvcDestroyAt: clearable(time),
  /** What the rules of 3D Secure look at, until the `threeds` pool has applied them: then `threeDs` says what was decided. */
  threeDsFacts: clearable(authenticationFacts),
  /** What was decided about 3D Secure, and what came of it. Absent: there was nothing to decide. */
  threeDs: optional(authentication),
  /** The settings that it is authenticated by, as they were when it was accepted. */
  threeDsSettings: clearable(threeDsSettings),
  /** The authentication value (CAVV) for the processor: destroyed with the outcome, as the cvc is. */
  authenticationValue: clearable(envelope),
  /** What a person has to look at, newest last. */
  alerts: optional(list(record({ at: time, text: text }))),
});
export interface Payment extends Stored<typeof storedPayment> {}

type Kept = Pick<Payment, (typeof keptFields)[number]>;

/** The fields that are kept as they were sent, of a request or of a payment; none of them with `undefined`. */
export function keptOf(source: Kept): Kept {
  const kept: Record<string, unknown> = {};
  for (const name of keptFields) if (source[name] !== undefined) kept[name] = source[name];
  return kept;
}
