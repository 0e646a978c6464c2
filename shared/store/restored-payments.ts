/** Changes work of a restored database that the database must not simply continue (docs/operations.md, "After a restore"). */
import { limits } from '../../config/limits.js';
import { ALERTS_KEPT } from '../domain/payment/alerted.js';
import type { Payment } from '../domain/payment/payment.js';
import { operationKinds } from '../domain/payment/stored-work.js';
import { RESTORED } from '../domain/payment/work.js';
import { never, noLease } from '../domain/time.js';
import { type Collection, durable, type Where } from './database.js';

/**
 * Ends authentications. Payers who were at the issuer may have come back after the backup, and their authorization may be done: the
 * processor is inquired, and nothing is sent.
 */
async function endAuthentications(payments: Collection<Payment>, now: Date): Promise<void> {
  const work = {
    queue: 'processor',
    kind: 'inquire',
    txId: { $first: '$transactions.id' },
    dueAt: now,
    leaseUntil: noLease,
    gen: { $add: [{ $ifNull: ['$work.gen', 0] }, 1] },
    tries: 0,
    attempt: { token: RESTORED, startedAt: now },
  };
  await payments.updateMany(
    {
      status: { $in: ['created', 'pending'] },
      $or: [
        { 'work.queue': 'threeds', 'work.dueAt': { $exists: true } },
        { 'deadline.kind': 'challenge', 'deadline.at': { $exists: true } },
      ],
    },
    // Merged with nothing, the new object replaces the stored work.
    [
      { $set: { work: { $mergeObjects: [work] }, authorizeBy: now, version: { $add: ['$version', 1] } } },
      { $unset: 'deadline' },
    ],
    { writeConcern: durable },
  );
}

/**
 * Makes work that the backup holds as not sent be inquired first, because it may have been sent after the backup. Authorizations are not
 * sent any more.
 * @returns at how many payments the processor is asked before anything is sent
 */
export async function distrustUnsent(payments: Collection<Payment>, now: Date): Promise<number> {
  const attempt = { token: RESTORED, startedAt: now };
  const options = { writeConcern: durable };
  await endAuthentications(payments, now);
  await payments.updateMany(
    {
      'work.queue': 'processor',
      'work.dueAt': { $exists: true },
      'work.kind': { $in: operationKinds },
      'work.attempt': { $exists: false },
    },
    { $set: { 'work.attempt': attempt }, $inc: { version: 1 } },
    options,
  );
  // Also what was sent before the backup: an adapter's own records, such as the journal of ISO 8583, may be older than the payment.
  await payments.updateMany(
    { 'work.queue': 'processor', 'work.dueAt': { $exists: true }, 'work.attempt.token': { $ne: RESTORED } },
    [
      {
        $set: {
          'work.attempt': { token: RESTORED, startedAt: { $ifNull: ['$work.attempt.startedAt', now] } },
          version: { $add: ['$version', 1] },
        },
      },
    ],
    options,
  );
  await payments.updateMany(
    // The queue is named because the index begins with it: without it MongoDB reads every payment there is.
    {
      'work.queue': { $gt: '' },
      'work.dueAt': { $exists: true },
      activeOp: { $exists: false },
      authorizeBy: { $gt: now },
    },
    { $set: { authorizeBy: now }, $inc: { version: 1 } },
    options,
  );
  // Counted as it is now, because a run that was cut off has changed some of them before. A reversal is not asked about.
  return payments.countDocuments({
    'work.queue': 'processor',
    'work.dueAt': { $exists: true },
    'work.kind': { $ne: 'reverse' },
    'work.attempt.token': RESTORED,
  });
}

const MAY_BE_DONE =
  'the database was restored: its delayed capture, or the release of its hold, may have been done before; the gateway begins neither';

/**
 * Makes holds whose delayed capture or expiry was due by `now` wait for a person: the operation may have been begun after the backup,
 * under a key that is lost, so that it cannot be inquired. Holds of verifications continue: releasing one twice does no harm.
 * @param listed processors whose books were compared, which show what was done
 * @returns the ids of the payments
 */
export async function holdDueDeadlines(payments: Collection<Payment>, listed: readonly string[], now: Date) {
  const due: Where<Payment> = {
    'deadline.at': { $lte: now },
    'deadline.kind': { $in: ['capture', 'expire'] },
    status: 'authorized',
    purpose: 'payment',
    processor: { $nin: [...listed] },
    activeOp: { $exists: false },
  };
  const held: string[] = [];
  const hold = async (ids: readonly string[]) => {
    await payments.updateMany(
      { ...due, _id: { $in: ids } },
      {
        $set: { deadline: { kind: 'expire', at: never } },
        $push: { alerts: { $each: [{ at: now, text: MAY_BE_DONE }], $slice: -ALERTS_KEPT } },
        $inc: { version: 1 },
      },
      { writeConcern: durable },
    );
    held.push(...ids);
  };
  // A long outage leaves very many payments, and a command of MongoDB takes 16 MB of ids.
  let ids: string[] = [];
  for await (const { _id } of payments.find(due, { projection: { _id: 1 } })) {
    ids.push(_id);
    if (ids.length < limits.dueChangedMax) continue;
    await hold(ids);
    ids = [];
  }
  if (ids.length > 0) await hold(ids);
  return held;
}
