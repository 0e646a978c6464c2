/** Captures, cancellations, refunds and reversals: Adyen accepts the request and notifies of the outcome later. */
import { defined } from '../../domain/defined.js';
import { responseCodes } from '../../domain/response-codes.js';
import type { Declined, FollowUpRequest, ReverseRequest, ReverseResult, SendResult } from '../processor.js';
import { readReceived } from './answer.schema.js';
import { doesNotFit } from './authorize.js';
import { toAdyenAmount } from './currency.js';
import { outcomeOfError } from './errors.js';
import { type AdyenAccount, type AdyenContext, accountOf, call, noAccount } from './exchange.js';
import { type ModificationKind, referenceOf } from './references.js';
import { amountOf } from './to-outcome.js';
import { notSupported } from './unsupported.js';
import type { AdyenModification, AdyenReceived, ModificationPath } from './wire.js';

const paths = { capture: 'captures', cancel: 'cancels', refund: 'refunds' } as const satisfies Record<
  ModificationKind,
  ModificationPath
>;

/** The decline of an operation on a payment for which Adyen never returned a reference, so that no request can name it. */
const noOriginal: Declined = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: responseCodes.unknownRecord,
  resultMessage: 'Unable to locate record',
  declineCode: 'generic_decline',
};

/** Adyen's reasons by those of the gateway's contract; other reasons have none at Adyen. */
const refundReasons: Readonly<Record<string, AdyenModification['merchantRefundReason']>> = {
  'customer-request': 'CUSTOMER REQUEST',
  'duplicate-transaction': 'DUPLICATE',
  'fraud-detected': 'FRAUD',
  return: 'RETURN',
  other: 'OTHER',
};

const path = (pspReference: string, what: ModificationPath) => `/payments/${encodeURIComponent(pspReference)}/${what}`;

function bodyOf(kind: ModificationKind, request: FollowUpRequest, { merchantAccount }: AdyenAccount) {
  const { key, amountMinor, currency, reason } = request;
  const reference = referenceOf(kind, key);
  if (kind === 'cancel') return { merchantAccount, reference };
  const amount = toAdyenAmount(amountMinor, currency);
  if (!amount) return undefined;
  const merchantRefundReason = kind === 'refund' ? refundReasons[reason ?? ''] : undefined;
  return { merchantAccount, reference, amount, ...defined({ merchantRefundReason }) };
}

/** Builds the result for a request that Adyen received; a notification brings the outcome. `checkAnswers` compares what Adyen repeats. */
const received = (answer: AdyenReceived, kind: ModificationKind, { key }: FollowUpRequest): SendResult => ({
  kind: 'pending',
  about: {
    ...(answer.reference !== undefined && {
      key: answer.reference === referenceOf(kind, key) ? key : answer.reference,
    }),
    ...(answer.amount && amountOf(answer.amount)),
  },
  resultMessage: 'Received; Adyen notifies of the outcome',
  processorReference: answer.pspReference,
  ticket: answer.pspReference,
});

/** @param first whether nothing was sent under the key before */
export async function sendModification(
  context: AdyenContext,
  kind: ModificationKind,
  request: FollowUpRequest,
  account: AdyenAccount | undefined,
  first: boolean,
): Promise<SendResult> {
  const { key, originalReferences, currency } = request;
  const original = originalReferences.processorReference;
  if (original === undefined) return noOriginal;
  if (!account) return noAccount;
  const body = bodyOf(kind, request, account);
  if (!body) return notSupported(`this amount of ${currency}`);
  const reply = await call(context, { account, path: path(original, paths[kind]), body, idempotencyKey: key });
  if (reply.kind === 'refused') return outcomeOfError(reply.status, reply.error, first);
  if (reply.kind !== 'success') return reply;
  const answer = readReceived(reply.json);
  if (!answer || (answer.paymentPspReference ?? original) !== original) return doesNotFit(context, key);
  return received(answer, kind, request);
}

export const modify =
  (context: AdyenContext, kind: ModificationKind) =>
  (request: FollowUpRequest): Promise<SendResult> =>
    sendModification(context, kind, request, accountOf(request.merchant), true);

const noAnswer = (internal: string): ReverseResult => ({ kind: 'no-answer', internal });

/**
 * Reverses a payment, captured or not. A payment without a reference of Adyen's is named by our own reference, which only works
 * before its capture. Adyen accepts the request and notifies of the outcome later, so an answer never confirms the reversal.
 */
export async function reverse(context: AdyenContext, request: ReverseRequest): Promise<ReverseResult> {
  const { key, original, originalReferences, merchant, refusals } = request;
  const account = accountOf(merchant);
  if (!account) return noAnswer(noAccount.internal);
  const { merchantAccount } = account;
  const { processorReference } = originalReferences;
  // Each request has its own key: one with the other reference, or after a refusal, must not get the first request's answer.
  const named =
    processorReference === undefined
      ? { path: '/cancels', body: { merchantAccount, paymentReference: original, reference: key }, suffix: 'ref' }
      : { path: path(processorReference, 'reversals'), body: { merchantAccount, reference: key }, suffix: 'psp' };
  const { suffix, ...rest } = named;
  const idempotencyKey = refusals === undefined ? `${key}-${suffix}` : `${key}-${suffix}-${refusals}`;
  const reply = await call(context, { account, ...rest, idempotencyKey });
  if (reply.kind === 'refused') return noAnswer(`status ${reply.status}, error ${reply.error?.errorCode ?? 'unknown'}`);
  if (reply.kind !== 'success') return noAnswer(reply.internal);
  return readReceived(reply.json)
    ? noAnswer('Adyen took the reversal and notifies of the outcome')
    : noAnswer(doesNotFit(context, key).internal);
}
