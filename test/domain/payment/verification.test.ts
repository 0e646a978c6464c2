/** A verification is reported as its authorization ended, however fast the gateway released it. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { withoutVerificationRelease } from '../../../shared/domain/payment/verification.js';
import {
  approved,
  authorizedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  operated,
  settleContext,
} from './a-payment.js';

const verification = createdPayment({ purpose: 'verification' }, 'authorization');
const authorized = settle(verification, firstTx(verification).id, approved, {
  ...settleContext(),
  newTxId: () => 'txn_release',
});
const released = settle(authorized, 'txn_release', approved, settleContext());

test('a released verification is shown as authorized, before the event of its release', () => {
  expect(released.status).toBe('cancelled');
  const shown = withoutVerificationRelease(released);
  expect(shown).toEqual({ ...released, status: 'authorized', eventSeq: authorized.eventSeq });
});

test.each<[string, Payment]>([
  ['a verification that is not released yet', authorized],
  ['a verification that was declined', settle(verification, firstTx(verification).id, declined, settleContext())],
  ['a verification that failed', settle(verification, firstTx(verification).id, failed, settleContext())],
  [
    'a payment that was cancelled',
    settle(operated(authorizedPayment(), 'cancellation'), 'txn_op', approved, settleContext()),
  ],
  ['a verification that was cancelled without an approval', { ...verification, status: 'cancelled' }],
])('%s is shown as it is', (_name, payment) => {
  expect(withoutVerificationRelease(payment)).toBe(payment);
});
