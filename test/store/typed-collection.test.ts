/** The compiler refuses statements on fields that a payment does not have: an expected error that does not occur fails `npm run check`. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Collection } from '../../shared/store/database.js';
import { isKnownVersion } from '../../shared/store/schema-version.js';
import { among } from '../../shared/store/typed-collection.js';

/** Never called. */
const refused = (payments: Collection<Payment>, now: Date) => [
  payments.find({ 'work.queue': 'qr', 'transactions.id': 'tx', 'metadata.k': 'order' }),
  // @ts-expect-error a field that does not exist
  payments.find({ 'work.qeue': 'qr' }),
  // @ts-expect-error the same beside a spread
  payments.find({ ...isKnownVersion('payments'), 'work.qeue': 'qr' }),
  // @ts-expect-error the same below $or
  payments.find({ $or: [{ ...isKnownVersion('payments'), statuss: 'created' }] }),
  // @ts-expect-error a queue that does not exist
  payments.find({ 'work.queue': 'wallet' }),
  // @ts-expect-error undefined would find every payment
  payments.find({ _id: undefined }),
  // @ts-expect-error text is no time
  payments.find({ 'work.dueAt': { $lt: 'now' } }),
  // @ts-expect-error a field that does not exist
  payments.updateOne({ _id: 'pay' }, { $set: { authorizBy: now } }),
  // @ts-expect-error a number that does not exist
  payments.updateOne({ _id: 'pay' }, { $set: { authorizeBy: now }, $inc: { versoin: 1 } }),
  // @ts-expect-error an operator that does not exist
  payments.updateOne({ _id: 'pay' }, { $inc: { version: 1 }, $sett: {} }),
  // @ts-expect-error of many writes one
  payments.bulkWrite([{ updateOne: { filter: { _id: 'pay' }, update: { $set: { statuss: 'failed' } } } }]),
];
void refused;

test('a filter for one id is equality, and a filter for no id finds nothing', () => {
  expect(among(['a'])).toBe('a');
  expect(among(['a', 'b'])).toEqual({ $in: ['a', 'b'] });
  expect(among([])).toEqual({ $in: [] });
});
