/** Converts notifications of disputes to updates of the port (risk-management/disputes-api/dispute-notifications). Pure. */
import { defined } from '../../domain/defined.js';
import type { DisputeStatus, DisputeUpdate } from '../updates.js';
import type { AdyenNotification } from './notification.js';
import { dateOf, eventOf, MESSAGE_MAX } from './notified-event.js';
import { anyKeyOf } from './references.js';
import { amountOf } from './to-outcome.js';

type Read = (item: AdyenNotification) => DisputeUpdate | undefined;

/** Adds the dispute's status to the event id: Adyen repeats an event with the same references when it knows more of the dispute. */
function eventOfDispute(item: AdyenNotification) {
  const { eventId, ...at } = eventOf(item);
  const { disputeStatus } = item.additionalData;
  return {
    eventId: disputeStatus === undefined ? eventId : `${eventId}:${disputeStatus.slice(0, MESSAGE_MAX)}`,
    ...at,
  };
}

/** Reads a dispute. The payment is named by our reference, or that of its capture, and by Adyen's reference. */
const dispute =
  (status: DisputeStatus): Read =>
  (item) => {
    const { merchantReference, originalReference, pspReference, amount, additionalData, reason } = item;
    const { amountMinor, currency } = amountOf(amount);
    if (amountMinor === undefined || amountMinor < 0 || currency === undefined) return undefined;
    return {
      kind: 'dispute',
      ...eventOfDispute(item),
      ...defined({
        key: merchantReference === undefined ? undefined : anyKeyOf(merchantReference),
        processorReference: originalReference,
        reason: reason?.slice(0, MESSAGE_MAX),
        networkReasonCode: (additionalData.chargebackReasonCode ?? additionalData.rfiReasonCode)?.trim(),
        respondBy: dateOf(additionalData.defensePeriodEndsAt),
      }),
      disputeId: pspReference,
      status,
      amountMinor,
      currency,
    };
  };

/** Reads a decided dispute. A dispute that Adyen still calls pending is not decided, no matter which event reports it. */
const decided =
  (status: DisputeStatus): Read =>
  (item) =>
    dispute(item.additionalData.disputeStatus === 'Pending' ? 'under-review' : status)(item);

/** Status by `disputeStatus`, which tells what was decided before the money was taken. */
const statusesOfChargebacks: ReadonlyMap<string, DisputeStatus> = new Map([
  ['Accepted', 'lost'],
  ['Lost', 'lost'],
  ['Pending', 'under-review'],
]);
const chargeback: Read = (item) =>
  dispute(statusesOfChargebacks.get(item.additionalData.disputeStatus ?? '') ?? 'open')(item);

export const disputeReaders: Readonly<Record<string, Read>> = {
  REQUEST_FOR_INFORMATION: dispute('inquiry'),
  NOTIFICATION_OF_CHARGEBACK: dispute('inquiry'),
  CHARGEBACK: chargeback,
  INFORMATION_SUPPLIED: dispute('under-review'),
  // The issuer may still answer the defense: Adyen reports the dispute as won when that time is over.
  CHARGEBACK_REVERSED: decided('won'),
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: decided('won'),
  // Accepted, or not defended in time.
  DISPUTE_DEFENSE_PERIOD_ENDED: decided('lost'),
  SECOND_CHARGEBACK: dispute('lost'),
  PREARBITRATION_OPEN: dispute('open'),
  // By the merchant: a second chargeback follows what was accepted, and the scheme may be asked about what was declined.
  PREARBITRATION_ACCEPTED: dispute('under-review'),
  PREARBITRATION_DECLINED: dispute('under-review'),
  PREARBITRATION_ISSUER_WITHDRAWN: decided('won'),
  PREARBITRATION_WON: decided('won'),
  PREARBITRATION_LOST: dispute('lost'),
  SCHEME_ARBITRATION: dispute('under-review'),
  SCHEME_ARBITRATION_WON: dispute('won'),
  SCHEME_ARBITRATION_LOST: dispute('lost'),
};
