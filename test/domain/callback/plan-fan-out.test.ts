import fc from 'fast-check';
import { planFanOut } from '../../../shared/domain/callback/plan-fan-out.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { announcedPayment } from './announced-payment.js';

const url = 'https://merchant.example:8443/hook?secret=1';
const at = new Date('2026-01-02T03:04:05.678Z');
const later = (ms: number) => new Date(at.getTime() + ms);

describe('planFanOut', () => {
  it('turns each due event into a delivery, in order, and removes the bodies', () => {
    const plan = planFanOut(announcedPayment('pay_1', url, [{}, {}]), at);
    expect(plan.deliveries).toEqual([
      {
        _id: 'pay_1:1',
        paymentId: 'pay_1',
        clientId: 'client-a',
        seq: 1,
        url,
        host: 'merchant.example:8443',
        body: '{"id":"pay_1","seq":1}',
        resourceVersion: 1,
        createdAt: at,
      },
      expect.objectContaining({ _id: 'pay_1:2', seq: 2, resourceVersion: 2 }),
    ]);
    expect(plan.payment.fannedOutSeq).toBe(2);
    expect(plan.payment).not.toHaveProperty('announceAt');
    expect(plan.payment.events.map((event) => 'body' in event)).toEqual([false, false]);
  });

  it('stops at the first event that may not be announced yet, even if a later event may', () => {
    const payment = announcedPayment('pay_1', url, [{}, { notBefore: later(5_000) }, {}]);
    const plan = planFanOut(payment, at);
    expect(plan.deliveries.map(({ seq }) => seq)).toEqual([1]);
    expect(plan.payment).toMatchObject({ fannedOutSeq: 1, announceAt: later(5_000) });
    expect(plan.payment.events.map((event) => 'body' in event)).toEqual([false, true, true]);
    expect(planFanOut(plan.payment, later(5_000)).deliveries.map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('takes the events not fanned out yet by number, not in the stored order', () => {
    const payment = announcedPayment('pay_1', url, [{}, {}, {}]);
    const shuffled = { ...payment, fannedOutSeq: 1, events: [...payment.events].reverse() };
    expect(planFanOut(shuffled, at).deliveries.map(({ seq }) => seq)).toEqual([2, 3]);
    const done = { ...payment, fannedOutSeq: 3 };
    expect(planFanOut(done, at)).toMatchObject({ deliveries: [], payment: { fannedOutSeq: 3 } });
    expect(planFanOut(done, at).payment).not.toHaveProperty('announceAt');
  });

  it.each<[string, Partial<Payment>, object]>([
    ['the caller got it as its answer', { answered: [1] }, {}],
    ['it was passed in the same write', {}, { passed: true }],
    ['no URL is subscribed', {}, { body: undefined }],
  ])('sends nothing for an event when %s, and does not let it hold up later events', (_why, patch, first) => {
    const payment = { ...announcedPayment('pay_1', url, [{ ...first, notBefore: later(9_000) }, {}]), ...patch };
    const plan = planFanOut(payment, at);
    expect(plan.deliveries.map(({ seq }) => seq)).toEqual([2]);
    expect(plan.payment.fannedOutSeq).toBe(2);
  });

  it('sends nothing without a callback URL and leaves nothing to announce', () => {
    const plan = planFanOut(announcedPayment('pay_1', undefined, [{}]), at);
    expect(plan.deliveries).toEqual([]);
    expect(plan.payment).not.toHaveProperty('announceAt');
  });

  it('does not change a payment without a due event', () => {
    const payment = { ...announcedPayment('pay_1', url, [{ notBefore: later(1) }]), announceAt: later(1) };
    expect(planFanOut(payment, at)).toEqual({ deliveries: [], payment });
    expect(planFanOut(payment, at).payment).toBe(payment);
  });

  it('announces each event to be sent exactly once and in order, in any steps of time', () => {
    const event = fc.record({
      delayMs: fc.nat(50),
      passed: fc.boolean(),
      silent: fc.boolean(),
      answered: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 6 }), (events, moments) => {
        let payment: Payment = {
          ...announcedPayment(
            'pay_1',
            url,
            events.map(({ delayMs, passed, silent }) => ({
              notBefore: later(delayMs),
              ...(passed && { passed }),
              ...(silent && { body: undefined as never }),
            })),
          ),
          answered: events.flatMap(({ answered }, index) => (answered ? [index + 1] : [])),
        };
        const sent: number[] = [];
        for (const moment of [...moments.sort((a, b) => a - b), 1_000]) {
          const plan = planFanOut(payment, later(moment));
          for (const { seq } of plan.deliveries) {
            expect(events[seq - 1]?.delayMs).toBeLessThanOrEqual(moment);
            sent.push(seq);
          }
          payment = plan.payment;
        }
        const audible = events.flatMap((one, index) => (one.passed || one.silent || one.answered ? [] : [index + 1]));
        expect(sent).toEqual(audible);
        expect(payment).not.toHaveProperty('announceAt');
        expect(payment.events.some(({ body }) => body !== undefined)).toBe(false);
      }),
    );
  });
});
