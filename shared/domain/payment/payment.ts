/**
 * The payment as it is stored, described once: one document that contains its state, its next piece of work and the events to
 * announce (docs/reliability.md). Its type and the check of every write in tests (decision 37) are derived from the description.
 * All amounts are integers in minor units of `amount.currency`; all times are `Date` in UTC.
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

/** A sealed value of the vault: opaque here. Only `shared/vault` seals and opens it. */
const envelope = record({
  /** 2: also bound to merchant and customer. */
  v: oneOf(1, 2),
  alg: oneOf('A256GCM'),
  /** Id of the data key, for example `card:484012`. */
  kid: text,
  iv: bytes,
  /** Ciphertext followed by the 16-byte tag. */
  ct: bytes,
});
export interface Envelope extends Stored<typeof envelope> {}

/** An approved refund about which the processor is asked again at `at`; `tries` counts the inquiries so far. */
const refundCheck = record({
  txId: text,
  tries: count,
  at: time,
});
export interface RefundCheck extends Stored<typeof refundCheck> {}

export const deadlineKinds = ['expire', 'capture', 'challenge'] as const;

const deadline = record({
  /** `challenge`: the payer may answer the issuer until `at`. */
  kind: oneOf(...deadlineKinds),
  at: time,
});

/** A change to announce. `body` is the callback body at the time of the change; absent without a subscriber. */
const paymentEvent = record({
  seq: count,
  status: oneOf(...paymentStatuses),
  at: time,
  /** The event is not announced before this time: the caller may still get the change as its own answer. */
  notBefore: time,
  body: clearable(text),
  /** True for a status that was passed within one write and was never visible: the event is not announced. */
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
  /** Id of the merchant's payment method, for example `visa`. */
  id: text,
  name: text,
  type: oneOf('card', 'bank-transfer'),
  source: oneOf(...cardSources, 'bank-transfer'),
  /** Absent for click-to-pay (only the processor learns the card) and for payments without a card. */
  card: optional(cardView),
});

/** A card that is saved when the payment succeeds. The token is chosen when the payment is accepted. */
const tokenization = record({
  token: text,
  type: oneOf('persistent', 'temporal'),
  expiresAt: optional(time),
  /** Set when the card was deleted: a process that is still saving the card removes it again. */
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

/** The merchant that is paid, as the acquirer needs it. */
const payee = record({
  name: text,
  /** ISO 3166-1 alpha-2. */
  country: optional(text),
  /** ISO 18245. */
  merchantCategoryCode: optional(text),
  taxId: optional(text),
  facilitator: optional(record({ id: text, subMerchantId: text })),
});

/** Fields that are stored as sent and shown as stored: each is one line here, and storing and showing needs no other code. */
const kept = {
  installments: optional(count),
  installmentPlan: optional(text),
  /** Whether less than the total may be approved. */
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
  /** `verification`: authorized for a small amount and cancelled by the gateway itself. */
  purpose: oneOf('payment', 'verification'),
  /** `<operation>:<referenceId>` of everything that used a reference; unique per client. */
  refKeys: list(text),
  requestDigest: text,
  status: oneOf(...paymentStatuses),
  /** Version of the schema by which the payment was written (shared/store/schema-version.ts). Absent: the first. */
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
  /** Session of which the payment is a try. */
  sessionId: optional(text),
  /** Payment link through which the payment was made. */
  paymentLink: optional(record({ id: text, externalId: text })),
  /** What each merchant gets of the payment; the parts add up to the total. */
  split: optional(list(splitPart)),
  /** Number of the try in the session, from 1. */
  attempt: optional(count),
  amount: paymentAmount,
  captureMethod: oneOf('automatic', 'manual'),
  captureDelaySeconds: optional(count),
  paymentMethod: paymentMethodView,
  /** Additional fields for the processor, never shown. */
  processorFields: optional(metadata),
  /** Code of the processor adapter, and the acquirer, chosen when the payment is accepted; those of the newest attempt. */
  processor: text,
  acquirer: text,
  /** The merchant's numbers at the acquirer. */
  merchantIdentificationNumber: clearable(text),
  terminalNumber: clearable(text),
  /** Why the payment goes there, and where it may go next. Absent: the method has one route. */
  routing: clearable(routing),
  /** The payee as it was when the payment was accepted. */
  payee: optional(payee),
  items: optional(list(paymentItem)),
  ...kept,
  recurring: optional(recurring),
  /** For a charge without the payer: the payment in which the payer agreed. */
  firstPayment: optional(firstPayment),
  metadata: optional(metadata),

  /** 0 ≤ captured + held ≤ authorized and 0 ≤ refunded + held ≤ captured (held: amount of the operation in flight). */
  authorizedMinor: count,
  capturedMinor: count,
  refundedMinor: count,
  heldMinor: count,
  transactions: list(transaction),
  /** Set when the processor sends updates, which name the payment by transaction ids: only such payments are in that index. */
  takesUpdates: optional(oneOf(true)),
  /** Disputes as the processor reported them, newest last. */
  disputes: optional(list(dispute)),
  /** At most one operation is at the processor at a time. `endsAs`: the status in which an operation ends that the clock started. */
  activeOp: clearable(record({ txId: text, kind: oneOf(...operationKinds), endsAs: optional(oneOf('expired')) })),
  work: clearable(work),
  deadline: clearable(deadline),
  refundChecks: clearable(list(refundCheck)),
  /** The earliest of `refundChecks`. */
  refundCheckAt: clearable(time),
  /** Code of a bank transfer, once it was issued. */
  code: clearable(paymentCode),
  /** When the bank is asked again for money that came late or twice, earliest first. */
  transferChecks: clearable(list(time)),
  /** The earliest of `transferChecks`. */
  transferCheckAt: clearable(time),
  /** After this time, nothing is sent to the processor for the authorization. */
  authorizeBy: time,
  /**
   * A change before this time is announced at this time, not at once: the caller of the newest operation may get it as its own answer. It
   * is the end of that caller's wait plus a pause (`callerWaits`), or the time of the change when no caller waits (`noCallerWaits`).
   */
  awaitedUntil: time,

  events: list(paymentEvent),
  eventSeq: count,
  fannedOutSeq: count,
  /** When the first event that waits to be announced is due; absent when none waits. */
  announceAt: clearable(time),
  /** Sequence numbers of events that the caller got as its own HTTP answer. Written only by the API, outside `version`. */
  answered: clearable(list(count)),

  card: clearable(envelope),
  /** Token of the saved card that is charged: the saved card has its own envelope, the payment has none. */
  instrument: optional(text),
  /** Set when the saved card has a wallet's cryptogram, which no second route may send again. */
  savedCryptogram: optional(oneOf(true)),
  tokenization: clearable(tokenization),
  /** Set when the payment succeeds, until the card is saved. */
  tokenizeAt: clearable(time),
  cardDestroyAt: clearable(time),
  /** Set when the payment was sent a secret of the payer: a cvc or a cryptogram. The secret is destroyed; this mark stays. */
  payerSecret: optional(oneOf(true)),
  /** The cvc, or the cryptogram of a network token; destroyed with the outcome. */
  cvc: clearable(envelope),
  cvcDestroyAt: clearable(time),
  /** Facts for the rules of 3D Secure, until the `threeds` pool has applied the rules: then `threeDs` has the decision. */
  threeDsFacts: clearable(authenticationFacts),
  /** What was decided about 3D Secure, and the result. Absent: there was nothing to decide. */
  threeDs: optional(authentication),
  /** Settings by which the payment is authenticated, as they were when it was accepted. */
  threeDsSettings: clearable(threeDsSettings),
  /** The authentication value (CAVV) for the processor; destroyed with the outcome, like the cvc. */
  authenticationValue: clearable(envelope),
  /** Alerts that a person has to look at, newest last. */
  alerts: optional(list(record({ at: time, text: text }))),
});
export interface Payment extends Stored<typeof storedPayment> {}

type Kept = Pick<Payment, (typeof keptFields)[number]>;

/** Returns the fields of a request or a payment that are kept as sent, without those that are `undefined`. */
export function keptOf(source: Kept): Kept {
  const kept: Record<string, unknown> = {};
  for (const name of keptFields) if (source[name] !== undefined) kept[name] = source[name];
  return kept;
}
