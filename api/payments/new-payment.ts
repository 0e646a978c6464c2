/** From a validated request to the document that is stored: the one place that owns its shape (docs/performance.md). */

import { limits } from '../../config/limits.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import type { Payment, PaymentItem, Transaction } from '../../shared/domain/payment/payment.js';
import { refKey } from '../../shared/domain/payment/plan-operation.js';
import { newClaimedWork, newWork } from '../../shared/domain/payment/work.js';
import type { SessionTry } from '../../shared/domain/session/session.js';
import { idFrom, newPaymentId, newToken, newTransactionId } from '../../shared/ids.js';
import { dedupes } from '../../shared/processors/capabilities.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { digestBody } from './body-digest.js';
import type { ChosenMethod } from './choose-payment-method.js';
import type { ItemBody, PaymentRequestBody } from './payment-request.schema.js';
import type { PlannedAuthentication } from './plan-authentication.js';
import { planTokenization } from './plan-tokenization.js';
import type { ResolvedSource } from './resolve-source.js';
import { sealSource } from './seal-source.js';

/** A payment request, or a verification in the same shape. */
export type PaymentDraft = PaymentRequestBody & {
  readonly purpose: Payment['purpose'];
  /** The session of the payment has `settings.checkout.disableThreeds`. */
  readonly disableThreeds?: boolean;
  /** The payer's try of a session. Absent: the integrator's own payment. */
  readonly sessionTry?: SessionTry;
  /** Link that the payer came by. */
  readonly paymentLink?: Payment['paymentLink'];
  readonly split?: Payment['split'];
};

/** What was found out about the request before anything is stored. */
interface Found {
  readonly source: ResolvedSource;
  readonly method: ChosenMethod;
  readonly threeDs: PlannedAuthentication;
  /** Of a later charge of a stored card: the payment in which its payer agreed. */
  readonly firstPaymentId?: string | undefined;
}

/** The id: chosen by the session, made from the caller's key, or new. */
export function chooseId({ sessionTry }: PaymentDraft, { idempotency }: Caller): string {
  if (sessionTry) return sessionTry.paymentId;
  return idempotency ? idFrom('pay', idempotency.seed) : newPaymentId();
}

/** What tells whose payment it is. */
export function originOf({ sessionTry, referenceId, paymentLink, split }: PaymentDraft) {
  if (!sessionTry) return { refKeys: [refKey('payment', referenceId)], processingMethod: 'api' } as const;
  const { sessionId, attempt, refKey: own, claimKey } = sessionTry;
  const refKeys = claimKey === undefined ? [own] : [own, claimKey];
  if (!paymentLink) return { refKeys, processingMethod: 'checkout', sessionId, attempt } as const;
  return { refKeys, processingMethod: 'link', sessionId, attempt, paymentLink, ...(split && { split }) } as const;
}

function toItem({ metadata, ...item }: ItemBody): PaymentItem {
  return { ...item, ...(metadata && { metadata: fromMap(metadata) }) };
}

/** Everything that is kept as it was sent. */
export function echoed(draft: PaymentDraft) {
  return {
    ...(draft.items && { items: draft.items.map(toItem) }),
    ...(draft.installments !== undefined && { installments: draft.installments }),
    ...(draft.browserDetails && { browserDetails: draft.browserDetails }),
    ...(draft.statementDescriptor !== undefined && { statementDescriptor: draft.statementDescriptor }),
    ...(draft.customerId !== undefined && { customerId: draft.customerId }),
    ...(draft.redirectUrl !== undefined && { redirectUrl: draft.redirectUrl }),
    ...(draft.callbackUrl !== undefined && { callbackUrl: draft.callbackUrl }),
    ...(draft.recurring && { recurring: draft.recurring }),
    ...(draft.metadata && { metadata: fromMap(draft.metadata) }),
    ...(draft.paymentMethod.fields && { processorFields: fromMap(draft.paymentMethod.fields) }),
  };
}

/** How the money is to be captured: at once, by hand, or after a delay (which is a hold until then). */
function captureOf({ capture, purpose }: PaymentDraft) {
  if (purpose === 'verification' || capture?.method === 'manual') return { captureMethod: 'manual' } as const;
  if (!capture?.delay) return { captureMethod: 'automatic' } as const;
  return { captureMethod: 'automatic', captureDelaySeconds: capture.delay } as const;
}

function methodView(method: ChosenMethod, { source, view }: ResolvedSource): Payment['paymentMethod'] {
  const { brand } = method;
  return { id: brand, name: method.name, type: 'card', source, ...(view && { card: { brand, ...view } }) };
}

export function routeOf({ processor, acquirer, settings }: Pick<ChosenMethod, 'processor' | 'acquirer' | 'settings'>) {
  return {
    processor,
    acquirer,
    ...(settings.merchantIdentificationNumber !== undefined && {
      merchantIdentificationNumber: settings.merchantIdentificationNumber,
    }),
    ...(settings.terminalNumber !== undefined && { terminalNumber: settings.terminalNumber }),
  };
}

/**
 * What is to be done first. Where the processor dedupes by our key, the claim is stored with the payment, for its first hint to
 * take; a hint that cannot be sent would leave the payment waiting for the end of that lease.
 */
function firstWork(
  deps: ApiDeps,
  { processor }: ChosenMethod,
  threeDs: PlannedAuthentication,
  txId: string,
  now: Date,
) {
  if (threeDs.threeDs?.required) return newWork('authenticate', txId, now);
  if (!dedupes(processor) || !deps.hints.ready()) return newWork('authorize', txId, now);
  return newClaimedWork(txId, now, newToken(), limits.firstLeaseMs);
}

/**
 * The payment in its first state: `created`, with the authorization as its work, due at once.
 * @param waitMs how long the caller waits for the outcome.
 */
export async function newPayment(
  deps: ApiDeps,
  draft: PaymentDraft,
  { source, method, threeDs, firstPaymentId }: Found,
  caller: Caller,
  waitMs: number,
): Promise<Payment> {
  const now = deps.clock.now();
  const id = chooseId(draft, caller);
  const { clientId } = caller.principal;
  const tokenization = planTokenization(draft.paymentMethod, now);
  const sealed = await sealSource(
    deps,
    source,
    { recordId: id, clientId, owner: { merchantId: draft.merchantId, customerId: draft.customerId } },
    now,
  );
  const capture = captureOf(draft);
  const oneStep = capture.captureMethod === 'automatic' && !('captureDelaySeconds' in capture);
  const transaction: Transaction = {
    id: newTransactionId(),
    kind: oneStep ? 'purchase' : 'authorization',
    referenceId: draft.referenceId,
    amountMinor: draft.amount.totalMinor,
    status: 'created',
    createdAt: now,
    actorKeyId: caller.principal.keyId,
  };
  const after = (ms: number) => new Date(now.getTime() + ms);
  return {
    _id: id,
    clientId,
    merchantId: draft.merchantId,
    traceId: caller.traceId,
    purpose: draft.purpose,
    ...originOf(draft),
    requestDigest: digestBody(deps.config.digestKey, draft),
    status: 'created',
    version: 1,
    writes: [],
    createdAt: now,
    updatedAt: now,
    referenceId: draft.referenceId,
    invoiceNumber: draft.invoiceNumber,
    flow: 'direct',
    amount: draft.amount,
    ...capture,
    paymentMethod: methodView(method, source),
    ...routeOf(method),
    ...echoed(draft),
    ...(draft.recurring && firstPaymentId && { recurring: { ...draft.recurring, initialPaymentId: firstPaymentId } }),
    ...(source.secret !== undefined && { payerSecret: true as const }),
    ...sealed,
    ...tokenization,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    heldMinor: 0,
    transactions: [transaction],
    ...threeDs,
    ...(threeDs.threeDs?.sessionId && { threeDs: { ...threeDs.threeDs, createdAt: now, updatedAt: now } }),
    work: firstWork(deps, method, threeDs, transaction.id, now),
    authorizeBy: after(limits.authorizeWithinMs),
    // The integrator of a session waits for no answer: it hears of every change at once.
    awaitedUntil: draft.sessionTry ? now : after(waitMs + limits.announceAfterWaitMs),
    events: [],
    eventSeq: 0,
    fannedOutSeq: 0,
  };
}
