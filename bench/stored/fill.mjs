/** Fills the database with payments before the measurement, because an empty database gives results that are too good. */
import { randomBytes } from 'node:crypto';
import { paymentsOf } from '../collections.mjs';
import { withMongo } from '../environment.mjs';
import { variationOf } from './vary.mjs';

/** @typedef {import('../collections.mjs').Payment} Payment */

/** Trace id of payments that only fill the database: they were never paid, and the audit leaves them out. */
export const FILLED_TRACE = 'filled';

const BATCH = 1_000;
const IN_FLIGHT = 4;
/** Their creation is spread over this many days before now. */
const DAYS = 90;
const DAY_MS = 86_400_000;
/** Work of unsettled payments is due only after this time, so that no worker takes it during the measurement. */
const DUE_AFTER_MS = 10 * 365 * DAY_MS;

/** Returns the reference of a filling payment. @param {number} serial */
export const referenceOf = (serial) => `filled-${serial}`;

/** Returns when a filling payment was created. @param {number} serial @param {number} stored @param {number} nowMs */
export const createdAtOf = (serial, stored, nowMs) => Math.floor(nowMs - DAYS * DAY_MS * (1 - serial / stored));

/** @param {string} txId @param {number} atMs @returns {NonNullable<Payment['work']>} */
const laterWork = (txId, atMs) => ({
  queue: 'processor',
  kind: 'authorize',
  txId,
  dueAt: new Date(atMs + DUE_AFTER_MS),
  gen: 1,
  leaseUntil: new Date(0),
  tries: 0,
});

/**
 * Copies a payment with new ids, references, times and values.
 * @param {Payment} example @param {number} serial @param {number} atMs creation of the copy @param {number} nowMs
 * @returns {Payment}
 */
export function copyOf(example, serial, atMs, nowMs) {
  const created = new Date(atMs);
  const processed = new Date(atMs + 50);
  const referenceId = referenceOf(serial);
  const txId = `txn_${randomBytes(16).toString('hex')}`;
  const { merchantId, status, currency, brand, totalMinor, metadata } = variationOf(serial);
  // The card of an older payment was destroyed (docs/security.md).
  const { card, cardDestroyAt, ...kept } = example;
  return {
    ...kept,
    _id: `pay_${randomBytes(16).toString('hex')}`,
    traceId: FILLED_TRACE,
    merchantId,
    status,
    amount: { ...example.amount, totalMinor, currency },
    paymentMethod: { ...example.paymentMethod, id: brand },
    metadata,
    referenceId,
    refKeys: [`payment:${referenceId}`],
    createdAt: created,
    updatedAt: processed,
    processedAt: processed,
    transactions: example.transactions.map((tx) => ({
      ...tx,
      id: txId,
      referenceId,
      amountMinor: totalMinor,
      createdAt: created,
      processedAt: processed,
    })),
    ...(status === 'created' && { work: laterWork(txId, atMs) }),
    ...(card && atMs + DAY_MS > nowMs && { card, cardDestroyAt: new Date(atMs + DAY_MS) }),
  };
}

/**
 * Stores this many copies of a payment that the gateway has settled.
 * @param {string} uri
 * @param {number} stored
 * @param {number} [nowMs]
 */
export const fill = (uri, stored, nowMs = Date.now()) =>
  withMongo(uri, async (client) => {
    const payments = paymentsOf(client);
    const example = await payments.findOne({ status: 'approved', work: { $exists: false } });
    if (!example) throw new Error('there is no settled payment to copy');
    let next = 0;
    const filler = async () => {
      while (next < stored) {
        const from = next;
        next = Math.min(stored, next + BATCH);
        const copies = Array.from({ length: next - from }, (_, index) =>
          copyOf(example, from + index, createdAtOf(from + index, stored, nowMs), nowMs),
        );
        await payments.insertMany(copies, { ordered: false, writeConcern: { w: 1 } });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, filler));
  });
