/** Converts notifications to updates of the port. Pure. */
import { defined } from '../../domain/defined.js';
import type { ReviewState } from '../../domain/payment/plan-review.js';
import { responseCodes } from '../../domain/response-codes.js';
import type { Approved, Definitive } from '../processor.js';
import type { ProcessorUpdate } from '../updates.js';
import type { AdyenNotification } from './notification.js';
import { eventOf, MESSAGE_MAX } from './notified-event.js';
import {
  anyKeyOf,
  isClosing,
  isOurs,
  keyOfReference,
  keyOfRefund,
  type ModificationKind,
  reversalKey,
  reversedKey,
} from './references.js';
import { checksOf, codeOfReason, declineDetails, refusalOf } from './refusals.js';
import { disputeReaders } from './to-disputes.js';
import { amountOf, authorisedOf, isInReview, networkNames } from './to-outcome.js';

type Item = AdyenNotification;
type Read = (item: Item) => ProcessorUpdate | undefined;

const succeeded = ({ success }: Item) => success === 'true';

const refused = ({ reason }: Item, resultCode: string): Definitive => ({
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode,
  resultMessage: reason?.slice(0, MESSAGE_MAX) || 'Refused',
  declineCode: 'generic_decline',
});

const done: Definitive = { kind: 'approved', resultCode: responseCodes.approved, resultMessage: 'Approved' };

const outcomeOf = (item: Item, resultCode: string): Definitive => ({
  ...(succeeded(item) ? done : refused(item, resultCode)),
  about: amountOf(item.amount),
  processorReference: item.pspReference,
  ticket: item.pspReference,
});

/** Returns the authorized part of the amount, if Adyen gives one in the same currency; `mayBePart` when it equals the amount. */
function authorisedPart(item: Item): Pick<Approved, 'approvedMinor'> | 'mayBePart' {
  const [whole, authorised] = [amountOf(item.amount), authorisedOf(item)];
  const [asked = 0, approvedMinor = 0] = [whole.amountMinor, authorised?.amountMinor];
  if (!succeeded(item) || authorised?.currency !== whole.currency || approvedMinor > asked) return {};
  // After a partial approval, the amount of the notification may itself be the approved part.
  return approvedMinor === asked ? 'mayBePart' : { approvedMinor };
}

/** Returns the details of a decline in the form in which the answer to the request would have them. */
function declineOf(item: Item): Partial<Definitive> {
  if (succeeded(item)) return {};
  const { additionalData } = item;
  const refusalReasonCode = additionalData.refusalReasonCode ?? codeOfReason(item.reason);
  const { iso, declineCode, authenticate } = refusalOf(refusalReasonCode);
  return {
    error: authenticate ? 'authentication-required' : 'declined-by-acquirer',
    resultCode: iso,
    declineCode,
    ...declineDetails(defined({ refusalReasonCode, additionalData })),
  };
}

const authorisation: Read = (item) => {
  const { merchantReference, pspReference, additionalData } = item;
  if (merchantReference === undefined) return undefined;
  const part = authorisedPart(item);
  return {
    kind: 'outcome',
    ...eventOf(item),
    key: merchantReference,
    processorReference: pspReference,
    outcome: {
      ...outcomeOf(item, responseCodes.doNotHonor),
      ...declineOf(item),
      ...networkNames(additionalData),
      ...checksOf(additionalData),
      ...defined({ authorization: succeeded(item) ? additionalData.authCode : undefined }),
      ...(part !== 'mayBePart' && part),
    } as Definitive,
    ...(part === 'mayBePart' && { mayBePart: true }),
  };
};

/**
 * Reads that the scheme rejected a capture later. A capture that no operation of ours requested is found by its own reference, if it was
 * recorded; otherwise the purchase is flagged, because its outcome is final. A capture that Adyen repeated may fail again, with the same
 * references.
 */
const captureFailed: Read = (item) => {
  const { merchantReference, pspReference, reason } = item;
  const key = keyOfReference('capture', merchantReference ?? '');
  const event = eventOf(item);
  return {
    kind: 'outcome',
    ...event,
    eventId: `${event.eventId}:${event.at?.toISOString() ?? ''}`,
    ...defined({ key, purchase: key === undefined ? merchantReference : undefined }),
    ...(key === undefined && { mayBeForeign: true }),
    processorReference: pspReference,
    afterApproval: true,
    outcome: {
      ...refused(item, responseCodes.doNotHonor),
      resultMessage: reason?.slice(0, MESSAGE_MAX) || 'Capture failed',
    },
  };
};

const doneKinds = { capture: 'capture', cancel: 'cancellation', refund: 'refund' } as const;

/** Reads an operation that was made at Adyen, for example in its Customer Area: it has the payment's reference, not one of ours. */
function externalOperationOf(item: Item, kind: ModificationKind): Pick<ProcessorUpdate, 'done' | 'mayBeForeign'> {
  const { merchantReference: of, pspReference: processorReference } = item;
  if (of === undefined || anyKeyOf(of) !== of || reversedKey(of) !== of) return {};
  if (!succeeded(item)) return { mayBeForeign: true };
  const { amountMinor, currency } = amountOf(item.amount);
  // A reversal undoes the whole rest of the payment; the amount in its notification is that of the payment.
  const isWhole = item.eventCode === 'CANCEL_OR_REFUND';
  const about = kind === 'cancel' ? {} : defined({ amountMinor: isWhole ? undefined : amountMinor, currency });
  return { done: { kind: doneKinds[kind], of, processorReference, ...about } };
}

/**
 * Reads that the uncaptured rest of a hold expired. Adyen names the payment by our reference; Adyen's own reference may be that of the
 * payment or another. The gateway has no such operation, so the key is that of no operation.
 */
const expired: Read = (item) => {
  const { merchantReference: of } = item;
  if (of === undefined || anyKeyOf(of) !== of) return undefined;
  const ranOut = { kind: 'cancellation', of, ranOut: true } as const;
  return { kind: 'outcome', ...eventOf(item), key: `${of}-expire`, done: ranOut, outcome: done };
};

/** Reads the outcome of a capture, cancellation or refund. A refusal gets ISO 8583 code 12: the operation does not fit its payment. */
const modification =
  (kind: ModificationKind): Read =>
  (item) => {
    const { amountMinor, currency } = amountOf(item.amount);
    // A cancellation has no amount of its own. Its notification has that of the payment, which may have been approved in part.
    const about = kind === 'cancel' ? defined({ currency }) : defined({ amountMinor, currency });
    const key = keyOfReference(kind, item.merchantReference ?? '');
    // With the payment's own reference it is a capture that Adyen made by itself, or one that the gateway requested.
    const purchase = kind === 'capture' && key === undefined ? item.merchantReference : undefined;
    return {
      kind: 'outcome',
      ...eventOf(item),
      ...defined({ key, purchase }),
      ...externalOperationOf(item, kind),
      processorReference: item.pspReference,
      outcome: { ...outcomeOf(item, responseCodes.invalidTransaction), about },
    };
  };

const RECAPTURED = /recaptured/i;

/**
 * Reads a capture. Adyen itself may repeat a capture of ours that failed for a technical reason (its page on reasons of failures). The
 * repeated capture has the references of the first, whose outcome is final, so it is recorded as an operation made at Adyen.
 */
const capture: Read = (item) => {
  const { merchantReference = '', originalReference: of, pspReference: processorReference, reason = '' } = item;
  const isOfOperation = keyOfReference('capture', merchantReference) !== undefined;
  if (!isOfOperation || of === undefined || !succeeded(item) || !RECAPTURED.test(reason))
    return modification('capture')(item);
  const { eventId, ...at } = eventOf(item);
  const about = amountOf(item.amount);
  return {
    kind: 'outcome',
    eventId: `${eventId}:again`,
    ...at,
    processorReference,
    done: { kind: 'capture', of, processorReference, ...about },
    outcome: { ...done, about },
  };
};

/** The kind of operation that Adyen made for a CANCEL_OR_REFUND. */
const modificationKinds: Readonly<Record<string, ModificationKind>> = { cancel: 'cancel', refund: 'refund' };

/**
 * Reads the outcome of a reversal. The gateway sends these requests to reverse a payment, and to close one for which Adyen wants an
 * action of the payer: both may be named by the payment's reference.
 */
const reversal: Read = (item) => {
  const { merchantReference, eventCode, originalReference, additionalData } = item;
  if (merchantReference === undefined) return undefined;
  // The amount is that of the payment, which may have been approved in part.
  const { about: _whole, ...outcome } = outcomeOf(item, responseCodes.invalidTransaction);
  const [key, original] = [reversalKey(merchantReference), reversedKey(merchantReference)];
  const named = eventCode === 'TECHNICAL_CANCEL' ? {} : defined({ originalReference });
  const action = modificationKinds[additionalData['modification.action'] ?? ''];
  const done = action === undefined ? {} : externalOperationOf(item, action);
  return { kind: 'outcome', ...eventOf(item), key, original, ...named, ...done, outcome };
};

const cancellation: Read = (item) =>
  item.merchantReference?.endsWith('-reverse') ? reversal(item) : modification('cancel')(item);

/** Reads that an approved refund failed later. The amount is that of the refund. */
const refundFailed: Read = (item) => ({
  kind: 'refund-failed',
  ...eventOf(item),
  ...defined({ key: keyOfRefund(item.merchantReference ?? '') }),
  processorReference: item.pspReference,
  about: amountOf(item.amount),
  resultCode: responseCodes.doNotHonor,
  resultMessage: item.reason?.slice(0, MESSAGE_MAX) || item.eventCode,
});

/** Reads that the issuer reported the payment as fraud (Visa TC40, Mastercard SAFE), which is no dispute yet. */
const fraudReport: Read = (item) => ({
  kind: 'fraud-report',
  ...eventOf(item),
  ...defined({
    key: item.merchantReference === undefined ? undefined : anyKeyOf(item.merchantReference),
    processorReference: item.originalReference,
    reason: item.reason?.slice(0, MESSAGE_MAX),
  }),
});

/** Reads that a person accepted or rejected the payment in case management. A capture, cancellation or refund that follows has an item of its own. */
const reviewed =
  (state: ReviewState): Read =>
  (item) => ({
    kind: 'review',
    ...eventOf(item),
    ...defined({
      key: item.merchantReference === undefined ? undefined : anyKeyOf(item.merchantReference),
      processorReference: item.originalReference,
    }),
    state,
  });

const readers: Readonly<Record<string, Read>> = {
  AUTHORISATION: authorisation,
  CAPTURE: capture,
  CAPTURE_FAILED: captureFailed,
  CANCELLATION: cancellation,
  CANCEL_OR_REFUND: reversal,
  TECHNICAL_CANCEL: reversal,
  EXPIRE: expired,
  REFUND: modification('refund'),
  REFUND_FAILED: refundFailed,
  REFUNDED_REVERSED: refundFailed,
  NOTIFICATION_OF_FRAUD: fraudReport,
  MANUAL_REVIEW_ACCEPT: reviewed('accepted'),
  MANUAL_REVIEW_REJECT: reviewed('rejected'),
  ...disputeReaders,
};

/** Returns the update for an approved payment that is held for review; the answer to the request may not have said so, or was lost. */
function openedReview(item: Item): readonly ProcessorUpdate[] {
  const isHeld = item.eventCode === 'AUTHORISATION' && succeeded(item) && isInReview(item.additionalData);
  const { eventId, ...at } = eventOf(item);
  const named = { eventId: `${eventId}:review`, ...at, ...defined({ key: item.merchantReference }) };
  return isHeld ? [{ kind: 'review', ...named, state: 'opened' }] : [];
}

/**
 * Returns the updates of an item. Empty when it is not about an operation of the gateway: reports, recurring contracts, payments that
 * another system made in the same account. Also empty for the closing of a refused payment: if that payment is approved after all,
 * an AUTHORISATION reports it.
 */
export function toUpdates(item: Item): readonly ProcessorUpdate[] {
  if (!isOurs(item.merchantReference) || isClosing(item.merchantReference)) return [];
  const read = Object.hasOwn(readers, item.eventCode) ? readers[item.eventCode] : undefined;
  const update = read?.(item);
  return update ? [update, ...openedReview(item)] : [];
}
