/** A payer at the link of a challenge while the payment goes on without them. */
import { createAdmissionLimit } from '../../api/payments/admission-limit.js';
import { openChallenge } from '../../api/threeds/answer-challenge.js';
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createdPayment, later, start } from '../domain/payment/a-payment.js';

const RESPONSE_WAIT_MS = 15_000;
const metrics = { waiting: () => undefined, event: () => undefined };

/** Authenticated, and under way to the processor or looked after by it. */
function underWay(dueAt: Date): Payment {
  const payment = createdPayment({ status: 'pending', redirectUrl: 'https://shop.example/return' });
  const threeDs = { required: true, reason: 'always', status: 'authenticated', sessionId: 's', challenge: {} };
  return { ...payment, threeDs, work: { ...payment.work, dueAt } } as unknown as Payment;
}

async function visit(payment: Payment, admissionLimit = createAdmissionLimit(RESPONSE_WAIT_MS, metrics)) {
  let waits = 0;
  const outcomes = {
    start: () => ({
      wait: async () => {
        waits += 1;
        return { ...payment, status: 'approved' };
      },
    }),
  };
  const deps = {
    payments: { findByThreeDsSession: async () => payment },
    outcomes,
    admissionLimit,
    clock: { now: () => start },
    config: { responseWaitMs: RESPONSE_WAIT_MS },
  };
  const next = await openChallenge(deps as unknown as Parameters<typeof openChallenge>[0], 's');
  if (next?.kind !== 'redirect') throw new Error(`not sent back: ${next?.kind}`);
  return { status: new URL(next.url).searchParams.get('status'), waits };
}

test('hears how it ends, where that may be soon', async () => {
  const admissionLimit = createAdmissionLimit(RESPONSE_WAIT_MS, metrics);
  for (let visits = 0; visits <= limits.waitingMax; visits += 1) {
    expect(await visit(underWay(later(RESPONSE_WAIT_MS)), admissionLimit)).toEqual({ status: 'approved', waits: 1 });
  }
});

test('is not kept waiting for what is looked at later', async () => {
  expect(await visit(underWay(later(RESPONSE_WAIT_MS + 1)))).toEqual({ status: 'pending', waits: 0 });
});

test('gets to the shop at once where too many wait, or nothing may be sent', async () => {
  const full = createAdmissionLimit(RESPONSE_WAIT_MS, metrics);
  for (let waiting = 0; waiting < limits.waitingMax; waiting += 1) full.enter();
  const closed = createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => true);
  for (const admissionLimit of [full, closed]) {
    expect(await visit(underWay(start), admissionLimit)).toEqual({ status: 'pending', waits: 0 });
  }
});
