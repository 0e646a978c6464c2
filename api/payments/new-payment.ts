/** Turns a validated request into the stored document. Only this file defines the shape of a new payment (docs/performance.md). */

import { limits } from '../../config/limits.js';
import { invalidField } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import { callerWaits, noCallerWaits } from '../../shared/domain/payment/awaited.js';
import { emptyOutcome } from '../../shared/domain/payment/empty-outcome.js';
import { laterChargeReferences } from '../../shared/domain/payment/network-answer.js';
import {
  keptOf,
  type Payment,
  type PaymentItem,
  type Recurring,
  type Tokenization,
  type Transaction,
} from '../../shared/domain/payment/payment.js';
import { newClaimedWork, newWork } from '../../shared/domain/payment/work.js';
import { after } from '../../shared/domain/time.js';
import { newInstrumentToken, newToken, newTransactionId } from '../../shared/ids.js';
import { dedupes } from '../../shared/processors/capabilities.js';
import { written } from '../../shared/store/schema-version.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { digestBody } from './body-digest.js';
import type { PaymentDraft, PaymentOrigin } from './payment-draft.js';
import type { PaymentMethodBody } from './payment-method.schema.js';
import type { ItemBody } from './payment-request.schema.js';
import type { SealedSource } from './payment-source.js';
import type { Charge } from './plan-charge.js';

/** What is known about the request before anything is stored. */
interface PaymentParts {
  readonly origin: PaymentOrigin;
  /** Absent for a bank transfer. */
  readonly source: SealedSource | undefined;
  readonly charge: Charge;
}

function toItem({ metadata, ...item }: ItemBody): PaymentItem {
  return { ...item, ...(metadata && { metadata: fromMap(metadata) }) };
}

/** Returns every field that is kept as it was sent. */
function keptRequestFields(draft: PaymentDraft) {
  const { items, recurring, metadata, paymentMethod } = draft;
  return defined({
    items: items?.map(toItem),
    recurring,
    metadata: metadata && fromMap(metadata),
    processorFields: paymentMethod.fields && fromMap(paymentMethod.fields),
    ...keptOf(draft),
  });
}

function firstPaymentReferences(first: Payment) {
  const tx = authorizationOf(first);
  return tx && laterChargeReferences(tx);
}

/** A charge without the payer names the payment in which the payer agreed, with the references that its processor gave to it. */
const agreedIn = (first: Payment, recurring: Recurring): Pick<Payment, 'recurring' | 'firstPayment'> => ({
  recurring: { ...recurring, initialPaymentId: first._id },
  firstPayment: { processor: first.processor, ...firstPaymentReferences(first) },
});

/**
 * Returns the first work of the payment. When the processor dedupes by our key, the authorization gets a stored claim, which its
 * first nudge carries. Not when nudges cannot be sent: the payment would then wait until that lease ends.
 */
function firstWork({ nudges }: Pick<ApiDeps, 'nudges'>, { work, fields }: Charge, txId: string, now: Date) {
  if (work !== 'authorize' || !dedupes(fields.processor) || !nudges.ready('processor')) return newWork(work, txId, now);
  return newClaimedWork(txId, now, newToken(), limits.storedClaimLeaseMs);
}

type Capture = Pick<Payment, 'captureMethod' | 'captureDelaySeconds'>;

/** Decides how the money is captured: at once, by a later call, or after a delay (a hold until then). */
function captureOf({ capture, purpose }: PaymentDraft): Capture {
  if (purpose === 'verification' || capture?.method === 'manual') return { captureMethod: 'manual' };
  if (!capture?.delay) return { captureMethod: 'automatic' };
  return { captureMethod: 'automatic', captureDelaySeconds: capture.delay };
}

function firstTransaction(draft: PaymentDraft, capture: Capture, keyId: string, now: Date): Transaction {
  const oneStep = capture.captureMethod === 'automatic' && capture.captureDelaySeconds === undefined;
  return {
    id: newTransactionId(),
    kind: oneStep ? 'purchase' : 'authorization',
    referenceId: draft.referenceId,
    amountMinor: draft.amount.totalMinor,
    status: 'created',
    createdAt: now,
    actorKeyId: keyId,
  };
}

const EXPIRATION_FIELD = 'paymentMethod.card.tokenizationSettings.expiration';

const refused = (reason: string) => invalidField(EXPIRATION_FIELD, reason);

/** @throws {GatewayError} `request-validation-errors` naming the expiration: in the past, or more than a day ahead for a temporal token. */
function planTokenization(method: PaymentMethodBody, now: Date): { tokenization?: Tokenization } {
  const settings = method.card?.tokenizationSettings;
  if (!settings) return {};
  const { expiration } = settings;
  if (expiration && expiration <= now) throw refused('is in the past');
  const token = newInstrumentToken();
  if (settings.type === 'store') {
    return { tokenization: { token, type: 'persistent', ...(expiration && { expiresAt: expiration }) } };
  }
  const latest = after(now, limits.temporalTokenMs);
  if (expiration && expiration > latest) {
    throw refused(
      'is more than 24 hours ahead, the lifetime of a temporal token: send an earlier time, leave it out, or use type store',
    );
  }
  return { tokenization: { token, type: 'temporal', expiresAt: expiration ?? latest } };
}

/** Returns what is sealed with the payment, and how its card is saved. */
function cardFieldsOf(draft: PaymentDraft, source: SealedSource | undefined, now: Date) {
  if (!source) return {};
  return defined({
    payerSecret: source.withSecret ? (true as const) : undefined,
    savedCryptogram: source.saved && source.chargedAs === 'wallet-cryptogram' ? (true as const) : undefined,
    ...source.sealed,
    ...planTokenization(draft.paymentMethod, now),
  });
}

/** Notes whether any processor that the payment may go to sends updates: the payment may move on to another route. */
function updatesOf(
  { updateReaders }: Pick<ApiDeps, 'updateReaders'>,
  { fields }: Charge,
): Pick<Payment, 'takesUpdates'> {
  const codes = [fields.processor, ...(fields.routing?.candidates ?? []).map(({ processor }) => processor)];
  return codes.some((code) => updateReaders.get(code)) ? { takesUpdates: true } : {};
}

const noMoney = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0, heldMinor: 0 } as const;

/**
 * Builds the payment in its first state: `created`, with its first work due at once.
 * @param waitMs how long the caller waits for the outcome.
 * @throws {GatewayError} `request-validation-errors` naming the expiration of a token to save
 */
export function newPayment(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'nudges' | 'updateReaders'>,
  draft: PaymentDraft,
  { origin, source, charge }: PaymentParts,
  { principal, traceId }: Caller,
  waitMs: number,
): Payment {
  const now = deps.clock.now();
  const { fields, firstPayment } = charge;
  const capture = captureOf(draft);
  const transaction = firstTransaction(draft, capture, principal.keyId, now);
  return {
    clientId: principal.clientId,
    ...origin,
    merchantId: draft.merchantId,
    traceId,
    purpose: draft.purpose,
    status: 'created',
    ...written('payments'),
    version: 1,
    writes: [],
    createdAt: now,
    updatedAt: now,
    referenceId: draft.referenceId,
    invoiceNumber: draft.invoiceNumber,
    amount: draft.amount,
    ...fields,
    ...capture,
    ...keptRequestFields(draft),
    requestDigest: digestBody(deps.config.digestKey, draft),
    ...(draft.recurring && firstPayment && agreedIn(firstPayment, draft.recurring)),
    ...cardFieldsOf(draft, source, now),
    ...noMoney,
    ...emptyOutcome,
    ...updatesOf(deps, charge),
    transactions: [transaction],
    work: firstWork(deps, charge, transaction.id, now),
    authorizeBy: after(now, limits.authorizeWithinMs),
    // The integrator of a session does not wait for an answer, so every change is announced at once.
    awaitedUntil:
      origin.processingMethod === 'api' ? callerWaits(now, waitMs, limits.announceAfterWaitMs) : noCallerWaits(now),
    events: [],
    eventSeq: 0,
    fannedOutSeq: 0,
  };
}
