import { approvedPayment, paymentId } from './payment-examples.js';

export const callbackEvent = {
  id: 'evt_7c1f9a52e0b34d6f8a1b2c3d4e5f6a7b',
  resourceVersion: 2,
  url: 'https://shop.example.com/callbacks/1',
  status: 'exhausted',
  createdAt: '2026-11-20T12:00:21.000Z',
  nextAttemptAt: null,
  attemptCount: 10,
  attempts: [
    { at: '2026-11-22T08:16:31.000Z', durationMs: 10_000, status: null, error: 'timeout' },
    { at: '2026-11-23T09:02:10.000Z', durationMs: 84, status: 503, error: null },
  ],
  body: approvedPayment,
};

export const eventParams = { ...paymentId, eventId: callbackEvent.id };
