/** What a restored database may not take for true of its own work (docs/operations.md, "After a restore"). */
import type { Payment } from '../domain/payment/payment.js';
import { operationKinds } from '../domain/payment/payment-work.js';
import { type Collection, durable } from './database.js';

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
