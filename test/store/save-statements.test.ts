/** Statements of a batch of saves: one statement for the saves at the same version that remove the same fields. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type Save, toStatements } from '../../shared/store/save-statements.js';
import { createdPayment } from '../domain/payment/a-payment.js';

const payment = (_id: string, more: Partial<Payment> = {}) => createdPayment({ _id, ...more });
const save = (before: Payment, more: object): Save => ({ before, after: { ...before, ...more } as Payment });
const named = (before: Payment, more: object = {}) => save(before, { invoiceNumber: `INV ${before._id}`, ...more });
type Update = { readonly filter: object; readonly update: object };
const shown = (batch: readonly Save[]) =>
  toStatements(batch).map(({ operation, saves, token }) => {
    const [[kind, { filter, update }]] = Object.entries(operation) as [[string, Update]];
    return { kind, filter, update, ids: saves.map(({ before }) => before._id), token };
  });

test('a single save sets changed fields, removes absent or undefined ones, and leaves the rest', () => {
  const before = payment('a', {
    version: 4,
    callbackUrl: 'https://shop.example',
    tokenizeAt: new Date(0),
    answered: [1, 1],
  });
  const { callbackUrl, ...without } = before;
  const after = {
    ...without,
    status: 'pending',
    cvc: undefined,
    alerts: undefined,
    answered: [],
    writes: ['other'],
  } as const;
  const [statement, ...none] = shown([{ before, after: after as never }]);
  expect(none).toEqual([]);
  expect(statement).toEqual({
    ...{ kind: 'updateOne', ids: ['a'], filter: { _id: 'a', version: 4 }, token: expect.any(String) },
    update: {
      $set: { version: 5, status: 'pending' },
      $unset: { cvc: '', callbackUrl: '' },
      $push: { writes: { $each: [statement?.token], $slice: -limits.writesKept } },
    },
  });
});

test('without removed fields there is no $unset, also when a field was undefined before', () => {
  const [statement] = shown([named(payment('a', { tokenizeAt: undefined } as never))]);
  expect(statement?.update).not.toHaveProperty('$unset');
  const { tokenizeAt, ...after } = { ...payment('b'), tokenizeAt: undefined };
  const [other] = shown([
    { before: { ...after, tokenizeAt: undefined } as never, after: { ...after, status: 'pending' } as never },
  ]);
  expect(other?.update).not.toHaveProperty('$unset');
});

test('saves of one version that remove the same fields are one statement, each with its own values', () => {
  const [statement, ...none] = shown([named(payment('a')), named(payment('b'))]);
  expect(none).toEqual([]);
  expect(statement).toMatchObject({
    ...{ kind: 'updateMany', ids: ['a', 'b'], filter: { _id: { $in: ['a', 'b'] }, version: 1 } },
  });
  const branch = (id: string) => ({
    case: { $eq: ['$_id', id] },
    // biome-ignore lint/suspicious/noThenProperty: a branch of $switch has this name.
    then: { $literal: { version: 2, invoiceNumber: `INV ${id}` } },
  });
  expect(statement?.update).toEqual([
    { $replaceWith: { $mergeObjects: ['$$ROOT', { $switch: { branches: [branch('a'), branch('b')], default: {} } }] } },
    { $set: { writes: { $slice: [{ $concatArrays: ['$writes', [statement?.token]] }, -limits.writesKept] } } },
  ]);
  const [losing] = shown([named(payment('a'), { cvc: undefined }), named(payment('b'), { cvc: undefined })]);
  expect(losing?.update).toEqual([expect.anything(), expect.anything(), { $unset: ['cvc'] }]);
});

test('another version, other removed fields, a field of a unique index or a repeated payment need another statement', () => {
  const batch = [
    named(payment('a')),
    named(payment('b', { version: 2 })),
    named(payment('c'), { cvc: undefined }),
    named(payment('d'), { refKeys: ['payment:d'] }),
    named(payment('e'), { threeDs: { required: false, reason: 'always' } }),
    named(payment('a')),
    named(payment('f')),
  ];
  const statements = shown(batch);
  expect(statements.map(({ ids }) => ids)).toEqual([['a', 'f'], ['b'], ['c'], ['d'], ['e'], ['a']]);
  expect(new Set(statements.map(({ token }) => token)).size).toBe(statements.length);
});
