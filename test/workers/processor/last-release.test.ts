/**
 * Payments as the last release stored them while no worker ran (last-release.json, recorded by its API): this release reads and
 * finishes them. They are recorded again when a release is made whose documents differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { moneyProblems, stateProblems } from '../../domain/payment/a-payment.js';
import { approved, declined, fakeProcessor, found, unknown } from './fake-processor.js';
import { after, type Operation, store, under, useStore } from './processor-suite.js';

useStore();

const text = readFileSync(join(import.meta.dirname, 'last-release.json'), 'utf8');
const recorded = (): Payment[] => mongoose.mongo.BSON.EJSON.parse(text) as Payment[];

const operationOf = ({ activeOp, transactions }: Payment): Operation => {
  if (!activeOp) return transactions[0]?.kind === 'authorization' ? 'authorization' : 'purchase';
  return activeOp.kind === 'cancel' ? 'cancellation' : (activeOp.kind as Operation);
};

/** Stores the payment; returns a pool whose clock shows the time at which the last release stored it. */
async function atItsTime(payment: Payment, processor: ReturnType<typeof fakeProcessor>) {
  await store.put(payment);
  const pool = under(processor);
  pool.advance(payment.updatedAt.getTime() - Date.now());
  return pool;
}

test('there is a payment for each operation, without a schema version', () => {
  const kinds = recorded().map(operationOf);
  expect(new Set(kinds)).toEqual(new Set(Object.keys(after)));
  expect(recorded().filter((payment) => 'schemaVersion' in payment)).toEqual([]);
});

describe.each(recorded().map((payment) => [operationOf(payment), payment._id] as const))('%s %s', (operation, id) => {
  const payment = () => recorded().find(({ _id }) => _id === id) as Payment;
  const whole = (done: Payment) => [...moneyProblems(done), ...stateProblems(done)];

  test.each(['approved', 'declined'] as const)('is finished as %s', async (end) => {
    const answer = end === 'approved' ? approved : declined;
    const processor = fakeProcessor({ send: [answer], inquire: [found(answer)] });
    const done = await (await atItsTime(payment(), processor)).finish(payment());
    expect([done.status, whole(done)]).toEqual([after[operation][end], []]);
    expect(authorizationOf(done)).toBeDefined();
  });

  test('is inquired about when its outcome is unknown', async () => {
    const processor = fakeProcessor({ send: [unknown], inquire: [found(approved)] });
    const done = await (await atItsTime(payment(), processor)).finish(payment());
    expect([done.status, whole(done)]).toEqual([after[operation].approved, []]);
  });
});
