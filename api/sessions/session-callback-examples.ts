import { callbackEvent } from '../payments/callback-examples.js';

export const sessionId = { sessionId: 'ses_7c1d9e3f5a7b4d2a9c1e3f5a7b9d1c3e' };

export const sessionCallbackEvent = {
  ...callbackEvent,
  id: 'evt_1f9a52e0b34d6f8a1b2c3d4e5f6a7b7c',
  resourceVersion: 1,
  url: 'https://shop.example.com/callbacks/cards',
  body: {
    id: 'evt_1f9a52e0b34d6f8a1b2c3d4e5f6a7b7c',
    type: 'tokenization',
    ...sessionId,
    referenceId: 'session-2002',
    merchantId: 1001,
    customerId: null,
    status: 'cancelled',
    paymentInstrument: null,
    verification: null,
    error: null,
    occurredAt: '2026-11-20T12:00:21.000Z',
  },
};
