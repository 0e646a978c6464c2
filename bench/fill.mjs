/** Fills the database with payments before anything is measured (`--stored`): an empty one flatters. */
import { randomBytes } from 'node:crypto';
import { withMongo } from './surroundings.mjs';

/** Trace id of the payments that only fill: nobody paid them, and the audit leaves them out. */
export const FILLED_TRACE = 'filled';

const BATCH = 1_000;
const IN_FLIGHT = 4;
/** They were made over so many days before now. */
const DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * A copy of a payment with ids, references and times of its own.
 * @param {any} example @param {number} serial @param {number} atMs when it was made
 */
export function copyOf(example, serial, atMs) {
  const created = new Date(atMs);
  const processed = new Date(atMs + 50);
  const referenceId = `filled-${serial}`;
  return {
    ...example,
    _id: `pay_${randomBytes(16).toString('hex')}`,
    traceId: FILLED_TRACE,
    referenceId,
    refKeys: [referenceId],
    createdAt: created,
    updatedAt: processed,
    processedAt: processed,
    transactions: example.transactions.map((/** @type {object} */ tx) => ({
      ...tx,
      id: `txn_${randomBytes(16).toString('hex')}`,
      referenceId,
      createdAt: created,
      processedAt: processed,
    })),
  };
}

/**
 * Stores so many payments, copied from one that the gateway has settled.
 * @param {string} uri
 * @param {number} stored
 */
export const fill = (uri, stored) =>
  withMongo(uri, async (client) => {
    const payments = client.db().collection('payments');
    const example = await payments.findOne({ status: 'approved', work: { $exists: false } });
    if (!example) throw new Error('there is no settled payment to copy');
    const sinceMs = Date.now() - DAYS * DAY_MS;
    let next = 0;
    const filler = async () => {
      while (next < stored) {
        const from = next;
        next = Math.min(stored, next + BATCH);
        const copies = Array.from({ length: next - from }, (_, index) =>
          copyOf(example, from + index, sinceMs + ((from + index) / stored) * DAYS * DAY_MS),
        );
        await payments.insertMany(copies, { ordered: false, writeConcern: { w: 1 } });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, filler));
  });
