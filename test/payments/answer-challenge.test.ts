/** A payer opens the link of a challenge, or returns from the issuer, while the payment goes on without the payer. */
import { createAdmissionLimit } from '../../api/payments/admission-limit.js';
import { openChallenge, returnFromChallenge } from '../../api/threeds/answer-challenge.js';
import { encodeMessage } from '../../api/threeds/threeds-messages.js';
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createdPayment, later, start } from '../domain/payment/a-payment.js';

const RESPONSE_WAIT_MS = 15_000;
const metrics = { waiting: () => undefined, event: () => undefined };

/** Returns an authenticated payment that is on its way to the processor, or is looked after, with its next work due at `dueAt`. */
function underWay(dueAt: Date): Payment {
  const payment = createdPayment({ status: 'pending', redirectUrl: 'https://shop.example/return' });
  const threeDs = { required: true, reason: 'always', status: 'authenticated', sessionId: 's', challenge: {} };
  return { ...payment, threeDs, work: { ...payment.work, dueAt } } as unknown as Payment;
}

async function visit(
  payment: Payment,
  admissionLimit = createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => false),
  go: typeof openChallenge | typeof returnFromChallenge = openChallenge,
) {
  let waits = 0;
  let cancelled = 0;
  const nudged: unknown[] = [];
  const outcomes = {
    start: () => ({
      wait: async () => {
        waits += 1;
        return { ...payment, status: 'approved' };
      },
      cancel: () => {
        cancelled += 1;
      },
    }),
  };
  const deps = {
    payments: {
      findByThreeDsSession: async () => payment,
      update: async (current: Payment, plan: (payment: Payment) => Payment | undefined) => plan(current),
    },
    nudges: { add: async (_job: unknown, { txId }: { txId: string }) => nudged.push(txId) > 0 },
    outcomes,
    admissionLimit,
    clock: { now: () => start },
    config: { responseWaitMs: RESPONSE_WAIT_MS },
  };
  const next = await go(deps as unknown as Parameters<typeof go>[0], 's', undefined);
  if (next?.kind !== 'redirect') throw new Error(`not sent back: ${next?.kind}`);
  return { status: new URL(next.url).searchParams.get('status'), waits, cancelled, nudged: nudged.length };
}
const full = () => {
  const limit = createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => false);
  for (let waiting = 0; waiting < limits.waitingMax; waiting += 1) limit.enter();
  return limit;
};

test('a payer waits for the outcome if it may come soon', async () => {
  const admissionLimit = createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => false);
  for (let visits = 0; visits <= limits.waitingMax; visits += 1) {
    expect(await visit(underWay(later(RESPONSE_WAIT_MS)), admissionLimit)).toMatchObject({
      status: 'approved',
      waits: 1,
    });
  }
});

test('a payer does not wait for work that is due later', async () => {
  expect(await visit(underWay(later(RESPONSE_WAIT_MS + 1)))).toMatchObject({ status: 'pending', waits: 0 });
});

test('a payer gets to the shop at once if too many calls wait or nothing may be sent', async () => {
  const closed = createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => true);
  for (const admissionLimit of [full(), closed]) {
    const visited = await visit(underWay(start), admissionLimit);
    // No listener stays for an outcome that is not waited for.
    expect(visited).toMatchObject({ status: 'pending', waits: 0, cancelled: 1 });
  }
});

test('a payer who returns while too many calls wait gets to the shop at once, and the payment goes on', async () => {
  const challenged = { ...underWay(start), deadline: { kind: 'challenge', at: later(60_000) } } as unknown as Payment;
  const waiting = { ...challenged, work: undefined } as unknown as Payment;
  expect(await visit(waiting, full(), returnFromChallenge)).toEqual({
    status: 'pending',
    waits: 0,
    cancelled: 1,
    nudged: 1,
  });
  expect(await visit(waiting, undefined, returnFromChallenge)).toEqual({
    status: 'approved',
    waits: 1,
    cancelled: 0,
    nudged: 1,
  });
});

test.each([
  ['the message that the challenge is over', { messageType: 'CRes' }, true],
  ['an error message', { messageType: 'Erro' }, false],
  ['no message', undefined, false],
])('a return with %s is noted as the end of the challenge: %s', async (_what, message, noted) => {
  const base = { ...underWay(start), deadline: { kind: 'challenge', at: later(60_000) }, work: undefined };
  const payment = base as unknown as Payment;
  let written: Payment | undefined;
  const deps = {
    payments: {
      findByThreeDsSession: async () => payment,
      update: async (current: Payment, plan: (payment: Payment) => Payment | undefined) => {
        written = plan(current);
        return written;
      },
    },
    nudges: { add: async () => true },
    outcomes: { start: () => ({ wait: async () => payment, cancel: () => undefined }) },
    admissionLimit: createAdmissionLimit(RESPONSE_WAIT_MS, metrics, () => false),
    clock: { now: () => start },
    config: { responseWaitMs: RESPONSE_WAIT_MS },
  };
  const cres = message && encodeMessage({ ...message, threeDSServerTransID: 's' });
  await returnFromChallenge(deps as unknown as Parameters<typeof returnFromChallenge>[0], 's', cres);
  expect(written?.work?.kind).toBe('conclude');
  expect(written?.threeDs?.challenge?.answeredAt !== undefined).toBe(noted);
});
