import type { Payment, PaymentEvent } from '../../../shared/domain/payment/payment.js';

/** A payment as far as callbacks look at it: `events` in order, all due at once unless they say otherwise. */
export function announcedPayment(
  id: string,
  callbackUrl: string | undefined,
  events: readonly Partial<PaymentEvent>[],
  at = new Date('2026-01-02T03:04:05.678Z'),
): Payment {
  const full = events.map((event, index) => ({
    seq: index + 1,
    status: 'approved' as const,
    at,
    notBefore: at,
    body: `{"id":"${id}","seq":${index + 1}}`,
    ...event,
  }));
  return {
    _id: id,
    clientId: 'client-a',
    refKeys: [`payment:${id}`],
    version: 7,
    writes: [],
    ...(callbackUrl !== undefined && { callbackUrl }),
    events: full,
    eventSeq: full.length,
    fannedOutSeq: 0,
    announceAt: at,
  } as unknown as Payment;
}
