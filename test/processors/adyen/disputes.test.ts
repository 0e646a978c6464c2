/** Disputes of Adyen: how the dispute status in a notification changes what its event code means. */
import { toUpdates } from '../../../shared/processors/adyen/to-updates.js';

const item = {
  success: 'true',
  pspReference: 'QFQTPCQ8HXSKGK82',
  originalReference: '9913140798220028',
  merchantReference: `txn_${'a'.repeat(32)}`,
  merchantAccountCode: 'ShopECOM',
  amount: { currency: 'USD', value: 1_000 },
} as const;

test.each([
  ['CHARGEBACK', 'Undefended', 'open'],
  // The merchant responded before the money was taken.
  ['CHARGEBACK', 'Pending', 'under-review'],
  ['CHARGEBACK', 'Accepted', 'lost'],
  ['CHARGEBACK', 'Lost', 'lost'],
  ['CHARGEBACK_REVERSED', 'Pending', 'under-review'],
  ['CHARGEBACK_REVERSED', 'Won', 'won'],
  ['PREARBITRATION_WON', 'Pending', 'under-review'],
  ['PREARBITRATION_ACCEPTED', 'Pending', 'under-review'],
  ['PREARBITRATION_DECLINED', 'Pending', 'under-review'],
  ['PREARBITRATION_ISSUER_WITHDRAWN', 'Pending', 'under-review'],
  ['PREARBITRATION_ISSUER_WITHDRAWN', 'Won', 'won'],
  ['SCHEME_ARBITRATION', 'Pending', 'under-review'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Pending', 'under-review'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Expired', 'lost'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted', 'lost'],
  // The money is gone, no matter what follows.
  ['SECOND_CHARGEBACK', 'Pending', 'lost'],
])('%s with the dispute status %s is %s', (eventCode, disputeStatus, status) => {
  expect(toUpdates({ ...item, eventCode, additionalData: { disputeStatus } })).toMatchObject([
    { kind: 'dispute', status },
  ]);
});

test('an event repeated with another dispute status has another event id', () => {
  const ids = ['Pending', 'Won'].flatMap((disputeStatus) =>
    toUpdates({ ...item, eventCode: 'CHARGEBACK_REVERSED', additionalData: { disputeStatus } }),
  );
  expect(new Set(ids.map(({ eventId }) => eventId)).size).toBe(2);
});

test('a report of fraud is no dispute', () => {
  const reported = {
    ...item,
    eventCode: 'NOTIFICATION_OF_FRAUD',
    reason: 'Card Not Present Fraud',
    additionalData: {},
  };
  expect(toUpdates(reported)).toEqual([
    {
      kind: 'fraud-report',
      eventId: 'NOTIFICATION_OF_FRAUD:QFQTPCQ8HXSKGK82:true',
      key: item.merchantReference,
      processorReference: item.originalReference,
      reason: 'Card Not Present Fraud',
    },
  ]);
  const ofCapture = { ...reported, merchantReference: `${item.merchantReference}-capture` };
  expect(toUpdates(ofCapture)).toMatchObject([{ key: item.merchantReference }]);
});

test.each([
  ['MANUAL_REVIEW_ACCEPT', 'accepted'],
  ['MANUAL_REVIEW_REJECT', 'rejected'],
])('%s reports how the review of the payment ended', (eventCode, state) => {
  const of = { kind: 'review', key: item.merchantReference, processorReference: item.originalReference, state };
  const eventId = `${eventCode}:${item.pspReference}:true`;
  for (const merchantReference of [item.merchantReference, `${item.merchantReference}-capture`]) {
    const notified = { ...item, eventCode, merchantReference, additionalData: {} };
    expect(toUpdates(notified)).toEqual([{ ...of, eventId }]);
  }
});

test('the reason code of a request for information is read from its own field', () => {
  const additionalData = { rfiReasonCode: '28', disputeStatus: 'Unresponded' };
  expect(toUpdates({ ...item, eventCode: 'REQUEST_FOR_INFORMATION', additionalData })).toMatchObject([
    { status: 'inquiry', networkReasonCode: '28' },
  ]);
});
