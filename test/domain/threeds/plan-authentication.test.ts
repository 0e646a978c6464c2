import { planFanOut } from '../../../shared/domain/callback/plan-fan-out.js';
import { applyMoves } from '../../../shared/domain/payment/apply-moves.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { eciShiftsLiability, messageIdOf, shiftsLiability } from '../../../shared/domain/threeds/authentication.js';
import {
  planAuthenticated,
  planChallenge,
  planChallengeDeadline,
  planExpired,
  planHandOn,
  planKeepWaiting,
  planRefused,
  planReturn,
  waitsForPayer,
} from '../../../shared/domain/threeds/plan-authentication.js';
import { createdPayment, later, schedule, settleContext, start } from '../payment/a-payment.js';

const CHALLENGE_MS = 600_000;
const ASK_MS = 30_000;
const waits = {
  ...schedule,
  challengeMs: CHALLENGE_MS,
  challengeAskMs: ASK_MS,
  authorizeWithinMs: 900_000,
  cardDestroyMs: 1_000,
};
const context = (now = start) => settleContext(now, { renderCallback: ({ status }) => status, schedule: waits });
const envelope = { v: 1, alg: 'A256GCM', kid: 'cvc:1', iv: new Uint8Array(12), ct: new Uint8Array(20) } as const;

function asked(more: Partial<Payment> = {}): Payment {
  const payment = createdPayment({ card: envelope, cvc: envelope, ...more });
  const threeDs = { required: true, reason: 'always', provider: 'sandbox', sessionId: 's', status: 'created' } as const;
  return { ...payment, threeDs, work: newWork('authenticate', payment.transactions[0]?.id ?? '', start) };
}
const challenge = {
  acsUrl: 'https://acs.example',
  acsTransactionId: 'acs',
  pageUrl: 'https://gw.example',
  transStatus: 'C',
} as const;
const challenged = (more: Partial<Payment> = {}) => planChallenge(asked(more), challenge, context());

test('a proof and the authorization as next work are stored together', () => {
  // The directory server omits the leading zero.
  const next = planAuthenticated(asked(), { transStatus: 'Y', eci: '5', value: envelope }, context(later(1)));
  expect(next).toMatchObject({
    status: 'created',
    work: { queue: 'processor', kind: 'authorize', gen: 2 },
    threeDs: { status: 'frictionless', eci: '05', liabilityShift: true, completedAt: later(1) },
    authenticationValue: envelope,
    authorizeBy: later(900_001),
  });
  expect(next.work?.attempt).toBeUndefined();
});

test('a challenge is pending with a deadline and a check of the provider, and may be authorized after it', () => {
  const waiting = challenged();
  expect(waiting).toMatchObject({
    status: 'pending',
    work: { queue: 'threeds', kind: 'await-challenge', dueAt: later(ASK_MS), gen: 2 },
    deadline: { kind: 'challenge', at: later(CHALLENGE_MS) },
    authorizeBy: later(CHALLENGE_MS + 900_000),
  });
  expect(waitsForPayer(waiting)).toBe(true);
});

test('a challenge that the caller did not wait for is announced, because the answer had no page', () => {
  const callbackUrl = 'https://shop.example/';
  const answered = applyMoves(asked({ callbackUrl, awaitedUntil: start }), ['submitted'], context());
  const shown = (payment: Payment) => payment.threeDs?.challenge?.pageUrl ?? 'no page';
  const rendering = settleContext(later(20_000), { renderCallback: shown, schedule: waits });
  const waiting = planChallenge(answered, challenge, rendering);
  expect(waiting.status).toBe('pending');
  expect(waiting.events.at(-1)).toMatchObject({ seq: 2, status: 'pending', body: challenge.pageUrl });
  expect(planFanOut(waiting, later(20_000)).deliveries.at(-1)).toMatchObject({ seq: 2, body: challenge.pageUrl });
});

test('a payer returns from a challenge only once and in time', () => {
  const returned = planReturn(challenged(), later(CHALLENGE_MS - 1));
  expect(returned).toMatchObject({ work: { queue: 'threeds', kind: 'conclude' }, deadline: { kind: 'challenge' } });
  expect(planReturn(challenged(), later(CHALLENGE_MS))).toBeUndefined();
  expect(planReturn(returned as Payment, later(1))).toBeUndefined();
  expect(planReturn(planExpired(challenged(), context()), later(1))).toBeUndefined();
  expect(planReturn(createdPayment(), later(1))).toBeUndefined();
  expect(planReturn(planKeepWaiting(returned as Payment, context()), later(1))).toMatchObject({
    work: { kind: 'conclude' },
  });
});

test('a return with the issuer’s last message is noted with its time', () => {
  const { challenge: known } = challenged().threeDs ?? {};
  expect(planReturn(challenged(), later(7), true)?.threeDs?.challenge).toEqual({ ...known, answeredAt: later(7) });
  expect(planReturn(challenged(), later(7))?.threeDs?.challenge).toEqual(known);
  expect(planReturn(challenged(), later(CHALLENGE_MS), true)).toBeUndefined();
});

test('a returning payer overtakes a check under way, with a new work generation for its nudge', () => {
  const waiting = challenged();
  const looking = { ...waiting, work: { ...waiting.work, leaseToken: 'held', leaseUntil: later(60_000) } } as Payment;
  const returned = planReturn(looking, later(1));
  expect(returned?.work).toMatchObject({ kind: 'conclude', gen: 3, leaseUntil: new Date(0), dueAt: later(1) });
  expect(returned?.work?.leaseToken).toBeUndefined();
});

test('the last check is before the deadline, which asks by itself', () => {
  const next = (atMs: number) => planKeepWaiting(challenged(), context(later(atMs)));
  expect(next(CHALLENGE_MS - ASK_MS - 1).work).toMatchObject({
    kind: 'await-challenge',
    dueAt: later(CHALLENGE_MS - 1),
  });
  expect(next(CHALLENGE_MS - ASK_MS)).toMatchObject({ work: undefined, deadline: { kind: 'challenge' } });
  expect(waitsForPayer(next(CHALLENGE_MS - ASK_MS))).toBe(true);
});

test('the deadline of a challenge asks a last time, unless the result is being fetched already', () => {
  const due = later(CHALLENGE_MS);
  expect(planChallengeDeadline(challenged(), later(CHALLENGE_MS - 1))).toBeUndefined();
  const asking = planChallengeDeadline(challenged(), due);
  expect(asking).toMatchObject({ status: 'pending', work: { kind: 'conclude', dueAt: due }, deadline: undefined });
  expect(waitsForPayer(asking as Payment)).toBe(false);
  expect(planReturn(asking as Payment, due)).toBeUndefined();
  const returned = planReturn(challenged(), start) as Payment;
  expect(planChallengeDeadline(returned, later(CHALLENGE_MS - 1))).toBeUndefined();
  const over = planChallengeDeadline(returned, due) as Payment;
  expect([over.work, over.deadline, over.status]).toEqual([returned.work, undefined, 'pending']);
  // No sweep finds the payment again. A check from before the deadline asks once more.
  expect(planChallengeDeadline(over, due)).toBeUndefined();
  expect(planKeepWaiting(over, context(due)).work).toMatchObject({ kind: 'conclude', dueAt: due });
  expect(planExpired(asking as Payment, context(due))).toMatchObject({
    status: 'failed',
    threeDs: { status: 'expired' },
  });
});

test.each([
  [
    'refused',
    (payment: Payment) => planRefused(payment, { status: 'failed', error: 'authentication-failed' }, context()),
    'denied',
  ],
  ['expired', (payment: Payment) => planExpired(payment, context()), 'failed'],
] as const)(
  'a payment whose authentication is %s ends without work, deadline or sealed secrets',
  (_name, end, status) => {
    const sealed = { callbackUrl: 'https://shop.example/', authenticationValue: envelope };
    for (const payment of [asked(sealed), challenged(sealed)]) {
      const ended = end(payment);
      expect(ended).toMatchObject({ status, transactions: [], cardDestroyAt: later(1_000), processedAt: start });
      for (const field of ['work', 'deadline', 'cvc', 'cvcDestroyAt', 'authenticationValue'] as const) {
        expect([field, ended[field]]).toEqual([field, undefined]);
      }
      expect(ended.events.at(-1)).toMatchObject({ status, body: status });
    }
  },
);

test('the answer of the issuer is stored with the page of the challenge and the id of the provider', () => {
  const answered = { ...challenge, version: '2.2.0', eci: '5', dsTransactionId: 'ds' };
  const named = planChallenge(asked(), { ...answered, reference: 'theirs' }, context()).threeDs;
  expect(named).toEqual({
    ...{ required: true, reason: 'always', provider: 'sandbox', sessionId: 's', status: 'step-up-required' },
    ...{ flow: 'challenge', version: '2.2.0', transStatus: 'C', eci: '05', dsTransactionId: 'ds', reference: 'theirs' },
    challenge: { acsUrl: 'https://acs.example', acsTransactionId: 'acs', pageUrl: 'https://gw.example' },
    updatedAt: start,
  });
  for (const absent of ['reference', 'eci', 'version'] as const)
    expect(challenged().threeDs).not.toHaveProperty(absent);
  expect(messageIdOf(named as NonNullable<Payment['threeDs']>)).toBe('theirs');
  expect(messageIdOf(challenged().threeDs as NonNullable<Payment['threeDs']>)).toBe('s');
});

test.each([
  ['Y', true],
  ['A', true],
  ['C', false],
  ['N', false],
  ['R', false],
  ['U', false],
] as const)('whether the liability shifts to the issuer after %s: %s', (transStatus, shifts) => {
  const proof = { transStatus, value: envelope } as Parameters<typeof planAuthenticated>[1];
  expect(planAuthenticated(asked(), proof, context()).threeDs).toMatchObject({
    flow: 'frictionless',
    liabilityShift: shifts,
  });
});

test.each([
  ['visa', '05', true],
  ['visa', '06', true],
  ['visa', '07', false],
  ['visa', '02', false],
  ['amex', '05', true],
  ['mastercard', '02', true],
  ['mastercard', '01', true],
  ['mastercard', '00', false],
  ['mastercard', '04', false],
  ['mastercard', '06', false],
  ['mastercard', '07', true],
  ['maestro', '02', true],
  ['maestro', '05', false],
] as const)('whether the liability shifts to the issuer for %s with ECI %s: %s', (brand, eci, shifts) => {
  expect(eciShiftsLiability(eci, brand, true)).toBe(shifts);
  const payment = { ...asked(), paymentMethod: { ...asked().paymentMethod, id: brand } };
  const proof = { transStatus: 'Y', value: envelope, eci } as Parameters<typeof planAuthenticated>[1];
  expect(planAuthenticated(payment, proof, context()).threeDs).toMatchObject({ eci, liabilityShift: shifts });
  expect(shiftsLiability('N', eci, brand)).toBe(false);
});

test('ECI 07 of Mastercard shifts liability only where the payer was authenticated', () => {
  expect(shiftsLiability('Y', '07', 'mastercard')).toBe(true);
  expect(shiftsLiability('A', '07', 'mastercard')).toBe(false);
  expect(eciShiftsLiability('07', 'mastercard', false)).toBe(false);
  expect(eciShiftsLiability('02', 'mastercard', false)).toBe(true);
});

test('a passed challenge is authenticated, and a refused challenge shifts no liability', () => {
  const passed = planAuthenticated(challenged(), { transStatus: 'Y', value: envelope }, context());
  expect(passed.threeDs).toMatchObject({ status: 'authenticated', flow: 'challenge', liabilityShift: true });
  expect(passed.deadline).toBeUndefined();
  const refused = planRefused(challenged(), { status: 'failed', error: 'authentication-failed' }, context());
  expect(refused.threeDs).toMatchObject({ status: 'failed', error: 'authentication-failed', liabilityShift: false });
});

test('a payment without an authentication or with another deadline does not wait for its payer', () => {
  const { threeDs, ...without } = asked();
  expect(() => planChallenge(without as Payment, challenge, context())).toThrow('has no authentication');
  expect(waitsForPayer({ ...challenged(), deadline: { kind: 'expire', at: later(1) } })).toBe(false);
  expect(waitsForPayer({ ...challenged(), deadline: undefined })).toBe(false);
  const { work, ...idle } = asked();
  expect(planHandOn(idle as Payment, context())).toBe(idle);
});
