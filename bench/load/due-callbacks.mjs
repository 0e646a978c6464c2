/** Builds the callbacks of one round of `npm run callbacks`, as they are stored when they are due. Pure. */
import { createHash } from 'node:crypto';

/** One payment in this many has two events, the second of which waits for the first. */
const TWO_EVENTS_EVERY = 10;
/** A body about as long as the callback of a card payment. */
const BODY = JSON.stringify({ filler: 'x'.repeat(1_100) });

export const hostOf = (/** @type {number} */ port) => `127.0.0.1:${port}`;

/**
 * Plans the events of a round: clients and hosts in turn, so that every client has something for every host.
 * @param {string} round
 * @param {{ count: number, clients: number }} options
 * @param {readonly number[]} ports of the hosts
 */
export function planEvents(round, { count, clients }, ports) {
  /** @type {{ paymentId: string, clientId: string, url: string, seqs: number[] }[]} */
  const payments = [];
  for (let left = count; left > 0; ) {
    const n = payments.length;
    const seqs = left > 1 && n % TWO_EVENTS_EVERY === 0 ? [1, 2] : [1];
    const paymentId = `pay_${round}x${n}`;
    const clientId = `client-${Math.floor(n / ports.length) % clients}`;
    payments.push({
      paymentId,
      clientId,
      url: `http://${hostOf(ports[n % ports.length] ?? 0)}/${clientId}/${paymentId}`,
      seqs,
    });
    left -= seqs.length;
  }
  return payments;
}

/**
 * @param {ReturnType<typeof planEvents>[number]} payment
 * @param {Date} dueAt
 * @returns {import('../collections.mjs').Delivery[]}
 */
export const toDeliveries = ({ paymentId, clientId, url, seqs }, dueAt) =>
  seqs.map((seq) => ({
    _id: `${paymentId}:${seq}`,
    paymentId,
    clientId,
    seq,
    url: `${url}/${seq}`,
    host: new URL(url).host,
    body: BODY,
    resourceVersion: seq,
    createdAt: new Date(),
    eventId: `evt_${createHash('sha256').update(`${paymentId}:${seq}`).digest('hex').slice(0, 32)}`,
    state: 'waiting',
    dueAt,
    tries: 0,
    leaseUntil: new Date(0),
    attempts: [],
  }));
