/** Checks that each change that no answer showed arrives at its receiver, in order (docs/decisions.md, "Callbacks"). */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { refKeyOf } from './audit-requests.js';
import type { Exchange } from './caller.js';
import { type Check, check } from './check.js';
import type { Evidence } from './evidence.js';
import type { Received } from './receivers.js';

const DUPLICATES_SHARE = 0.02;
/** A killed sender does not record its open calls to a host, which are therefore sent again. */
const PER_KILL = limits.callbackPerHostMax;

/**
 * Returns when callers lost patience (ms since the epoch), by the key of the request's reference. The answer may have been on its way:
 * a caller that hangs up while the gateway answers inquires by the reference, and gets no callback in addition.
 */
function timedOutAt(exchanges: readonly Exchange[]): Map<string, number> {
  const timedOut = exchanges.filter(({ error }) => error?.startsWith('UND_ERR_HEADERS_TIMEOUT'));
  return new Map(timedOut.map((one) => [refKeyOf(one) ?? '', one.sentAt + one.tookMs]));
}

/** Returns the statuses that the caller of each payment was shown, by payment id. */
function shownStatuses(exchanges: readonly Exchange[]): Map<string, Set<string>> {
  const shown = new Map<string, Set<string>>();
  const add = (id: string | undefined, status: string) => {
    if (id) shown.set(id, (shown.get(id) ?? new Set()).add(status));
  };
  for (const { method, answer } of exchanges) {
    if (method !== 'POST' || !answer) continue;
    if (answer.status === 200) add(answer.body.id, answer.body.status);
    // A refusal: the payment is unchanged, or ended with it.
    if (answer.status === 409) add(answer.body?.params?.existingId?.[0], answer.body?.params?.existingStatus?.[0]);
    if (answer.status === 422) for (const id of answer.body?.params?.paymentId ?? []) add(id, 'refused');
  }
  return shown;
}

/** Returns the events that no answer showed and no receiver accepted. */
function missingEvents(
  payment: Payment,
  shown: ReadonlySet<string>,
  acceptedSeqs: ReadonlySet<number>,
  timeouts: ReadonlyMap<string, number>,
): string[] {
  if (payment.callbackUrl === undefined) return [];
  const visible = payment.events.filter(({ passed }) => passed !== true);
  const isShown = (status: string) =>
    shown.has(status) ||
    (shown.has('refused') && ['denied', 'failed', 'authorized', 'approved', 'partially-refunded'].includes(status));
  const lastTimeoutMs = Math.max(...payment.refKeys.map((key) => timeouts.get(key) ?? 0));
  return visible.flatMap(({ seq, status, at }) => {
    // A later status that was shown covers this one too: the caller knows how the payment continued.
    const isCovered = visible.some((later) => later.seq >= seq && isShown(later.status));
    return acceptedSeqs.has(seq) || isCovered || at.getTime() <= lastTimeoutMs
      ? []
      : [`${payment._id} event ${seq} (${status})`];
  });
}

function outOfOrderEvents(received: readonly Received[]): string[] {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  return received.flatMap(({ paymentId, eventId, seq }) => {
    if (seen.has(eventId)) return [];
    seen.add(eventId);
    const before = highest.get(paymentId) ?? 0;
    highest.set(paymentId, Math.max(before, seq));
    return seq < before ? [`${paymentId} event ${seq} after ${before}`] : [];
  });
}

export function auditCallbacks({ payments, exchanges, received, senderKills }: Evidence): Check[] {
  const shown = shownStatuses(exchanges);
  const accepted = received.filter(({ answeredStatus }) => answeredStatus < 300);
  const acceptedByPayment = new Map<string, Set<number>>();
  const deliveriesByEvent = new Map<string, number>();
  for (const { paymentId, seq, eventId } of accepted) {
    acceptedByPayment.set(paymentId, (acceptedByPayment.get(paymentId) ?? new Set()).add(seq));
    deliveriesByEvent.set(eventId, (deliveriesByEvent.get(eventId) ?? 0) + 1);
  }
  const none: ReadonlySet<never> = new Set();
  const timeouts = timedOutAt(exchanges);
  const duplicates = [...deliveriesByEvent]
    .filter(([, count]) => count > 1)
    .map(([eventId, count]) => `${eventId} ${count} times`);
  const atMost = Math.floor(deliveriesByEvent.size * DUPLICATES_SHARE) + senderKills * PER_KILL;
  return [
    check(
      'changes that neither an answer nor a callback showed',
      payments.flatMap((one) =>
        missingEvents(one, shown.get(one._id) ?? none, acceptedByPayment.get(one._id) ?? none, timeouts),
      ),
      { note: `${deliveriesByEvent.size} events taken in ${received.length} deliveries` },
    ),
    check('first deliveries out of order', outOfOrderEvents(accepted)),
    check('events that a receiver took more than once', duplicates, { atMost }),
  ];
}
