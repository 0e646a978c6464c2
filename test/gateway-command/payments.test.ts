/** An operation that a person settles, on a real MongoDB. */
import { exitCodes } from '../../scripts/gateway/run.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { approvedPayment, operated, start } from '../domain/payment/a-payment.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('settle_payment');
});
afterAll(() => operator.close());

test('an operation is settled once, with the given outcome, and is in the audit log', async () => {
  const { database, gateway, json } = operator;
  const refund = operated(approvedPayment({ processor: 'iso8583' }), 'refund');
  const asked = {
    ...refund,
    work: newWork('inquire', 'txn_op', start),
    alerts: [{ at: start, text: 'the processor does not report the outcome of txn_op; inquiry continues' }],
  };
  await database.collection<Payment>('payments').insertOne(asked);
  const settle = `payments settle ${refund._id} txn_op --outcome`;
  expect((await gateway(`${settle} done`)).code).toBe(exitCodes.usage);
  expect(await gateway('payments settle pay_none txn_op --outcome approved')).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringMatching(/There is no payment pay_none/),
  });
  expect(await json(`${settle} approved`)).toEqual({
    paymentId: refund._id,
    transactionId: 'txn_op',
    settledAs: 'approved',
    status: 'refunded',
  });
  expect(await createPaymentRepository(database, false).findById(refund._id)).toMatchObject({
    status: 'refunded',
    refundedMinor: 1050,
    version: refund.version + 1,
  });
  expect(await gateway(`${settle} failed`)).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringMatching(/txn_op is not settled: it is approved already/),
  });
  // The audit has them like the requests of callers. Their order is not checked: each command read the clock of MongoDB by itself.
  const entries = (await json(`audit list --payment-id ${refund._id}`)) as { readonly outcome: string }[];
  expect(entries.sort((one, other) => one.outcome.localeCompare(other.outcome))).toMatchObject([
    { action: 'payment.settled', outcome: 'done', object: `${refund._id}/txn_op approved`, payment: refund._id },
    { action: 'payments settle', outcome: 'refused', object: `${refund._id}/txn_op`, payment: refund._id },
  ]);
});
