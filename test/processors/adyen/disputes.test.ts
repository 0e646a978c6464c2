/** Disputes of Adyen: what its own word for their state changes of what an event is called. */
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
  ['CHARGEBACK_REVERSED', 'Pending', 'under-review'],
  ['CHARGEBACK_REVERSED', 'Won', 'won'],
  ['PREARBITRATION_WON', 'Pending', 'under-review'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Pending', 'under-review'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Expired', 'lost'],
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted', 'lost'],
  // The money is gone, whatever may follow.
  ['SECOND_CHARGEBACK', 'Pending', 'lost'],
])('%s that is %s: %s', (eventCode, disputeStatus, status) => {
  expect(toUpdates({ ...item, eventCode, additionalData: { disputeStatus } })).toMatchObject([
    { kind: 'dispute', status },
  ]);
});
