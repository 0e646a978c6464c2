/** The proof that the simulation can fail: each planted bug leaves out one sentence of docs/reliability.md and is caught. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Processor, SendResult } from '../../shared/processors/processor.js';
import { type Bugs, type ScenarioName, scenarioNames, simulate } from './simulate.js';

const SEEDS = 400;

/** Takes an unknown outcome for "certainly not sent", so that the operation is sent again instead of inquired. */
function resending(processor: Processor): Processor {
  const blind =
    <R>(send: (request: R) => Promise<SendResult>) =>
    async (request: R): Promise<SendResult> => {
      const result = await send(request);
      return result.kind === 'unknown' ? { kind: 'not-sent', internal: 'planted' } : result;
    };
  return {
    ...processor,
    authorize: blind(processor.authorize),
    ...(processor.capture && { capture: blind(processor.capture) }),
    ...(processor.cancel && { cancel: blind(processor.cancel) }),
    ...(processor.refund && { refund: blind(processor.refund) }),
  };
}

const keptCvc = (before: Payment, after: Payment): Payment => (before.cvc ? { ...after, cvc: before.cvc } : after);
const reusedSeq = (before: Payment, after: Payment): Payment => {
  if (after.eventSeq === before.eventSeq || before.eventSeq === 0) return after;
  const events = after.events.map((event) => ({ ...event, seq: Math.min(event.seq, before.eventSeq) }));
  return { ...after, eventSeq: before.eventSeq, events };
};
/** A crash between two writes: the outcome is stored, the work that follows from it is not. */
const lostWork = (before: Payment, after: Payment): Payment =>
  before.work?.kind === 'inquire' && after.work?.kind === 'inquire' ? { ...after, work: undefined } : after;
const overwritten = (before: Payment, after: Payment): Payment => {
  const refunds = before.transactions
    .filter((tx) => tx.kind === 'refund' && tx.status !== 'created')
    .map(({ id }) => id);
  const failed = { status: 'failed' } as const;
  return {
    ...after,
    transactions: after.transactions.map((tx) => (refunds.includes(tx.id) ? { ...tx, ...failed } : tx)),
  };
};
const halfCents = (_before: Payment, after: Payment): Payment =>
  after.refundedMinor > 0 ? { ...after, refundedMinor: after.refundedMinor * 1.000_1 } : after;
const refundTwice = (before: Payment, after: Payment): Payment =>
  after.refundedMinor > before.refundedMinor ? { ...after, refundedMinor: before.refundedMinor } : after;

/** The route changes after something was sent, and the key does not. */
const movedKey = (before: Payment, after: Payment): Payment =>
  before.work?.kind === 'authorize' && after.work?.kind === 'inquire' ? { ...after, acquirer: 'acquirer-b' } : after;

const planted: readonly (readonly [string, Bugs, RegExp, (readonly ScenarioName[])?])[] = [
  ['a write that does not look at the version', { blindSave: true }, /I\d|books/],
  [
    'a claim that forgets the attempt of another one',
    { freshAttempt: true },
    /I5|books/,
    ['purchase', 'two refunds that fit'],
  ],
  ['an unknown outcome that is sent again', { processor: resending }, /I5|books/],
  ['an unknown outcome that another route follows', { processor: resending }, /I5|books/, ['purchase over routes']],
  ['a route that is changed under one key', { spoil: movedKey }, /route/, ['purchase over routes']],
  ['leases by a clock of its own', { leaseClockAheadMs: 10_000 }, /I3/],
  ['a cvc that is kept', { spoil: keptCvc }, /I10/],
  ['a number of an event that is used twice', { spoil: reusedSeq }, /I8/],
  ['a second operation beside one in flight', { ignoreBusy: true }, /I\d|books|rest/],
  ['"not found" believed at once', { schedule: { notFoundSettlesMs: 0 } }, /books|I5/, ['two refunds that fit']],
  ['work that is not in the write of its state', { spoil: lostWork }, /I2/],
  ['a final transaction that is overwritten', { spoil: overwritten }, /I6/],
  ['amounts that are not whole', { spoil: halfCents }, /I7/],
  ['a refund that is not added up', { spoil: refundTwice }, /books|I7/],
];

/** The first story in which the bug breaks what it is known to break. */
async function hunt(bugs: Bugs, by: RegExp, names: readonly ScenarioName[]): Promise<string> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const name of names) {
      const violations = (await simulate(seed, name, bugs)).violations.join('; ');
      if (by.test(violations)) return violations;
    }
  }
  return 'nothing was found';
}

test.each(planted.map(([name, ...planting]) => [name, planting] as const))('%s', async (_name, [bugs, by, names]) => {
  expect(await hunt(bugs, by, names ?? scenarioNames)).toMatch(by);
});
