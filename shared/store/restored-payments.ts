/** What a restored database may not take for true of its own work (docs/operations.md, "After a restore"). */
import { ALERTS_KEPT } from '../domain/payment/alerted.js';
import type { Payment } from '../domain/payment/payment.js';
import { operationKinds } from '../domain/payment/stored-work.js';
import { never } from '../domain/time.js';
import { type Collection, durable, type Where } from './database.js';

export async function distrustUnsent(payments: Collection<Payment>, now: Date): Promise<number> {
  const attempt = { token: 'restored', startedAt: now };
  const options = { writeConcern: durable };
  const sent = await payments.updateMany(
    {
      'work.queue': 'processor',
      'work.dueAt': { $exists: true },
      'work.kind': { $in: operationKinds },
      'work.attempt': { $exists: false },
    },
    { $set: { 'work.attempt': attempt }, $inc: { version: 1 } },
    options,
  );
  const authorized = await payments.updateMany(
    { 'work.dueAt': { $exists: true }, activeOp: { $exists: false }, authorizeBy: { $gt: now } },
    { $set: { authorizeBy: now }, $inc: { version: 1 } },
    options,
  );
  return Math.max(sent.modifiedCount, authorized.modifiedCount);
}

const MAY_BE_DONE =
  'the database was restored: its delayed capture, or the release of its hold, may have been done before; the gateway begins neither';

/**
 * Holds whose delayed capture or expiry was due by `now` wait for a person: the operation may have been begun after the backup, under
 * a key that is lost, so that it cannot be asked about. Those of verifications go on: to release one twice does no harm.
 * @param listed processors whose books were compared, and say what was done
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
  const found = await payments.find(due, { projection: { _id: 1 } }).toArray();
  const ids = found.map(({ _id }) => _id);
  await payments.updateMany(
    { ...due, _id: { $in: ids } },
    {
      $set: { deadline: { kind: 'expire', at: never } },
      $push: { alerts: { $each: [{ at: now, text: MAY_BE_DONE }], $slice: -ALERTS_KEPT } },
      $inc: { version: 1 },
    },
    { writeConcern: durable },
  );
  return ids;
}
