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
import { splitPart } from '../payment-link/split.js';
import { authentication } from '../threeds/authentication.js';
import { threeDsSettings } from '../threeds/settings.js';
import { metadata, paymentAmount, paymentItem } from './payment-amount.js';
import { paymentStatuses, transactionStatuses } from './statuses.js';

export type { AmountDetails, Metadata, NamedAmount, PaymentAmount, PaymentItem, TaxDetail } from './payment-amount.js';

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

export const transactionKinds = ['purchase', 'authorization', 'capture', 'cancellation', 'refund', 'reversal'] as const;
export type TransactionKind = (typeof transactionKinds)[number];

const transaction = record({
  /** `txn_…`; also the idempotency key at the processor. */
  id: text,
  kind: oneOf(...transactionKinds),
  referenceId: text,
  amountMinor: count,
  status: oneOf(...transactionStatuses),
  createdAt: time,
  processedAt: clearable(time),
  /** ISO 8583 response code, for example `00`, `51`. */
  resultCode: optional(text),
  resultMessage: optional(text),
  /** Processor decline code, for example `insufficient_funds`. */
  declineCode: optional(text),
  /** Authorization code of the issuer. */
  authorization: optional(text),
  /** The processor's own number of the operation. */
  ticket: optional(text),
  reason: optional(text),
  description: optional(text),
  metadata: optional(metadata),
  /** API key that asked for it, or that made the session it was paid by; absent where the gateway itself did. */
  actorKeyId: optional(text),
  /** HMAC of the request that made it, to tell a repeated request from another one with the same reference. */
  requestDigest: optional(text),
  /** The error code the caller is answered with, when it did not succeed. */
  errorCode: optional(text),
  /** A person has to look at it: it disagrees with the payment (late news, unconfirmed reversal). */
  flagged: optional(text),
});
export interface Transaction extends Stored<typeof transaction> {}

const operationKinds = ['authorize', 'capture', 'cancel', 'refund'] as const;
export type OperationKind = (typeof operationKinds)[number];
const processorWorkKinds = [...operationKinds, 'inquire', 'reverse'] as const;
/** What the processor pool must do: send an operation, ask what became of it, or take it back. */
export type ProcessorWorkKind = (typeof processorWorkKinds)[number];
const threeDsWorkKinds = ['authenticate', 'await-challenge', 'conclude'] as const;
/**
 * What the threeds pool must do: begin an authentication, look now and then whether the payer has answered the issuer, or fetch
 * the result because the payer is back or the time is up.
 */
export type ThreeDsWorkKind = (typeof threeDsWorkKinds)[number];
const qrWorkKinds = ['issue-code', 'await-transfer'] as const;
/** What the qr pool must do: have a code issued, or ask whether it was paid. */
export type QrWorkKind = (typeof qrWorkKinds)[number];
const workKinds = [...processorWorkKinds, ...threeDsWorkKinds, ...qrWorkKinds] as const;
/** What a worker must do now. */
export type WorkKind = (typeof workKinds)[number];
const workQueues = ['processor', 'threeds', 'qr'] as const;
/** Queue, pool and folder are one. */
export type WorkQueue = (typeof workQueues)[number];

const attempt = record({
  token: text,
  startedAt: time,
  /** Stored with the payment itself (docs/reliability.md, "Two writes"): who has not claimed it may still have sent it. */
  atInsert: clearable(oneOf(true)),
});
export interface Attempt extends Stored<typeof attempt> {}

const work = record({
  queue: oneOf(...workQueues),
  kind: oneOf(...workKinds),
  txId: text,
  dueAt: time,
  /** Grows when a sweep enqueues it again after a lease ran out: a job id is never used twice. */
  gen: count,
  leaseToken: clearable(text),
  /** Epoch when free; compared with the database's clock. */
  leaseUntil: time,
  /** Tries of this kind of work so far (inquiries, reversals, sends that never left). */
  tries: count,
  /** Written before a byte leaves for the processor. Inherited from another claim, it means: inquire, do not send. */
  attempt: clearable(attempt),
});
export interface Work extends Stored<typeof work> {}

/** An approved refund that is asked about again at `at`; `tries` counts how often it was. */
const refundCheck = record({
  txId: text,
  tries: count,
  at: time,
});
export interface RefundCheck extends Stored<typeof refundCheck> {}

const deadline = record({
  /** `challenge`: until then the payer may answer the issuer. */
  kind: oneOf('expire', 'capture', 'challenge'),
  at: time,
});
export interface Deadline extends Stored<typeof deadline> {}

/** A change to announce. `body` is the callback body as it was then; absent where nobody subscribed. */
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
/** Where the card of a payment comes from (contract, "PaymentMethod"). */
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
export interface PaymentMethodView extends Stored<typeof paymentMethodView> {}

/** A card that is to be saved when the payment succeeds; the token is chosen when the payment is accepted. */
const tokenization = record({
  token: text,
  type: oneOf('persistent', 'temporal'),
  expiresAt: optional(time),
});
export interface Tokenization extends Stored<typeof tokenization> {}

const browserDetails = record({
  ipAddress: optional(text),
  userAgent: optional(text),
  deviceFingerprint: optional(text),
  device: optional(text),
  operativeSystem: optional(text),
});
export interface BrowserDetails extends Stored<typeof browserDetails> {}

const recurring = record({
  type: oneOf('initial', 'subsequent'),
  initialPaymentId: optional(text),
  frequency: optional(oneOf('daily', 'weekly', 'monthly', 'yearly', 'unscheduled')),
  expiresAt: clearable(time),
});
export interface Recurring extends Stored<typeof recurring> {}

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
  /** Code of the processor adapter and the acquirer this payment goes to, chosen when it was accepted. */
  processor: text,
  acquirer: text,
  /** The merchant's numbers at the acquirer. */
  merchantIdentificationNumber: optional(text),
  terminalNumber: optional(text),
  items: optional(list(paymentItem)),
  installments: optional(count),
  browserDetails: optional(browserDetails),
  statementDescriptor: optional(text),
  customerId: optional(text),
  redirectUrl: optional(text),
  callbackUrl: optional(text),
  recurring: optional(recurring),
  metadata: optional(metadata),

  /** 0 ≤ captured + held ≤ authorized and 0 ≤ refunded + held ≤ captured (held belongs to the operation in flight). */
  authorizedMinor: count,
  capturedMinor: count,
  refundedMinor: count,
  heldMinor: count,
  transactions: list(transaction),
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
  /** The caller of the newest operation waits until then (plus a second): its events are held back that long. */
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
  tokenization: clearable(tokenization),
  /** Set with success while the card is still to be saved. */
  tokenizeAt: clearable(time),
  cardDestroyAt: clearable(time),
  /** A secret of the payer's went with it: a cvc, or a cryptogram. What it was is destroyed; that it was there stays. */
  payerSecret: optional(oneOf(true)),
  /** The cvc, or the cryptogram of a network token: destroyed with the outcome. */
  cvc: clearable(envelope),
  cvcDestroyAt: clearable(time),
  /** What was decided about 3D Secure, and what came of it. Absent: there was nothing to decide. */
  threeDs: optional(authentication),
  /** The settings that it is authenticated by, as they were when it was accepted. */
  threeDsSettings: optional(threeDsSettings),
  /** The authentication value (CAVV) for the processor: destroyed with the outcome, as the cvc is. */
  authenticationValue: clearable(envelope),
  /** What a person has to look at, newest last. */
  alerts: optional(list(record({ at: time, text: text }))),
});
export interface Payment extends Stored<typeof storedPayment> {}
