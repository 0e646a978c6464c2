import { presentPayment } from '../../../shared/contract/present-payment.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planDeadline } from '../../../shared/domain/payment/plan-deadline.js';
import { type Outcome, settle } from '../../../shared/domain/payment/settle.js';
import {
  approved,
  authorizedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  lastTx,
  later,
  settleContext,
  start,
} from './a-payment.js';

describe('a delayed capture that fails at the acquirer', () => {
  const hour = 3_600_000;
  const held = (endsInMs: number): Payment => ({
    ...authorizedPayment({ captureMethod: 'automatic', captureDelaySeconds: 60 }),
    expiresAt: later(endsInMs),
    deadline: { kind: 'capture', at: start },
  });
  const tried = (payment: Payment, outcome: Outcome, at: Date) => {
    const planned = planDeadline(payment, { now: at, txId: `txn_try_${payment.transactions.length}` });
    if (!planned) throw new Error('nothing is due');
    return settle(planned, lastTx(planned).id, outcome, settleContext(at));
  };

  test.each([
    ['denied', declined, 'denied'],
    ['not reached', failed, 'failed'],
  ] as const)('that was %s is tried again, and the payment shows why and when', (_name, outcome, status) => {
    const payment = tried(held(hour), outcome, start);
    expect([payment.status, lastTx(payment).status, payment.deadline?.kind]).toEqual(['authorized', status, 'capture']);
    expect(payment.alerts).toBeUndefined();
    const shown = presentPayment(payment);
    expect(shown).toMatchObject({
      status: 'authorized',
      capture: { nextAttemptAt: payment.deadline?.at.toISOString() },
      params: { capture: [expect.stringContaining(outcome.resultCode)] },
    });
  });

  test('is retried until the hold ends, then failed and flagged, and the payment expires with its hold', () => {
    let payment = held(hour);
    let tries = 0;
    while (payment.deadline?.kind === 'capture' && tries < 100) {
      payment = tried(payment, declined, payment.deadline.at);
      tries += 1;
    }
    expect(tries).toBeGreaterThan(1);
    expect(lastTx(payment)).toMatchObject({ kind: 'capture', status: 'failed', flagged: expect.any(String) });
    expect([payment.alerts?.length, payment.deadline]).toEqual([1, { kind: 'expire', at: payment.expiresAt }]);
    const words = /given up, and the authorization expires/;
    expect(presentPayment(payment)).toMatchObject({ params: { capture: [expect.stringMatching(words)] } });
    const over = tried(payment, approved, later(hour));
    expect(presentPayment(over)).toMatchObject({
      status: 'expired',
      params: { capture: [expect.stringMatching(/expired$/)] },
    });
  });

  test.each([
    ['before the hold ends', 59, { kind: 'capture', at: later(59_000) }, undefined],
    ['with the hold', 60, { kind: 'expire', at: later(60_000) }, 1],
    ['after the hold', 61, { kind: 'expire', at: later(60_000) }, 1],
    ['without a delay', undefined, { kind: 'expire', at: later(60_000) }, undefined],
  ] as const)(
    'that is due %s has the right deadline: %s seconds of a hold of sixty',
    (_name, captureDelaySeconds, deadline, alerts) => {
      const payment = createdPayment(defined({ captureDelaySeconds }), 'authorization');
      const outcome = { ...approved, holdMs: 60_000 };
      const settled = settle(payment, firstTx(payment).id, outcome, settleContext(start));
      expect([settled.deadline, settled.expiresAt, settled.alerts?.length]).toEqual([deadline, later(60_000), alerts]);
    },
  );

  test('is no longer shown after a later try is approved', () => {
    const once = tried(held(hour), declined, start);
    const payment = tried(once, approved, once.deadline?.at ?? start);
    expect([payment.status, presentPayment(payment)['params']]).toEqual(['approved', undefined]);
  });
});
